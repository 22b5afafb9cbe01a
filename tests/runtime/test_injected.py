"""Injection and the reader behind it: every way in which a parameter can ask, read from real modules."""

import importlib.util
import sys
import textwrap
from collections.abc import Iterator, Sized
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Optional, Protocol, TypeVar

import attrs
import pytest
from pydantic import BaseModel, ConfigDict

from thena_contract.anchor import Anchor, Ref
from thena_contract.declarations import UNKNOWN, ParamDecl, ParamKind, Request
from thena_contract.vocabulary import RequestKind
from thena_runtime import Agent, Context, Prompt, ScriptedProvider, State, VectorMemory, Workflow
from thena_runtime import context as context_marker
from thena_runtime import input as input_marker
from thena_runtime import memory as memory_marker
from thena_runtime import state as state_marker
from thena_runtime.build.signatures import read_method
from thena_runtime.testing import record

T = TypeVar("T")


class S:
    """A state."""

    value = "the state"


class Store:
    """A store of memories."""


class Proto(Protocol):
    """What a class may be without deriving from it."""


class Model(BaseModel):
    """A class that only its metaclass makes an ABC."""


Alias = Annotated[T, state_marker()]
Mine = State[S]


def requests(annotation: object) -> object:
    """What an agent's parameter with this annotation asks for."""

    class Asking:
        def __init__(self, p: object) -> None: ...

    Asking.__init__.__annotations__["p"] = annotation
    callee = read_method(Asking, "__init__")
    assert callee is not None
    return callee.params[0].requests


STATE = Request(RequestKind.STATE, Ref(S.__module__, "S"))
CONTEXT = Request(RequestKind.CONTEXT, is_marked=False)


@pytest.mark.parametrize(
    "annotation",
    [
        State[S],
        Annotated[S, state_marker],
        Annotated[S, state_marker()],
        Annotated[Annotated[S, state_marker()], "a remark"],
        Alias[S],
        Mine,
        State[S] | None,
        Optional[State[S]],  # noqa: UP045 - what a user may write
        State["S"],
        "State[S]",
        "State['S'] | None",
        "Mine",
        "Alias[S]",
    ],
    ids=str,
)
def test_every_way_to_ask_for_the_state(annotation: object) -> None:
    """Called or not, through aliases, optional, nested, and as a string in whole or in part."""
    assert (STATE,) == requests(annotation)


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (Context, (CONTEXT,)),
        (Context[dict[str, int]], (Request(RequestKind.CONTEXT, Ref("builtins", "dict"), is_marked=False),)),
        (Context[Any], (Request(RequestKind.CONTEXT, UNKNOWN, is_marked=False),)),
        ("Context", (CONTEXT,)),
        (Annotated[Context, context_marker()], (Request(RequestKind.CONTEXT),)),
        (Annotated[Context[S], context_marker()], (Request(RequestKind.CONTEXT, STATE.of),)),
        (Context | None, (CONTEXT,)),
        (VectorMemory, (Request(RequestKind.MEMORY, is_marked=False),)),
        (Annotated[dict, input_marker], (Request(RequestKind.INPUT, Ref("builtins", "dict")),)),
        (Annotated[object, memory_marker], (Request(RequestKind.MEMORY),)),
        (Annotated[object, memory_marker(Store)], (Request(RequestKind.MEMORY, Ref(Store.__module__, "Store")),)),
        (Annotated[S, state_marker, context_marker], (STATE, Request(RequestKind.CONTEXT))),
        *((State[each], (Request(RequestKind.STATE, UNKNOWN),)) for each in (Any, S | int, Proto, Sized, T)),
        (State[Model], (Request(RequestKind.STATE, Ref(__name__, "Model")),)),
        ("State[Missing]", (Request(RequestKind.STATE, UNKNOWN),)),
        ("Missing", UNKNOWN),
        ("missing.State[S]", UNKNOWN),
        (list[State[S]], ()),
        (State[S] | int, ()),
        (S, ()),
        (str, ()),
    ],
    ids=str,
)
def test_what_else_an_annotation_asks_for(annotation: object, expected: object) -> None:
    """A name that can't be evaluated is unknown alone, and not with what stands around it."""
    assert expected == requests(annotation)


def test_a_signature_is_told_without_self_and_anchored_where_it_is_defined() -> None:
    """Indexes count from 0; an inherited method stands in the base, and the subject is the declared class."""

    class Base:
        def execute(self, path: str, /, s: State[S], *rest: int, ctx: Context | None = None, **more: int) -> str:
            return ""

    class Child(Base):
        pass

    callee = read_method(Child, "execute")
    assert callee is not None
    assert callee.signature is not UNKNOWN
    anchor = Anchor(Ref(__name__, Base.__qualname__)).at("method", "execute")

    assert "Child.execute" == callee.signature.subject
    assert (
        ("path", 0, ParamKind.POSITIONAL_ONLY, False, ()),
        ("s", 1, ParamKind.POSITIONAL_OR_KEYWORD, False, (STATE,)),
        ("rest", 2, ParamKind.VAR_POSITIONAL, False, ()),
        ("ctx", 3, ParamKind.KEYWORD_ONLY, True, (CONTEXT,)),
        ("more", 4, ParamKind.VAR_KEYWORD, False, ()),
    ) == tuple(_told(param, anchor) for param in callee.params)


def _told(param: ParamDecl, anchor: Anchor) -> tuple[object, ...]:
    assert anchor.at(param.name) == param.anchor
    return (param.name, param.index, param.kind, param.has_default, param.requests)


async def given_to(agent: type) -> object:
    """Run an agent once, and return what it was made with (its `s`)."""
    made: list[object] = []

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Probe(agent):  # type: ignore[misc]
        def after_response(self, response: str) -> None:
            made.append(self.s)

    @Workflow(steps=[Probe], state=S)
    class Flow:
        pass

    await record(Flow)
    return made[0]


class Written:
    """An agent's base with a constructor of its own."""

    def __init__(self, s: State[S]) -> None:
        self.s = s


@dataclass
class AsDataclass:
    """An agent's base with a generated constructor."""

    s: State[S]
    other: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class AsFrozenDataclass:
    """The strictest kind of dataclass."""

    s: State[S]


@attrs.define
class AsAttrs:
    """A constructor that attrs generates."""

    s: State[S]


class AsPydantic(BaseModel):
    """A constructor that pydantic generates; the state is no pydantic type."""

    s: State[S]


@pytest.mark.parametrize("base", [Written, AsDataclass, AsFrozenDataclass, AsAttrs, AsPydantic])
async def test_generated_constructors_are_filled_too(base: type) -> None:
    """Dataclasses, attrs and pydantic agents ask like any other, inherited constructors included."""
    given = await given_to(base)

    assert isinstance(given, S)


async def test_pydantic_keeps_the_very_object() -> None:
    """A marked field is checked and never copied."""

    class Holding(BaseModel):
        model_config = ConfigDict(extra="forbid")
        s: State[S]

    state = S()

    assert state is Holding(s=state).s
    with pytest.raises(ValueError, match="instance of S"):
        Holding(s="no state")  # type: ignore[arg-type]


async def test_a_default_is_kept_where_nothing_can_be_given() -> None:
    """A state is optional by a default, in a workflow that declares none."""
    made: list[object] = []

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Taking:
        def __init__(self, s: State[S] | None = None, retries: int = 3) -> None:
            made.extend([s, retries])

    @Workflow(steps=[Taking])
    class Flow:
        pass

    await record(Flow)

    assert [None, 3] == made


async def test_a_state_may_be_false() -> None:
    """What is given is the workflow's object, however it compares."""
    made: list[object] = []

    class Empty(list[str]):
        pass

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Taking:
        def __init__(self, s: State[Empty]) -> None:
            made.append(s)

    @Workflow(steps=[Taking], state=Empty)
    class Flow:
        pass

    await record(Flow)

    assert isinstance(made[0], Empty)


# -- modules of their own, as users write them


@pytest.fixture
def load(tmp_path: Path) -> Iterator[object]:
    """Write a module and import it."""
    names: list[str] = []

    def load(name: str, source: str) -> ModuleType:
        path = tmp_path / f"{name}.py"
        path.write_text(textwrap.dedent(source), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        names.append(name)
        spec.loader.exec_module(module)
        return module

    yield load
    for name in names:
        del sys.modules[name]


HEAD = """
from __future__ import annotations
from dataclasses import dataclass
from thena_runtime import *

class S:
    value = "the state"
"""


async def test_string_annotations_of_a_whole_module(load: object) -> None:
    """`from __future__ import annotations` changes nothing, in constructors, fields and tools."""
    module = load(  # type: ignore[operator]
        "strings",
        HEAD
        + textwrap.dedent("""
        @Tool(name="look", description="Look.")
        class Look:
            async def execute(self, where: str, ctx: Context, s: State[S], times: int = 1) -> str:
                return f"{where} {times + 1} {s.value} {ctx.data['who']}"

        @Agent(provider=ScriptedProvider([tool_call("look", where="here")]), prompt=Prompt("p"), tools=[Look])
        @dataclass
        class A:
            s: State[S]

        @Workflow(steps=[A], state=S)
        class Flow: ...
        """),
    )

    assert "here 2 the state me" == (await record(module.Flow, data={"who": "me"})).output


async def test_names_of_an_enclosing_function_are_known(load: object) -> None:
    """Classes made inside a function may name its locals in string annotations."""
    module = load(  # type: ignore[operator]
        "inside",
        HEAD
        + textwrap.dedent("""
        def make():
            class Local:
                value = "local"

            class Outer:
                @Tool(name="look", description="Look.")
                class Look:
                    def execute(self, s: State[Local]) -> str:
                        return s.value

            class Base:
                def __init__(self, s: State[Local]) -> None:
                    self.s = s

            @Agent(provider=ScriptedProvider([tool_call("look")]), prompt=Prompt("p"), tools=[Outer.Look])
            class A(Base):
                def after_response(self, response):
                    return f"{response} {self.s.value}"

            @Workflow(steps=[A], state=Local)
            class Flow: ...

            return Flow
        """),
    )

    assert "local local" == (await record(module.make())).output


async def test_an_inherited_field_is_evaluated_where_it_stands(load: object) -> None:
    """The base's module knows the state, the subclass's doesn't."""
    load("base_module", HEAD + "\n@dataclass\nclass Base:\n    s: State[S]\n")  # type: ignore[operator]
    module = load(  # type: ignore[operator]
        "sub_module",
        """
        from __future__ import annotations
        from dataclasses import dataclass
        import base_module
        from thena_runtime import Agent, Prompt, ScriptedProvider, Workflow

        @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
        @dataclass
        class Sub(base_module.Base):
            more: int = 1

            def after_response(self, response: str) -> str:
                return self.s.value

        @Workflow(steps=[Sub], state=base_module.S)
        class Flow: ...
        """,
    )

    assert "the state" == (await record(module.Flow)).output


async def test_a_state_that_only_type_checkers_know_is_still_injected(load: object) -> None:
    """`State[...]` can be resolved though what stands inside it can't."""
    load("states", "class Hidden:\n    value = 'hidden'\n")  # type: ignore[operator]
    module = load(  # type: ignore[operator]
        "typed_only",
        """
        from __future__ import annotations
        from typing import TYPE_CHECKING
        from thena_runtime import *
        import states

        if TYPE_CHECKING:
            from states import Hidden

        @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
        class A:
            def __init__(self, s: State[Hidden]) -> None:
                self.s = s

            def after_response(self, response: str) -> str:
                return self.s.value

        @Workflow(steps=[A], state=states.Hidden)
        class Flow: ...
        """,
    )

    assert "hidden" == (await record(module.Flow)).output


if sys.version_info >= (3, 12):  # where the `type` statement exists

    async def test_type_statements_are_aliases(load: object) -> None:
        """PEP 695 aliases are read, generic and not."""
        module = load(  # type: ignore[operator]
            "aliases",
            HEAD
            + textwrap.dedent("""
            type Mine = State[S]
            type Of[X] = State[X]

            @Tool(name="look", description="Look.")
            class Look:
                def execute(self, s: Of[S] | None) -> str:
                    return s.value

            @Agent(provider=ScriptedProvider([tool_call("look")]), prompt=Prompt("p"), tools=[Look])
            class A:
                def __init__(self, s: Mine) -> None:
                    self.s = s

                def after_response(self, response: str) -> str:
                    return f"{response} {self.s.value}"

            @Workflow(steps=[A], state=S)
            class Flow: ...
            """),
        )

        assert "the state the state" == (await record(module.Flow)).output


async def test_a_type_alias_of_typing_extensions_is_read() -> None:
    """The same in Python 3.11, through the backport."""
    from typing_extensions import TypeAliasType

    generic = TypeAliasType("generic", State[T], type_params=(T,))  # type: ignore[misc, valid-type]

    assert (STATE,) == requests(generic[S])
    assert (STATE,) == requests(TypeAliasType("Mine", State[S]))


@pytest.mark.behaviour("T162", "T163")
def test_markers_are_values() -> None:
    """They are frozen and hashable, and a call without arguments changes nothing."""
    assert (state_marker, context_marker, input_marker, memory_marker) == (
        state_marker(),
        context_marker(),
        input_marker(),
        memory_marker(),
    )
    assert 2 == len({memory_marker(Store), memory_marker(Store), memory_marker})


async def test_a_tool_asks_in_any_of_these_ways(load: object) -> None:
    """A decorator renamed on import, and a tool whose `execute` is inherited, static, or wrapped."""
    module = load(  # type: ignore[operator]
        "renamed",
        HEAD
        + textwrap.dedent("""
        import functools
        import thena_runtime as th
        from thena_runtime import Agent as Actor, State as Shared

        def loud(function):
            @functools.wraps(function)
            def wrapped(*args, **kwargs):
                return function(*args, **kwargs).upper()
            return wrapped

        class Base:
            def execute(self, s: Shared[S]) -> str:
                return s.value

        @th.Tool(name="inherited", description="x")
        class Inherited(Base): ...

        @th.Tool(name="static", description="x")
        class Static:
            @staticmethod
            def execute(word: str, s: th.State[S]) -> str:
                return word + s.value

        @th.Tool(name="wrapped", description="x")
        class Wrapped:
            @loud
            def execute(self, word: str, s: State[S]) -> str:
                return word + s.value

        turns = [tool_call("inherited"), tool_call("static", word="a "), tool_call("wrapped", word="b ")]

        @Actor(provider=ScriptedProvider(turns), prompt=Prompt("p"), tools=[Inherited, Static, Wrapped])
        class A: ...

        @Workflow(steps=[loop([A], until=lambda ctx: False, max_iterations=3)], state=S)
        class Flow: ...
        """),
    )
    run = await record(module.Flow)

    assert ["the state", "a the state", "B THE STATE"] == [
        message.content for message in run.conversation.history if message.role == "tool"
    ]
