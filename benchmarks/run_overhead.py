"""CPU time of a run that a script answers, against the same turns written by hand in plain asyncio.

Nothing waits for a network, so that what is left is Thena's own work. Both sides ask the same `ScriptedProvider` and
call the same tool; the hand-written one checks nothing, records nothing and can't be aborted, so it is a floor and no
rival. The sides take turns within one run, so that a noisy machine disturbs both alike: read the ratios.
"""

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Awaitable, Callable

from thena_runtime import Agent, Prompt, ScriptedProvider, Thena, Tool, Workflow, loop, tool_call, until_answered
from thena_runtime.messages import Message, ToolSpec
from thena_runtime.providers.provider import CompletionRequest
from thena_runtime.providers.scripted import Turn

ANSWER: list[Turn] = ["done"]
TEN_TOOLS: list[Turn] = [*(tool_call("add", a=n, b=1) for n in range(10)), "done"]
PROMPT = "You add numbers."
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a", "b"],
}


@Tool(name="add", description="Add two numbers.")
class Add:
    """The one tool of both sides."""

    async def execute(self, a: int, b: int) -> str:
        """Add."""
        return str(a + b)


@Agent(provider=lambda: ScriptedProvider(ANSWER), prompt=Prompt(PROMPT))
class Speaker:
    """Answers in one turn."""


@Workflow(steps=[Speaker])
class OneTurn:
    """One call of the model."""


@Agent(provider=lambda: ScriptedProvider(TEN_TOOLS), prompt=Prompt(PROMPT), tools=[Add])
class Adder:
    """Calls its tool ten times, then answers."""


@Workflow(steps=[loop([Adder], until=until_answered, max_iterations=11)])
class TenTools:
    """Eleven calls of the model and ten of the tool."""


async def by_hand(script: list[Turn], tools: tuple[ToolSpec, ...]) -> str:
    """Do what the workflows do, with nothing around it."""
    provider = ScriptedProvider(script)
    add = Add()
    messages = [Message("system", PROMPT), Message("user", "go")]
    while True:
        completion = await provider.complete(CompletionRequest(messages=tuple(messages), tools=tools))
        messages.append(Message("assistant", completion.content, tool_calls=completion.tool_calls))
        if not completion.tool_calls:
            return completion.content
        call = completion.tool_calls[0]
        assert isinstance(call.arguments, dict)
        result = await add.execute(**call.arguments)
        messages.append(Message("tool", result, tool_call_id=call.id, tool_name=call.name))


async def cpu_seconds(run: Callable[[], Awaitable[object]], times: int) -> float:
    """Run so many times in a row and get the CPU time of one."""
    started = time.process_time()
    for _ in range(times):
        answer = await run()
        if answer != "done":
            raise SystemExit(f"a run gave {json.dumps(answer, default=str)} in place of its answer")
    return (time.process_time() - started) / times


async def measure(rounds: int) -> None:
    """Measure both sides of each case in turns, and print the table."""
    one_turn, ten_tools = Thena(OneTurn), Thena(TenTools)
    add = (ToolSpec(name="add", description="Add two numbers.", parameters=SCHEMA),)
    cases: list[tuple[str, int, Callable[[], Awaitable[object]], Callable[[], Awaitable[object]]]] = [
        ("one turn", 100, lambda: one_turn.run(prompt="go"), lambda: by_hand(ANSWER, ())),
        ("ten tools", 20, lambda: ten_tools.run(prompt="go"), lambda: by_hand(TEN_TOOLS, add)),
    ]
    print(
        f"{'CPU time, median of ' + str(rounds):24} {'Thena us':>10} {'by hand us':>11} {'ratio':>7} {'extra us':>10}"
    )
    for name, times, thena, hand in cases:
        for run in (thena, hand):
            await cpu_seconds(run, times)
        pairs = [(await cpu_seconds(thena, times), await cpu_seconds(hand, times)) for _ in range(rounds)]
        ours, floor = (statistics.median(side) * 1e6 for side in zip(*pairs, strict=True))
        print(f"{name:24} {ours:10.1f} {floor:11.1f} {ours / floor:7.1f} {ours - floor:10.1f}")


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="how often each side is measured (15)")
    asyncio.run(measure(parser.parse_args().rounds))


if __name__ == "__main__":
    main()
