"""The context: the view of a run that user code may touch, and the way to it from anywhere inside the run.

Free fields are plain attributes (`ctx.attempts = 1`). The names that the runtime owns can be read and not written;
the runtime writes them through `facts_of`.
"""

import sys
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, cast, overload

from thena_contract.run_faults.outside_a_run import OutsideARun
from thena_runtime.budget.limits import RunUsage
from thena_runtime.conversation import Conversation
from thena_runtime.errors import OutsideRunError
from thena_runtime.messages import Completion, Message, ToolOutput
from thena_runtime.scope import CleanUp, CleanUps, RunScope
from thena_runtime.steps import LoopInfo, StoppedBy, Turn

if sys.version_info >= (3, 13):
    from typing import TypeVar
else:
    from typing_extensions import TypeVar

# A bare `Context` is one whose data has no declared type, so that `ctx.data["account"]` needs no cast.
D = TypeVar("D", default=Any)


@dataclass(slots=True, kw_only=True)
class ToolRecord:
    """One tool call, as a loop's brakes see it. One that is repeatable may give the same again and again."""

    name: str
    arguments: str
    output: str
    is_error: bool
    is_repeatable: bool


class Step(Protocol):
    """What an agent that defines `run` works with, while it does."""

    @property
    def prompt(self) -> str: ...

    async def chat(self, messages: Sequence[Message] | None, tools: Sequence[object] | None) -> Completion: ...

    async def call_tool(self, name: str, args: object) -> ToolOutput: ...


@dataclass(slots=True, kw_only=True)
class Facts:
    """What the runtime knows at a step, and writes. `calls` are the tool calls of the innermost loop's iteration."""

    scope: RunScope
    workflow: str
    clean_ups: CleanUps
    conversation: Conversation
    workflow_state: object
    turn: Turn | None = None
    output: object = None
    loop: LoopInfo | None = None
    calls: list[ToolRecord]
    # The last words that a model itself said, and whether `output` is a tool's result that no model has read.
    said: object = None
    is_raw: bool = False
    # What cut short the step that `output` comes from, or the run.
    cut: StoppedBy | None = None
    step: Step | None = None


class Context(Generic[D]):
    """What a run carries from step to step: its controls, the last outcomes, the conversation, and your own fields."""

    __slots__ = ("__dict__", "_facts")
    _facts: Facts

    def __init__(self, facts: Facts) -> None:
        object.__setattr__(self, "_facts", facts)

    @property
    def state(self) -> Conversation:
        """The conversation: what the model sees."""
        return self._facts.conversation

    @property
    def turn(self) -> Turn | None:
        """How the last turn went."""
        return self._facts.turn

    @property
    def output(self) -> Any:  # text, or whatever the step's agent declares or returns
        """What the last step gave: text, unless its agent has `output=` or a `run` of its own."""
        return self._facts.output

    @property
    def loop(self) -> LoopInfo | None:
        """How the last loop went."""
        return self._facts.loop

    @property
    def run_id(self) -> str:
        """The run's id, the same in each of its events."""
        return self._facts.scope.run_id

    @property
    def data(self) -> D:
        """What the run was started with. The model never sees it."""
        return cast(D, self._facts.scope.data)

    @property
    def cancelled(self) -> bool:
        """Whether the run was aborted."""
        return self._facts.scope.cancellation.is_requested

    async def wait_cancelled(self) -> None:
        """Wait until the run is aborted."""
        await self._facts.scope.cancellation.wait()

    @property
    def prompt(self) -> str:
        """The agent's prompt, in its own `run`."""
        return self._own_step("prompt").prompt

    async def chat(
        self, messages: Sequence[Message] | None = None, tools: Sequence[object] | None = None
    ) -> Completion:
        """Ask the agent's model, in the agent's own `run`. The conversation stays as it is.

        Args:
            messages: What is sent, as it is. Without it, the agent's prompt and the conversation.
            tools: Which of the agent's tools the model is told of, by name or as in `tools=`. Without it, all.
        """
        return await self._own_step("chat").chat(messages, tools)

    async def call_tool(self, name: str, args: object) -> ToolOutput:
        """Call one of the agent's tools, in the agent's own `run`. A failure is an output that is marked as one."""
        return await self._own_step("call_tool").call_tool(name, args)

    def _own_step(self, name: str) -> Step:
        step = self._facts.step
        if step is None:
            raise OutsideRunError(
                OutsideARun(
                    subject=f"ctx.{name}",
                    place="an agent's own `run`",
                    where="in the method `run(self, input, ctx)` of an agent, which then does the whole step",
                )
            )
        return step

    def stop(self) -> None:
        """End the run gracefully: this turn is finished, later ones are skipped, and the output so far is kept."""
        self._facts.scope.cancellation.is_stopping = True

    def usage(self) -> RunUsage:
        """Return what was spent so far: by the run with the nearest budget, or by the whole run without one."""
        return self._facts.scope.meter.account.usage()

    @property
    def budget(self) -> RunUsage | None:
        """What was spent of the budget so far, or `None` without one."""
        meter = self._facts.scope.meter
        return meter.account.usage() if meter.is_limited else None

    def abort(self, reason: object = None) -> None:
        """Abort the run at its next await. It raises `reason`, or a `RunAborted` around one that is no exception."""
        self._facts.scope.cancellation.abort(reason)

    def on_dispose(self, clean_up: CleanUp) -> None:
        """Have this called, and awaited, when the run ends; the last one first."""
        self._facts.clean_ups.add(clean_up)

    def meta(self, **data: object) -> None:
        """Add JSON values to the node of the run's tree that is open here."""
        self._facts.scope.recorder.add_to_open_node(data)

    def get(self, name: str, default: Any = None) -> Any:  # free fields have no declared type
        """Read a free field, or the default where it was never set."""
        return self.__dict__.get(name, default)

    def __getattr__(self, name: str) -> Any:  # free fields have no declared type
        raise AttributeError(
            f'`ctx.{name}` was never set in this run. Set it first, or read it with `ctx.get("{name}", default)`.',
            name=name,
            obj=self,
        )

    def __setattr__(self, name: str, value: object) -> None:
        if name in OWNED:
            raise AttributeError(f"`ctx.{name}` belongs to the runtime and can't be set. Choose another name.")
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        if name in OWNED:
            raise AttributeError(f"`ctx.{name}` belongs to the runtime and can't be deleted.")
        if name not in self.__dict__:
            self.__getattr__(name)
        del self.__dict__[name]

    def __repr__(self) -> str:
        return f"<Context of run {self.run_id}>"


# The last names are reserved before they mean something, so that they can come without breaking anybody's fields.
OWNED: Final = frozenset(name for name in vars(Context) if name != "__dict__") | {
    "signal",
    "__dict__",
}

_CURRENT: Final[ContextVar[Context[Any] | None]] = ContextVar("thena_context", default=None)


@overload
def current_context() -> Context[Any]: ...


@overload
def current_context(data: type[D]) -> Context[D]: ...


def current_context(data: type[D] | None = None) -> Context[Any]:
    """Return the context of the run that this code is part of; `data` only types `ctx.data`."""
    ctx = find_context()
    if ctx is None:
        raise OutsideRunError(
            OutsideARun(
                subject="current_context()",
                place="a run",
                where="in an agent, a tool, a hook or a provider factory, while `app.run(...)` goes on",
            )
        )
    return ctx


def find_context() -> Context[Any] | None:
    """Return the context of the run that this code is part of, or `None` outside: for the runtime alone."""
    return _CURRENT.get()


def enter(ctx: Context[Any] | None) -> Context[Any] | None:
    """Make a context the current one, and return the one that was, to be entered again afterwards."""
    outer = _CURRENT.get()
    _CURRENT.set(ctx)
    return outer


def facts_of(ctx: Context[Any]) -> Facts:
    """What the runtime may write: for the runtime alone."""
    return ctx._facts


def fields_of(ctx: Context[Any]) -> dict[str, object]:
    """The free fields: for the runtime alone."""
    return ctx.__dict__
