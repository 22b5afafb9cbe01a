"""What a child is told, as JSON: how the arguments of a run are made of it, and what can't be."""

from dataclasses import dataclass
from typing import Any, TypedDict

import pytest
from pydantic import BaseModel

from thena_runtime import Budget, Message
from thena_runtime.order import Order, OrderError, budget_of, data_of, seed_of


@dataclass
class Address:
    city: str


@dataclass
class Account:
    name: str
    address: Address | None = None


class Model(BaseModel):
    name: str


class Row(TypedDict):
    name: str


class Plain:
    pass


def test_an_order_keeps_its_defaults_where_nothing_is_said() -> None:
    """`null` is as if it weren't there."""
    assert Order(target="flow", prompt="hi") == Order.from_json({"target": "flow", "prompt": "hi", "act": None})


@pytest.mark.parametrize(
    ("wanted", "data", "made"),
    [
        (None, {"any": [1]}, {"any": [1]}),
        (None, None, None),
        (Account, {"name": "a", "address": {"city": "b"}}, Account("a", Address("b"))),
        (Model, {"name": "a"}, Model(name="a")),
        (Row, {"name": "a"}, {"name": "a"}),
        (dict, {"name": "a"}, {"name": "a"}),
    ],
)
def test_data_is_made_of_json(wanted: type | None, data: object, made: object) -> None:
    """As the class that the app asks for, nested ones included."""
    assert made == data_of(data, wanted)


@pytest.mark.parametrize(
    ("wanted", "data", "told"),
    [
        (Account, {"name": "a", "address": {}}, "the data is no `Account`: Field required at `address.city`. "),
        (Model, [], "the data is no `Model`: Input should be a valid dictionary or instance of Model. "),
        (Account, None, "the run needs data of which a `Account` can be made. Give `--data"),
        (Plain, {}, "the data of a run is a `Plain`, which can't be made of JSON. "),
        (Row, [], "the data"),
    ],
)
def test_data_that_cant_be_made_is_told(wanted: type, data: object, told: str) -> None:
    """With the place in it that is wrong, and what to give."""
    with pytest.raises(OrderError) as error:
        data_of(data, wanted)
    assert told == str(error.value)[: len(told)]


def test_a_state_is_what_a_conversation_begins_with() -> None:
    """Messages are made of their role and content; the other buckets are as they are."""
    history = [{"role": "assistant", "content": "hello"}]
    assert {"memory": ["a"], "history": [Message("assistant", "hello")]} == seed_of(
        {"memory": ["a"], "history": history}
    )
    assert None is seed_of(None)


@pytest.mark.parametrize(
    "state",
    [
        [],
        "text",
        {"history": "text"},
        {"history": [{"role": "tool", "content": "x"}]},
        {"history": [{"role": "user"}]},
        {"history": [{"role": "user", "content": "x", "extra": 1}]},
    ],
)
def test_a_state_that_cant_be_is_told(state: Any) -> None:
    """Each error says what to write."""
    with pytest.raises(OrderError, match="Write"):
        seed_of(state)


def test_a_budget_is_made_of_its_limits() -> None:
    """By the names of `Budget`; a limit that it doesn't have is told without the framework's sign."""
    assert Budget(max_chat_calls=5, max_cost_usd=0.1, mode="raise") == budget_of(
        {"max_chat_calls": 5, "max_cost_usd": 0.1, "mode": "raise"}
    )
    assert None is budget_of(None)
    with pytest.raises(OrderError, match=r"^`max_tokens` of `Budget` is -1"):
        budget_of({"max_tokens": -1})
