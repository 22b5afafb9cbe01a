"""The floor: the same turns written by hand in plain asyncio. It checks nothing, records nothing, can't be aborted."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any  # messages are JSON

Message = dict[str, Any]


class Floor:
    """An entry: see `measure.py`."""

    def __init__(self) -> None:
        self.counters = {"model": 0, "tool": 0}
        self.functions = {"echo": self.echo}

    async def ask(self, messages: list[Message], turns: int, latency: float) -> Message:
        """Ask the fake model: it calls the tool once a turn, and reads from the last result how far it is."""
        self.counters["model"] += 1
        if latency:
            await asyncio.sleep(latency)
        last = messages[-1]
        done = int(last["content"]) if last["role"] == "tool" else 0
        if done == turns:
            return {"role": "assistant", "content": "done"}
        arguments = f'{{"x": "{done + 1}"}}'
        return {"role": "assistant", "content": "", "calls": [{"id": f"c{done}", "name": "echo", "args": arguments}]}

    async def echo(self, x: str) -> str:
        """Give back what was given."""
        self.counters["tool"] += 1
        return x

    async def run(self, turns: int, latency: float) -> str:
        """Ask, call, ask again."""
        messages: list[Message] = [{"role": "system", "content": "You echo."}, {"role": "user", "content": "go"}]
        while True:
            answer = await self.ask(messages, turns, latency)
            messages.append(answer)
            if "calls" not in answer:
                return str(answer["content"])
            for call in answer["calls"]:
                result = await self.functions[call["name"]](**json.loads(call["args"]))
                messages.append({"role": "tool", "content": result, "id": call["id"]})

    async def one(self, latency: float = 0.0) -> str:
        """One turn."""
        return await self.run(0, latency)

    async def tools(self, turns: int, latency: float = 0.0) -> str:
        """Many turns."""
        return await self.run(turns, latency)

    async def stream(self, tokens: int) -> int:
        """An answer in pieces."""

        async def pieces() -> AsyncIterator[str]:
            for _ in range(tokens):
                yield "tok "

        return len([piece async for piece in pieces()])


def make() -> Floor:
    """Make the entry."""
    return Floor()
