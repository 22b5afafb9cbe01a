"""The typed floor: by hand as in `floor.py`, with messages that are pydantic models and arguments that are validated.

The least that a framework with types can cost.
"""

import asyncio
from typing import Literal

import pydantic

VERSION = f"pydantic {pydantic.VERSION}"


class Call(pydantic.BaseModel):
    """A model asks for a tool."""

    id: str
    name: str
    args: str


class Message(pydantic.BaseModel):
    """One entry of the conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    calls: list[Call] = []
    call_id: str | None = None


class Echo(pydantic.BaseModel):
    """What the tool takes."""

    x: str


class TypedFloor:
    """An entry: see `measure.py`."""

    def __init__(self) -> None:
        self.counters = {"model": 0, "tool": 0}
        self.functions = {"echo": (Echo, self.echo)}

    async def ask(self, messages: list[Message], turns: int, latency: float) -> Message:
        """Ask the fake model: it calls the tool once a turn, and reads from the last result how far it is."""
        self.counters["model"] += 1
        if latency:
            await asyncio.sleep(latency)
        last = messages[-1]
        done = int(last.content) if last.role == "tool" else 0
        if done == turns:
            return Message(role="assistant", content="done")
        call = Call(id=f"c{done}", name="echo", args=f'{{"x": "{done + 1}"}}')
        return Message(role="assistant", calls=[call])

    async def echo(self, x: str) -> str:
        """Give back what was given."""
        self.counters["tool"] += 1
        return x

    async def run(self, turns: int, latency: float) -> str:
        """Ask, call, ask again."""
        messages = [Message(role="system", content="You echo."), Message(role="user", content="go")]
        while True:
            answer = await self.ask(messages, turns, latency)
            messages.append(answer)
            if not answer.calls:
                return answer.content
            for call in answer.calls:
                model, function = self.functions[call.name]
                result = await function(model.model_validate_json(call.args).x)
                messages.append(Message(role="tool", content=result, call_id=call.id))

    async def one(self, latency: float = 0.0) -> str:
        """One turn."""
        return await self.run(0, latency)

    async def tools(self, turns: int, latency: float = 0.0) -> str:
        """Many turns."""
        return await self.run(turns, latency)


def make() -> TypedFloor:
    """Make the entry."""
    return TypedFloor()
