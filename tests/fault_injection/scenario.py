"""One run with everything in it: agents, tools sync and async, a loop, branches, a workflow inside the workflow.

Each run has a `Ledger` as its data, which counts its calls, makes the one that it is told to fail, and keeps what was
opened and closed.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from thena_runtime import (
    Agent,
    Completion,
    CompletionRequest,
    Context,
    Message,
    Prompt,
    ScriptedProvider,
    State,
    Tool,
    Workflow,
    current_context,
    loop,
    parallel,
    tool_call,
    until_answered,
)
from thena_runtime.testing import TreeNode


class BrokenModelError(Exception):
    """The fault that a model's call is given."""


class BrokenToolError(Exception):
    """The fault that a tool is given, where a test names no other."""


@dataclass
class Ledger:
    """What happened in one run. `fail_chat` and `fail_tool` are the numbers, from 1, of the calls that fail."""

    fail_chat: int | None = None
    fail_tool: int | None = None
    tool_fault: type[Exception] = BrokenToolError
    chats: int = 0
    tools: int = 0
    opened: list[str] = field(default_factory=list)
    cleaned: list[str] = field(default_factory=list)
    opening: Lock = field(default_factory=Lock)
    """Held while something is opened and its clean-up is promised, which is one thing."""

    providers_made: int = 0
    providers_closed: int = 0

    def chat(self) -> None:
        """Count a model's call, or fail it."""
        self.chats += 1
        if self.chats == self.fail_chat:
            raise BrokenModelError(f"model call {self.chats}")

    def tool(self, name: str, ctx: Context) -> None:
        """Count a tool, which opens something; or fail it when it has."""
        self.tools += 1
        resource = f"{name} {self.tools}"
        # A worker thread that was given up may come here after the end of the run, which then refuses the clean-up.
        with self.opening:
            ctx.on_dispose(lambda: self.clean(resource))
            self.opened.append(resource)
        if self.tools == self.fail_tool:
            raise self.tool_fault(f"tool call {self.tools}")

    def begun(self) -> tuple[int, list[str]]:
        """What was called so far; what runs in a worker thread is left out, for a thread begins when it likes."""
        return self.chats, [name for name in self.opened if not name.startswith("weigh")]

    async def clean(self, resource: str) -> None:
        """Clean up, in two steps with a wait between them."""
        await asyncio.sleep(0)
        self.cleaned.append(resource)
        await asyncio.sleep(0)


class CountingProvider:
    """A script whose calls the run's ledger counts."""

    def __init__(self, *turns: object) -> None:
        self._script = ScriptedProvider(turns)  # type: ignore[arg-type]
        self._ledger: Ledger = current_context().data
        self._ledger.providers_made += 1

    async def complete(self, request: CompletionRequest) -> Completion:
        """Play the next turn."""
        self._ledger.chat()
        return await self._script.complete(request)

    async def close(self) -> None:
        """Be counted."""
        self._ledger.providers_closed += 1


def model(*turns: object) -> Callable[[], CountingProvider]:
    """A factory that makes this script anew for each run."""
    return lambda: CountingProvider(*turns)


class Notes:
    """The workflow's state."""

    lines: list[str] = []


@Tool(name="look", description="Look at something.")
class Look:
    """An async tool."""

    async def execute(self, thing: str, ctx: Context, notes: State[Notes]) -> str:
        """Look."""
        await asyncio.sleep(0)
        ctx.data.tool(f"look {thing}", ctx)
        await asyncio.sleep(0)
        notes.lines.append(thing)
        return f"seen {thing}"


@Tool(name="weigh", description="Weigh something.")
class Weigh:
    """A sync tool, which runs in a worker thread."""

    def execute(self, thing: str, ctx: Context) -> str:
        """Weigh."""
        ctx.data.tool(f"weigh {thing}", ctx)
        return f"{len(thing)} kg"


@Agent(provider=model("a plan"), prompt=Prompt("Plan."))
class Planner:
    """Speaks once, and opens something of its own."""

    async def before_prompt(self, prompt: str, ctx: Context) -> None:
        """Open."""
        ctx.data.opened.append("planner")
        ctx.on_dispose(lambda: ctx.data.clean("planner"))
        await asyncio.sleep(0)

    async def after_response(self, response: str, ctx: Context) -> None:
        """Wait."""
        await asyncio.sleep(0)


@Agent(
    provider=model(tool_call("look", thing="door"), tool_call("weigh", thing="stone"), "worked"),
    prompt=Prompt("Work."),
    tools=[Look, Weigh],
)
class Worker:
    """Goes round a loop: two tools, then an answer."""


@Agent(provider=model(tool_call("look", thing="left")), prompt=Prompt("Left."), tools=[Look])
class Left:
    """A branch that calls a tool."""


@Agent(provider=model(tool_call("weigh", thing="right"), "right"), prompt=Prompt("Right."), tools=[Weigh])
class Right:
    """A branch that goes round a loop of its own."""


@Agent(provider=model(tool_call("look", thing="deep")), prompt=Prompt("Dig."), tools=[Look])
class Digger:
    """The agent of the nested workflow."""


@Workflow(steps=[Digger], state=Notes)
class Deep:
    """A workflow inside the workflow."""


@Agent(
    provider=model([tool_call("look", thing="sun"), tool_call("weigh", thing="moon"), tool_call("look", thing="sea")]),
    prompt=Prompt("All."),
    tools=[Look, Weigh],
    tool_calls="all",
)
class Collector:
    """Has three tools called at the same time."""


@Agent(provider=model("the end"), prompt=Prompt("End."))
class Closer:
    """Speaks last."""


async def worked(ctx: Context) -> bool:
    """An `until` that waits."""
    await asyncio.sleep(0)
    return until_answered(ctx)


@Workflow(
    steps=[
        Planner,
        loop([Worker], until=worked, max_iterations=4),
        parallel([Left, loop([Right], until=until_answered)]),
        Deep,
        Collector,
        Closer,
    ],
    state=Notes,
)
class Everything:
    """The run that the tests break in every place."""


CHATS = 10
TOOLS = 8


def texts(history: tuple[Message, ...]) -> list[tuple[str, str]]:
    """A history without the ids of its calls, to be compared with that of another run."""
    return [(message.role, message.content) for message in history]


def said(root: TreeNode) -> int:
    """How many messages a run has given its history, by what its tree tells.

    A model that has answered has said something, and each call in its answer is answered, though the tool be cut off. A
    branch gives nothing where another one failed, and a nested workflow gives its output alone.
    """
    return 1 + sum(_said(child) for child in root.children)


def _said(node: TreeNode) -> int:
    match node.kind:
        case "agent":
            return sum(1 + len(chat.children) for chat in node.children if chat.status == "ok" or chat.children)
        case "loop":
            return sum(_said(child) for child in node.children)
        case "parallel":
            return sum(_said(child) for child in node.children) if node.status != "error" else 0
        case "workflow":
            return 1 if node.status == "ok" else 0
    return 0
