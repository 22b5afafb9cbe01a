"""Thena's entry: what a user would write, with every setting as it is by default."""

import asyncio
from importlib.metadata import version
from typing import Any  # what a run gives

from thena_runtime import (
    Agent,
    Completion,
    CompletionRequest,
    Emit,
    FunctionCall,
    Prompt,
    Thena,
    Tool,
    Workflow,
    loop,
    until_answered,
)

VERSION = version("thena")
COUNTERS = {"model": 0, "tool": 0}


class FakeModel:
    """It calls the tool once a turn, and reads from the last result how far it is. The prompt says how many turns."""

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer at once, or after the latency that the prompt asks for."""
        COUNTERS["model"] += 1
        messages = request.messages
        turns, latency = messages[1].content.split()
        if latency != "0.0":
            await asyncio.sleep(float(latency))
        last = messages[-1]
        done = int(last.content) if last.role == "tool" else 0
        if done == int(turns):
            return Completion(content="done")
        call = FunctionCall(id=f"c{done}", name="echo", arguments={"x": str(done + 1)})
        return Completion(content="", tool_calls=(call,))

    async def stream(self, request: CompletionRequest, emit: Emit) -> Completion:
        """Say as many pieces as the prompt asks for; the loop gets its turn now and then, as with a socket."""
        pieces = int(request.messages[1].content.split()[0])
        for index in range(pieces):
            emit("tok ")
            if index % 10 == 9:
                await asyncio.sleep(0)
        return Completion(content="tok " * pieces)

    async def close(self) -> None:
        """Nothing is open."""


@Tool(name="echo", description="Give back what was given.")
class Echo:
    """The one tool."""

    async def execute(self, x: str) -> str:
        """Give back what was given."""
        COUNTERS["tool"] += 1
        return x


@Agent(provider=FakeModel(), prompt=Prompt("You echo."))
class Speaker:
    """Answers in one turn."""


@Agent(provider=FakeModel(), prompt=Prompt("You echo."), tools=[Echo])
class Caller:
    """Calls its tool."""


@Workflow(steps=[Speaker])
class OneTurn:
    """One call of the model."""


@Workflow(steps=[loop([Caller], until=until_answered, max_iterations=None)])
class ManyTurns:
    """A turn for each call of the tool, and one for the answer."""


class Entry:
    """An entry: see `measure.py`."""

    def __init__(self) -> None:
        self.counters = COUNTERS
        self.one_turn = Thena(OneTurn)
        self.many_turns = Thena(ManyTurns)

    async def one(self, latency: float = 0.0) -> Any:
        """One turn."""
        return await self.one_turn.run(f"0 {latency}")

    async def tools(self, turns: int, latency: float = 0.0) -> Any:
        """Many turns."""
        return await self.many_turns.run(f"{turns} {latency}")

    async def stream(self, tokens: int) -> int:
        """An answer in pieces."""
        handle = self.one_turn.run(f"{tokens} 0.0")
        seen = len([token async for token in handle.text_stream()])
        await handle
        return seen


def make() -> Entry:
    """Make the entry."""
    return Entry()
