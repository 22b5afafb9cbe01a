"""The workflow's state: one object a run, shared by everybody in it and by nobody outside."""

import asyncio
import functools
import threading
from abc import ABC
from collections import Counter
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Protocol

import attrs
import pytest
from pydantic import BaseModel

from thena_runtime import (
    Agent,
    Context,
    ContractError,
    Prompt,
    ScriptedProvider,
    State,
    Thena,
    Tool,
    Workflow,
    loop,
    tool_call,
)
from thena_runtime.testing import record
from thena_runtime.workflow_state import build_state


class Plain:
    """A plain class: its field initialisers are the initial values."""

    names: list[str] = []
    counts = {"a": [1]}
    same = names
    approved = False
    shared: ClassVar[list[str]] = []
    also_shared: "ClassVar[list[str]]" = []

    def __init__(self) -> None:
        self.first = len(self.names)
        self.names.append("made")


def test_each_instance_has_its_own_copies() -> None:
    """Mutable class attributes are copied deeply, before `__init__`, which may use them."""
    one, two = build_state(Plain), build_state(Plain)
    one.counts["a"].append(2)

    assert (0, ["made"], ["made"]) == (one.first, one.names, two.names)
    assert ({"a": [1, 2]}, {"a": [1]}, {"a": [1]}) == (one.counts, two.counts, Plain.counts)
    assert [] == Plain.names


def test_two_names_of_one_object_stay_one_object() -> None:
    """The copies are made together."""
    one = build_state(Plain)

    assert one.names is one.same


def test_class_variables_and_what_belongs_to_the_class_are_not_copied() -> None:
    """`ClassVar`, functions, classes, properties and modules stay on the class."""

    class Rich(Plain):
        other = threading
        kind = Counter
        helper = functools.partial(int, base=2)

        @property
        def size(self) -> int:
            return len(self.names)

        def method(self) -> int:
            return 1

        @staticmethod
        def static() -> int:
            return 2

    one = build_state(Rich)

    assert {"names", "counts", "same", "first"} == set(vars(one))
    assert one.shared is Plain.shared
    assert one.also_shared is Plain.also_shared
    assert (1, 1, 2) == (one.size, one.method(), one.static())


def test_a_subclass_inherits_initial_values() -> None:
    """The nearest class in the MRO wins."""

    class Sub(Plain):
        names = ["sub"]

    assert ["sub", "made"] == build_state(Sub).names
    assert ["sub"] == Sub.names


class Box:
    """A thing that can change, and that dataclasses take as a default since it can be hashed."""

    count = 0


BOX = Box()


@dataclass
class AsDataclass:
    """A dataclass, with a field of its own and an object shared by default."""

    names: list[str] = field(default_factory=list)
    box: Box = BOX


@dataclass(slots=True)
class AsSlots:
    """A class without a `__dict__`."""

    names: list[str] = field(default_factory=list)


@attrs.define(slots=False)
class AsAttrs:
    """An attrs class."""

    names: list[str] = attrs.field(factory=list)


class AsPydantic(BaseModel):
    """A pydantic model."""

    names: list[str] = []


class Describing(Protocol):
    """What a state may implement."""

    names: list[str]


class AsAbstract(ABC, Describing):
    """A class with what Python keeps in abstract ones."""

    names = []


@pytest.mark.parametrize("cls", [AsDataclass, AsSlots, AsAttrs, AsPydantic, AsAbstract])
def test_any_class_that_needs_no_arguments_can_be_a_state(cls: type) -> None:
    """Two instances share nothing."""
    one, two = build_state(cls), build_state(cls)
    one.names.append("x")

    assert (["x"], []) == (one.names, two.names)


def test_a_default_object_of_a_dataclass_is_not_shared() -> None:
    """What a generated constructor would share is copied after it."""
    one, two = build_state(AsDataclass), build_state(AsDataclass)
    one.box.count += 1

    assert (1, 0, 0) == (one.box.count, two.box.count, BOX.count)


def state_fault(state: type) -> str | None:
    """What an app says of the state of its workflow, if it refuses it."""

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class A:
        pass

    try:
        Thena(Workflow(steps=[A], state=state)(type("Flow", (), {})))
    except ContractError as error:
        return "\n".join(f"{finding.fault.code} {finding.fault.message}" for finding in error.findings)
    return None


def test_what_can_not_be_copied_is_refused_when_the_app_is_made() -> None:
    """The text names the attribute and two ways out."""

    class Locked:
        lock = threading.Lock()

    class Made:
        shared: ClassVar[object] = threading.Lock()

        def __init__(self) -> None:
            self.lock = threading.Lock()

    assert state_fault(Locked) == (
        "THN603 `Locked.lock` belongs to the state of workflow `Flow`, and can't be copied for each run. "
        "Set it in `__init__` of `Locked`, or annotate it as `ClassVar` for all runs to share it."
    )
    assert state_fault(Made) is None


@pytest.mark.filterwarnings("ignore:.*THN604")
def test_a_list_that_runs_would_share_for_want_of_a_place_is_refused() -> None:
    """An object of slots has no place for a copy of a class attribute; what can't be changed may be shared."""

    class Slotted:
        __slots__ = ("title",)
        notes: list[str] = []
        kinds = ("a", "b")

    class Fixed:
        __slots__ = ("title",)
        kinds = ("a", "b")

    class Pair(NamedTuple):
        first: int = 0
        notes: list[str] = []

    assert (state_fault(Slotted) or "").startswith("THN603 `Slotted.notes` belongs to the state of workflow `Flow`,")
    assert [None] * 5 == [state_fault(each) for each in (Fixed, Pair, AsSlots, dict, Counter)]


def test_what_can_not_be_copied_any_more_fails_the_run_with_its_name() -> None:
    """A class may be changed after the app was made."""

    class Changed:
        pass

    setattr(Changed, "lock", threading.Lock())  # noqa: B010 - the class has no such attribute

    with pytest.raises(TypeError, match=r"^`Changed\.lock` can't be copied for each run \(TypeError: "):
        build_state(Changed)


@pytest.mark.behaviour("T222", "T223", "T220")
async def test_everybody_in_a_run_has_the_same_object() -> None:
    """Agents, hooks, tools and `until` see what the others wrote."""
    seen: list[object] = []

    class Shared:
        rounds = 0
        files: list[str] = []

    @Tool(name="read", description="Read.")
    class Read:
        def execute(self, path: str, s: State[Shared]) -> str:
            seen.append(s)
            s.files.append(path)
            return path

    @Agent(provider=ScriptedProvider([tool_call("read", path="a"), "done"]), prompt=Prompt("p"), tools=[Read])
    class Reader:
        def __init__(self, s: State[Shared]) -> None:
            seen.append(s)
            self.s = s

        def after_response(self, response: str) -> None:
            self.s.rounds += 1

    def until(ctx: Context, s: Shared) -> bool:
        seen.append(s)
        return s.rounds == 2 and s.files == ["a"]

    @Workflow(steps=[loop([Reader], until=until)], state=Shared)
    class Flow:
        pass

    await record(Flow)

    assert (4, 1) == (len(seen), len({id(each) for each in seen}))
    assert [] == Shared.files


@pytest.mark.behaviour("T224")
async def test_every_run_has_its_own_state() -> None:
    """Runs at once and runs one after another begin with the initial values."""

    class Counting:
        values: list[int] = []

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class A:
        def __init__(self, s: State[Counting]) -> None:
            self.s = s

        def after_response(self, response: str) -> str:
            self.s.values.append(1)
            return str(self.s.values)

    @Workflow(steps=[A], state=Counting)
    class Flow:
        pass

    async with Thena(Flow) as app:
        assert ["[1]"] * 3 == await asyncio.gather(app.run("a"), app.run("b"), app.run("c"))
        assert "[1]" == await app.run("d")
