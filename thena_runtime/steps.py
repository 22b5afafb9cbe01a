"""What a list of steps is written with: `loop`, `parallel`, and ready conditions for `until`.

These are values: nothing is checked here, so that the judge can report everything at once, with its place.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, Protocol, TypeAlias, TypeVar, overload

from thena_contract import vocabulary

S = TypeVar("S")


class _Missing(Enum):
    MISSING = "missing"


MISSING: Final = _Missing.MISSING
"""Stands for what wasn't given and has no default."""

StoppedBy: TypeAlias = Literal["until", "exhausted", "fails", "repeats", "budget", "stop"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """How an agent's turn went: `ctx.turn`.

    The tool is the one that was executed; `tool_call_source` tells a native call from one rescued out of the text.
    `finish_reason` tells an answer that was cut off, by a limit of tokens (`"length"`) or a filter of the provider's
    (`"content_filter"`), from one that the model ended itself.
    """

    called_tool: bool
    tool_name: str | None = None
    tool_error: bool = False
    tool_call_source: Literal["native", "rescued"] | None = None
    finish_reason: Literal["stop", "length", "content_filter"] = "stop"
    response: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopInfo:
    """How a loop went: `ctx.loop`. `exhausted` says that `max_iterations` ended it."""

    iterations: int
    exhausted: bool
    stopped_by: StoppedBy
    max_iterations: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopFailure:
    """A tool call that failed inside a loop: what `on_fail` is told.

    `consecutive` counts the failures since the last iteration whose calls all succeeded, `total` all of this loop.
    """

    consecutive: int
    total: int
    tool_name: str
    message: str


@dataclass(frozen=True, slots=True)
class _Block:
    """What a builder of a step was given, as it was written."""

    args: tuple[object, ...]
    options: Mapping[str, object]

    builder: ClassVar[str]
    defaults: ClassVar[Mapping[str, object]] = {}

    @property
    def steps(self) -> object:
        """The steps, by name or as the first argument; `MISSING` where there are none."""
        return self.options.get("steps", self.args[0] if self.args else MISSING)

    @property
    def extra(self) -> tuple[object, ...]:
        """What was given without a name beside the steps."""
        return self.args if "steps" in self.options else self.args[1:]

    @property
    def unknown(self) -> tuple[str, ...]:
        """The names of options that the builder doesn't have."""
        return tuple(name for name in self.options if name not in vocabulary.STEP_BUILDERS[self.builder])

    def option(self, name: str) -> object:
        """An option's value, or its default."""
        return self.options.get(name, self.defaults.get(name, MISSING))


class LoopBlock(_Block):
    """A loop as it was written."""

    __slots__ = ()
    builder = vocabulary.LOOP
    defaults = MappingProxyType(
        {
            "max_iterations": 10,
            "max_fails": 5,
            "max_repeats": 5,
            "on_exhausted": None,
            "on_fail": None,
            "state": None,
        }
    )


class ParallelBlock(_Block):
    """A `parallel` as it was written."""

    __slots__ = ()
    builder = vocabulary.PARALLEL


Step: TypeAlias = type | LoopBlock | ParallelBlock

# The context's class lives in a higher layer, and a user's lambda may read its free fields: `Any` is what it can be.
Until: TypeAlias = Callable[[Any], object | Awaitable[object]]
UntilWithState: TypeAlias = Callable[[Any, S], object | Awaitable[object]]
OnExhausted: TypeAlias = Callable[..., object]
OnFail: TypeAlias = Callable[..., object]


@overload
def loop(
    steps: Sequence[Step],
    *,
    until: UntilWithState[S],
    state: type[S],
    max_iterations: int | None = 10,
    max_fails: int | None = 5,
    max_repeats: int | None = 5,
    on_exhausted: OnExhausted | None = None,
    on_fail: OnFail | None = None,
) -> LoopBlock: ...


@overload
def loop(
    steps: Sequence[Step],
    *,
    until: Until,
    max_iterations: int | None = 10,
    max_fails: int | None = 5,
    max_repeats: int | None = 5,
    on_exhausted: OnExhausted | None = None,
    on_fail: OnFail | None = None,
    state: None = None,
) -> LoopBlock: ...


@overload
def loop(
    steps: Sequence[Step],
    *,
    until: UntilWithState[Any],
    max_iterations: int | None = 10,
    max_fails: int | None = 5,
    max_repeats: int | None = 5,
    on_exhausted: OnExhausted | None = None,
    on_fail: OnFail | None = None,
    state: None = None,
) -> LoopBlock: ...


def loop(*args: object, **options: object) -> LoopBlock:
    """Repeat the steps until `until(ctx)` or `until(ctx, state)` is true, or a brake stops them.

    Args:
        steps: What one iteration runs, in order.
        until: Asked after each iteration. Any true value ends the loop; an awaitable is awaited.
        max_iterations: How many iterations there may be. `None` switches a brake off.
        max_fails: How many tool calls may fail before an iteration without a failure.
        max_repeats: How often the same call, or the same pair of calls in turns, may give the same result in a row.
        on_exhausted: Called with `(ctx, iterations)` when `max_iterations` ended the loop.
        on_fail: Called with `(ctx, failure)` for each failed tool call.
        state: The workflow's state class, which types the second parameter of a lambda.
    """
    return LoopBlock(args, options)


@overload
def parallel(steps: Sequence[Step], /) -> ParallelBlock: ...


@overload
def parallel(*, steps: Sequence[Step]) -> ParallelBlock: ...


def parallel(*args: object, **options: object) -> ParallelBlock:
    """Run the steps at the same time, each with its own context and history, and merge them in this order."""
    return ParallelBlock(args, options)


class _HasTurn(Protocol):
    @property
    def turn(self) -> Turn | None: ...


class _HasLoop(Protocol):
    @property
    def loop(self) -> LoopInfo | None: ...


def turn_of(ctx: _HasTurn) -> Turn | None:
    """Return the last turn that ended, or `None` before the first."""
    return ctx.turn


def called_tool(ctx: _HasTurn) -> bool:
    """Say whether the last turn called a tool."""
    return ctx.turn is not None and ctx.turn.called_tool


def until_answered(ctx: _HasTurn) -> bool:
    """Say whether the model answered instead of calling a tool: a ready `until`."""
    return ctx.turn is not None and not ctx.turn.called_tool


def was_exhausted(ctx: _HasLoop) -> bool:
    """Say whether `max_iterations` ended the last loop."""
    return ctx.loop is not None and ctx.loop.exhausted
