"""What start-up refuses and has no code for: where it says that it stands, and that what works is let through."""

import functools
import inspect
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Protocol, TypedDict

import pytest
from pydantic import BaseModel

from tests.support.refusals import flow, only_problem, problem, with_agent
from thena_runtime import (
    Agent,
    Context,
    ContractError,
    Input,
    Prompt,
    ScriptedProvider,
    State,
    Thena,
    Tool,
    VectorMemory,
    Workflow,
    context,
    input,
    loop,
    memory,
    parallel,
    state,
    tool_call,
    until_answered,
)

PROVIDER = ScriptedProvider(["ok"])
PROMPT = Prompt("p")


class S:
    """A state."""

    done = True


@Agent(provider=PROVIDER, prompt=PROMPT)
class A:
    """An agent without a fault."""


def line_of(text: str) -> tuple[str, int]:
    """Where a line of this file stands that begins with a text."""
    lines = [line.strip() for line in Path(__file__).read_text(encoding="utf-8").splitlines()]
    return __file__, next(number for number, line in enumerate(lines, 1) if line.startswith(text))


# -- where a problem stands


def test_a_problem_names_the_line_of_what_it_is_about() -> None:
    """The class, a parameter, an option of a workflow, or a function: each with its file and line, the text once."""

    @Agent(provider=PROVIDER)  # type: ignore[call-overload]
    class WithoutPrompt:
        pass

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class WithParameter:
        def __init__(
            self,
            unfilled_here: str,
        ) -> None: ...

    def undocumented_tool() -> None: ...

    @Workflow(
        steps=[A, loop([A], until=until_answered, max_fails=0)],
    )
    class Limited:
        pass

    assert line_of("class WithoutPrompt:") == only_problem(flow(WithoutPrompt)).place
    assert line_of("unfilled_here: str,") == only_problem(flow(WithParameter)).place
    assert line_of("def undocumented_tool()") == only_problem(with_agent(tools=[undocumented_tool])).place
    assert line_of("steps=[A, loop([A], until=until_answered, max_fails=0)],") == only_problem(Limited).place

    with pytest.raises(ContractError, match="WithoutPrompt") as caught:
        Thena(flow(WithoutPrompt, WithoutPrompt))
    path, line = line_of("class WithoutPrompt:")
    assert (
        "\n[thena] THN104 `WithoutPrompt` has no `prompt=`, so its model isn't told what to do. Give `@Agent` a file "
        'beside the class (`prompt="./WithoutPrompt.agent.md"`) or a text (`prompt=Prompt("...")`).'
        f"\n    {path}:{line}" == str(caught.value)
    )


# -- how many arguments a call takes


def only_context(function: Callable[..., object]) -> Callable[..., object]:
    """A wrapper that takes the context and nothing else, and gives the function a state of its own."""

    @functools.wraps(function)
    def wrapper(ctx: Context) -> object:
        return function(ctx, S())

    return wrapper


def handing_on(function: Callable[..., object]) -> Callable[..., object]:
    """A wrapper that hands on whatever it is given."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> object:  # whatever the function takes
        return function(*args, **kwargs)

    return wrapper


def context_and_more(function: Callable[..., object]) -> Callable[..., object]:
    """A wrapper that looks at the context and hands on the rest."""

    @functools.wraps(function)
    def wrapper(ctx: Context, *args: Any) -> object:  # whatever the function takes
        return function(ctx, *args)

    return wrapper


def is_done(ctx: Context, s: S) -> bool:
    """An `until` that needs the state."""
    return s.done


def is_over(ctx: Context) -> bool:
    """An `until` that needs the context."""
    return True


class Condition:
    """Callable objects and methods, wrapped like functions."""

    @handing_on
    def __call__(self, ctx: Context) -> bool:
        return True

    @handing_on
    def method(self, ctx: Context) -> bool:
        """A method behind a wrapper."""
        return True

    def anything(*args: object) -> bool:
        """A method that takes itself among others."""
        return True


class Described:
    """An object that says itself what it takes."""

    __signature__ = inspect.signature(is_over)

    def __call__(self, *args: Any) -> object:  # what the signature says
        return is_over(*args)

    @functools.cache  # noqa: B019 - the object lives as long as the tests
    def remembered(self, ctx: Context) -> bool:
        """A method behind a wrapper that isn't written in Python."""
        return True


RUNNABLE: dict[str, object] = {
    "a wrapper with a signature of its own": only_context(is_done),
    "a wrapper that hands on": handing_on(is_over),
    "two wrappers": handing_on(only_context(is_done)),
    "a wrapper that takes the context itself": context_and_more(is_over),
    "a partial of a wrapper": functools.partial(handing_on(is_done), s=S()),
    "a cached function": functools.cache(is_over),
    "a callable object behind a wrapper": Condition(),
    "a method behind a wrapper": Condition().method,
    "an object with a signature": Described(),
    "a cached method": Described().remembered,
    "a function for many types": functools.singledispatch(is_over),
    "a method of anything": Condition().anything,
}


@pytest.mark.parametrize("name", RUNNABLE)
@pytest.mark.parametrize("declared", [None, S], ids=["without state", "with state"])
def test_until_is_called_with_what_it_can_take(name: str, declared: type | None) -> None:
    """What a wrapper takes, and not what it wraps, decides: start-up refuses none of these, and each call works."""
    app = Thena(flow(loop([A], until=RUNNABLE[name]), state=declared))  # type: ignore[call-overload]

    assert "ok" == app.run_sync("hi")


@pytest.mark.parametrize("until", [is_done, handing_on(is_done), context_and_more(is_done)])
def test_an_until_that_needs_the_state_is_told_behind_a_wrapper_too(until: Callable[..., object]) -> None:
    """A wrapper that hands on needs what it wraps needs."""
    with pytest.raises(ContractError) as caught:
        Thena(flow(loop([A], until=until)))

    assert ["THN301"] == [finding.fault.code for finding in caught.value.findings]
    assert "ok" == Thena(flow(loop([A], until=until), state=S)).run_sync("hi")


def test_a_wrapper_of_a_tool_or_a_hook_counts_as_itself() -> None:
    """One with a signature of its own isn't given what it can't take, and one that hands on is given everything."""

    def without_state(function: Callable[..., object]) -> Callable[..., object]:
        @functools.wraps(function)
        def wrapper(self: object, path: str) -> object:
            return function(self, path, S())

        return wrapper

    def by_name(function: Callable[..., object]) -> Callable[..., object]:
        @functools.wraps(function)
        def wrapper(anybody: object, **kwargs: Any) -> object:  # whatever the function takes
            return function(anybody, **kwargs)

        return wrapper

    def unwrapped(function: Callable[..., object]) -> Callable[..., object]:
        def wrapper(*args: Any) -> object:  # whatever the function takes
            return function(*args[:2])

        return wrapper

    @Tool(name="first", description="x")
    class First:
        @without_state
        def execute(self, path: str, s: State[S]) -> str:
            return f"read {path}"

    @Tool(name="second", description="x")
    class Second:
        @by_name
        def execute(self, path: str, ctx: Context) -> str:
            return f"read {path} in {len(ctx.state.history)}"

    script = ScriptedProvider([tool_call("first", path="a"), tool_call("second", path="b")])

    @Agent(provider=script, prompt=PROMPT, tools=[First, Second])
    class Reader:
        @unwrapped
        def after_response(self, response: str) -> str:
            return f"{response}!"

    assert "read b in 3!" == Thena(flow(Reader, Reader)).run_sync("hi")
    assert ["path"] == list(script.calls[0].tools[0].parameters["properties"])


def test_a_wrapper_that_awaits_an_async_tool_may_be_any_function() -> None:
    """An async wrapper around a function, and a function that gives a finished answer in the place of a coroutine."""

    def answering(function: Callable[..., object]) -> Callable[..., object]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> object:  # whatever the function takes
            return "from a cache"

        return wrapper

    @answering
    async def look() -> str:
        """Look."""
        return "looked"

    app = Thena(with_agent(provider=ScriptedProvider([tool_call("look")]), tools=[look]))

    assert "from a cache" == app.run_sync("hi")


# -- tools that are made already


def test_nothing_is_filled_in_the_constructor_of_a_tool_that_is_made() -> None:
    """An instance may have been made with anything, and its class is judged only where the class is used."""

    @Tool(name="add", description="Add.")
    class Add:
        def __init__(self, c: Context, number: int) -> None:
            self.number = number

        def execute(self) -> int:
            return self.number

    script = ScriptedProvider([tool_call("add")])
    made = Add(None, 3)  # type: ignore[arg-type]

    assert "3" == Thena(with_agent(provider=script, tools=[made])).run_sync("hi")
    with pytest.raises(ContractError) as caught:
        Thena(flow(Agent(provider=script, prompt=PROMPT, tools=[Add])(type("B", (), {}))))
    assert ["THN202", "THN208"] == [finding.fault.code for finding in caught.value.findings]


# -- markers


def test_a_marker_as_a_default_value_is_refused() -> None:
    """In constructors, `execute`, hooks, `run`, conditions and states: the text shows how it is written."""

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class InConstructor:
        def __init__(self, s: S = state()) -> None: ...  # type: ignore[assignment]  # noqa: B008 - as others write it

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class Twice:
        def __init__(self, s: State[S] = state) -> None: ...  # type: ignore[assignment]

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class InHook:
        def before_prompt(self, prompt: str, ctx: Context = context) -> None: ...  # type: ignore[assignment]

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class InRun:
        def run(self, text: str, m: VectorMemory = memory) -> None: ...  # type: ignore[assignment]

    @Tool(name="t", description="x")
    class InTool:
        def execute(self, args: dict[str, int] = input) -> None: ...  # type: ignore[assignment]

    @Tool(name="t", description="x")
    class Alone:
        def execute(self, s: state()) -> None: ...  # type: ignore[valid-type]

    class Wanting:
        def __init__(self, s: S = state) -> None: ...  # type: ignore[assignment]

    def on_fail(ctx: Context, failure: object = state) -> None: ...

    default, annotation = "has a marker as its default value", "has a marker alone as its annotation"
    for workflow, subject, fact, written in (
        (flow(InConstructor, state=S), "`InConstructor.__init__` parameter 0 `s`", default, "s: State[S]"),
        (flow(Twice, state=S), "`Twice.__init__` parameter 0 `s`", default, "s: State[S]"),
        (flow(InHook), "`InHook.before_prompt` parameter 1 `ctx`", default, "ctx: Context"),
        (flow(InRun), "`InRun.run` parameter 1 `m`", default, "m: Annotated[VectorMemory, memory]"),
        (with_agent(tools=[InTool]), "`InTool.execute` parameter 0 `args`", default, "args: Input[Model]"),
        (with_agent(tools=[Alone]), "`Alone.execute` parameter 0 `s`", annotation, "s: State[S]"),
        (flow(A, state=Wanting), "`Wanting.__init__` parameter 0 `s`", default, "s: State[S]"),
        (
            flow(loop([A], until=until_answered, on_fail=on_fail)),
            "`steps[0].on_fail` parameter 1 `failure`",
            default,
            "failure: State[S]",
        ),
    ):
        told = problem(workflow)
        assert told.startswith(f"THN206 {subject} {fact}, where it asks for nothing. ")
        assert told.endswith(f", as `{written}`.")
    with pytest.raises(ContractError) as caught:
        Thena(flow(InConstructor, state=S))
    assert [line_of("def __init__(self, s: S = state())")] == [
        (place.path, place.line) for place in caught.value.places.values()
    ]


def test_a_marker_in_an_annotation_may_have_any_other_default() -> None:
    """A default that is no marker is kept where there is nothing to be given."""

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class Modest:
        def __init__(self, s: State[S] | None = None, t: Annotated[S, state] = S()) -> None: ...  # noqa: B008

    assert "ok" == Thena(flow(Modest)).run_sync("hi")


# -- prompts


@pytest.mark.parametrize("prompt", ["You are a critic. " * 100, "a\0b", "flow.py/x.md"], ids=["long", "zero", "file"])
def test_a_prompt_that_can_be_no_file_is_not_found(prompt: str) -> None:
    """A text in the place of a path is THN105, however long it is."""
    with pytest.raises(ContractError) as caught:
        Thena(with_agent(prompt=prompt))

    assert ["THN105"] == [finding.fault.code for finding in caught.value.findings]


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that can be opened and not be read")
def test_a_prompt_file_that_can_not_be_read_is_named() -> None:
    """The text says which file it is, and why."""
    assert (
        "the prompt file of `A` can't be read (Input/output error: /proc/self/mem). "
        "Let whoever runs this read it, or name another file." == problem(with_agent(prompt="/proc/self/mem"))
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs another user, or a folder that shuts its owner out")
def test_a_prompt_in_a_folder_that_can_not_be_entered_is_named(tmp_path: Path) -> None:
    """Whether the file is there can't be known, so it isn't called missing."""
    folder = tmp_path / "shut"
    folder.mkdir()
    source = (
        "import os, sys\n"
        "from thena_runtime import *\n"
        "if os.getuid() == 0:\n"
        "    from thena_runtime.app import Thena\n"  # what is loaded late is loaded while it may be read
        "    ScriptedProvider, Agent, Workflow\n"
        "    os.setuid(65534)\n"
        "@Agent(provider=ScriptedProvider(['x']), prompt=sys.argv[1])\n"
        "class A:\n"
        "    __module__ = 'thena_runtime'\n"  # this source stands in no file
        "@Workflow(steps=[A])\n"
        "class Flow: ...\n"
        "try:\n"
        "    Thena(Flow)\n"
        "except ValueError as error:\n"
        "    print(error.problems[0].text)\n"
    )
    folder.chmod(0)
    try:
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                source,
                folder / "x.md",
            ],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        folder.chmod(0o700)

    assert "" == done.stderr
    assert (
        f"the prompt file of `A` can't be read (Permission denied: {folder / 'x.md'}). "
        "Let whoever runs this read it, or name another file.\n" == done.stdout
    )


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (3, "THN117 `prompt` of `A` is `3`."),
        ("", "THN104 `A` has an empty prompt,"),
        (" \n", "THN104 `A` has an empty prompt,"),
        (None, "THN117 `prompt` of `A` is `None`."),
    ],
)
def test_an_inline_prompt_is_a_text(text: object, what: str) -> None:
    """One that is empty, or no text at all, tells a model nothing."""
    assert problem(with_agent(prompt=Prompt(text))).startswith(what)  # type: ignore[arg-type]


# -- decorators on functions


def test_a_decorator_for_classes_on_a_function_is_refused() -> None:
    """It would be ignored: with its call or without, of a tool or of anything else."""

    @Tool(name="remember", description="Remember.")  # type: ignore[arg-type]
    def note(text: str) -> str:
        """Write a note."""
        return text

    @Tool  # type: ignore[call-overload]
    def bare(text: str) -> str:
        return text

    @Agent(provider=PROVIDER, prompt=PROMPT)  # type: ignore[arg-type]
    def helper() -> None:
        """Help."""

    repair = "Take `@Tool` away: a function is a tool as it is, and a model is told its name and docstring."
    for function, name in ((note, "note"), (bare, "bare")):
        assert f"THN113 `{name}` is a function and has `@Tool`, which is for classes. {repair}" == problem(
            with_agent(tools=[function])
        )
    assert (
        "THN113 `helper` is a function and has `@Agent`, which is for classes. "
        "Take `@Agent` away, and write a class in the place of the function." == problem(with_agent(tools=[helper]))
    )
    assert line_of("def note(text") == only_problem(with_agent(tools=[note])).place


# -- arguments of `loop` and `parallel`

NAMELESS = (
    "is given more than its list of steps without a name. Write all steps in one list, and each option by its name"
)


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (
            lambda: loop([A], lambda ctx: True),  # type: ignore[call-overload]
            f"THN116 `loop` at `steps[0]` of `Flow` {NAMELESS}: `loop([A, B], until=...)`.",
        ),
        (
            lambda: parallel(A, A),  # type: ignore[call-overload]
            f"THN116 `parallel` at `steps[0]` of `Flow` {NAMELESS}: `parallel([A, B])`.",
        ),
        (
            lambda: loop(A, A, until=until_answered),  # type: ignore[call-overload]
            f"THN116 `loop` at `steps[0]` of `Flow` {NAMELESS}: `loop([A, B], until=...)`.",
        ),
        (
            lambda: loop([A], untill=until_answered),  # type: ignore[call-overload]
            "THN110 `untill` is no option of `loop` at `steps[0]` of `Flow`. Use `until` instead.",
        ),
        (
            lambda: parallel([A], limit=3),  # type: ignore[call-overload]
            "THN110 `limit` is no option of `parallel` at `steps[0]` of `Flow`. Use only `steps`.",
        ),
    ],
    ids=["until by position", "steps in no list", "loop of steps in no list", "misspelt", "unknown"],
)
def test_arguments_of_a_step_are_told_like_every_other_fault(step: Callable[[], object], text: str) -> None:
    """The text says where, and how it is written."""
    assert text == problem(flow(step()))


# -- what never does what is meant


def test_a_generator_is_refused_where_an_answer_is_wanted() -> None:
    """It counts as true, is never awaited, and nothing in it ever runs."""

    def until(ctx: Context) -> Iterator[bool]:
        yield False

    async def until_later(ctx: Context) -> AsyncIterator[bool]:
        yield False

    class Until:
        def __call__(self, ctx: Context) -> Iterator[bool]:
            yield False

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class Hooked:
        async def before_prompt(self, prompt: str) -> AsyncIterator[str]:
            yield prompt

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class Own:
        def run(self, text: str) -> Iterator[str]:
            yield text

    def factory() -> Iterator[ScriptedProvider]:
        yield PROVIDER

    for each in (until, until_later, Until(), functools.partial(until)):
        assert problem(flow(loop([A], until=each))).startswith("THN505 `steps[0].until` is a generator")
    assert "THN505 `steps[0].on_fail` is a generator" in problem(flow(loop([A], until=until_answered, on_fail=until)))
    assert "THN505 `Hooked.before_prompt` is a generator, because it has a `yield`" in problem(flow(Hooked))
    assert "THN505 `Own.run` is a generator, because it has a `yield`" in problem(flow(Own))
    assert problem(with_agent(provider=factory)).startswith(
        "THN106 `A` has the function `factory` as its provider, which is a generator: it yields what it should return."
    )


def test_a_generator_behind_what_makes_an_answer_of_it_is_fine() -> None:
    """A wrapper may collect what a generator yields."""

    def last(function: Callable[..., Iterator[object]]) -> Callable[..., object]:
        @functools.wraps(function)
        def wrapper(*args: object) -> object:
            return list(function(*args))[-1]

        return wrapper

    def until(ctx: Context) -> Iterator[bool]:
        yield False
        yield True

    assert "ok" == Thena(flow(loop([A], until=last(until)))).run_sync("hi")


def test_a_class_as_until_is_refused_unless_its_objects_can_be_false() -> None:
    """An object without `__bool__` counts as true whatever happened."""

    class Done:
        def __init__(self, ctx: Context) -> None: ...

    class Asking(Done):
        def __bool__(self) -> bool:
            return True

    assert (
        "THN309 `steps[0].until` of workflow `Flow` is a class, and each object that is made of it counts as true, "
        "so the loop ends after its first iteration. Give it a function of `(ctx)` or `(ctx, state)`, "
        "or an object that can be called." == problem(flow(loop([A], until=Done)))
    )
    assert "ok" == Thena(flow(loop([A], until=Asking))).run_sync("hi")


class Unfinished(ABC):
    """A class that leaves a method open."""

    @abstractmethod
    def think(self) -> None:
        """Left open."""


class Named(NamedTuple):
    """A class whose `__new__` needs an argument."""

    x: int


class Colour(Enum):
    """A class with its members and no other instance."""

    RED = 1


class Shape(Protocol):
    """A class that only describes others."""

    x: int


class Model(BaseModel):
    """A class with a generated constructor that needs an argument."""

    x: int


class Keys(TypedDict):
    """A class that only describes dicts."""

    x: int


@pytest.mark.parametrize(
    ("cls", "reason"),
    [
        (Unfinished, "which is abstract: it leaves `think` to its subclasses"),
        (Colour, "an `Enum`, which has its members and no other objects"),
        (Shape, "a `Protocol`, which only describes other classes"),
        (Keys, "a `TypedDict`, which only describes dicts"),
        (Named, "which can't be made without `x`"),
        (Model, "which can't be made without `x`"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_a_state_that_can_not_be_made_is_refused(cls: type, reason: str) -> None:
    """What Python would say inside the first run is said when the app is made."""
    assert (
        f"THN601 `state=` of workflow `Flow` is `{cls.__name__}`, {reason}, and every run makes an object of it. "
        "Give it a class that can be made without arguments." == problem(flow(A, state=cls))
    )


def test_agents_and_tools_that_can_not_be_made_are_refused() -> None:
    """A tool that is made already needn't be made again."""

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class Thinker(Unfinished):
        pass

    @Tool(name="t", description="x")
    class Abstract(Unfinished):
        def execute(self) -> None: ...

    @Tool(name="t", description="x")
    class Numbered(Named):
        def execute(self) -> None: ...

    open_method = "is abstract: it has no `think` of its own, so a run can't make an object of it. "
    repair = "Use a class that is complete."
    assert f"THN115 `Thinker` {open_method}{repair}" == problem(flow(Thinker))
    assert f"THN115 `Abstract` {open_method}{repair}" == problem(with_agent(tools=[Abstract]))
    assert problem(with_agent(tools=[Numbered])) == (
        "THN208 `Numbered.__new__` parameter 0 `x` is required, and nothing fills it. "
        "Give it a default, or take it out."
    )
    assert "ok" == Thena(with_agent(tools=[Numbered(3)])).run_sync("hi")


class Singleton(type):
    """A metaclass that decides itself how instances are made."""

    def __call__(cls, *args: object, **kwargs: object) -> object:
        return cls.__new__(cls, 3)  # type: ignore[call-overload]


def test_classes_that_are_made_in_their_own_way_are_let_through() -> None:
    """A metaclass may give what `__new__` needs, a subclass may finish what was abstract, and a dict is a state."""

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class Own(metaclass=Singleton):
        def __new__(cls, number: int) -> "Own":
            return super().__new__(cls)

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class Finished(Unfinished):
        def think(self) -> None: ...

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class New:
        def __new__(cls, s: object) -> "New":
            return super().__new__(cls)

        def __init__(self, s: State[dict]) -> None:  # type: ignore[type-arg]
            self.s = s

    assert "ok" == Thena(flow(Own, Finished, New, state=dict)).run_sync("hi")


def test_the_input_of_a_tool_is_still_the_marker() -> None:
    """`input` can be imported by its name, and means what it meant."""

    @Tool(name="t", description="x")
    class T:
        def execute(self, args: Annotated[dict, input], more: Input[dict] | None = None) -> None: ...  # type: ignore[type-arg]

    assert problem(with_agent(tools=[T])).startswith("THN207 `T.execute` takes the whole input as `args`")
