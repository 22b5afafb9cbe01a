from __future__ import annotations

import asyncio
import typing as t

from thena_runtime import Agent, Context, LoopFailure, Prompt, ScriptedProvider, State, Tool, Workflow, loop, tool_call, was_exhausted

if t.TYPE_CHECKING:
    from collections.abc import Mapping


class Minutes:
    """Decisions and tasks of one meeting."""

    decisions: list[str] = []
    actions: dict[str, str] = {}
    warnings: list[str] = []


class Guard:
    """Callbacks of the loop, on an object."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.failures = 0

    async def enough(self, ctx: Context, minutes: Minutes) -> bool:
        await asyncio.sleep(0)
        return len(minutes.decisions) >= self.wanted

    def failed(self, ctx: Context, failure: LoopFailure) -> None:
        self.failures += 1
        ctx.state.append("memory", f"{failure.tool_name} failed")

    async def exhausted(self, ctx: Context, iterations: int) -> None:
        ctx.gave_up = iterations


guard = Guard(2)


@Tool(name="decide", description="Record a decision.")
class Decide:
    def execute(self, text: str, minutes: State[Minutes], owner: str | None = None) -> str:
        if not text:
            raise ValueError("a decision has a text")
        minutes.decisions.append(text)
        if owner:
            minutes.actions[owner] = text
        return "recorded"


@Agent(
    provider=ScriptedProvider([tool_call("decide", text=""), tool_call("decide", text="ship it", owner="ann")]),
    prompt=Prompt("Write the minutes."),
    tools=[Decide],
)
class Secretary:
    def __init__(self, minutes: State[Minutes]) -> None:
        self.minutes = minutes

    def before_prompt(self, prompt: str, ctx: Context) -> str | None:
        if was_exhausted(ctx):
            return prompt + " Be quick."
        return None


@Agent(provider=ScriptedProvider(["Sent to all."]), prompt=Prompt("Send the minutes."))
class Sender:
    def __init__(self, minutes: State[Minutes]) -> None:
        self.minutes = minutes

    def before_prompt(self, prompt: str) -> str:
        owners: Mapping[str, str] = self.minutes.actions
        return prompt + "".join(f"\n{owner}: {text}" for owner, text in owners.items())


@Workflow(
    state=Minutes,
    steps=[
        loop(
            steps=[Secretary],
            until=guard.enough,
            max_iterations=5,
            on_fail=guard.failed,
            on_exhausted=guard.exhausted,
        ),
        Sender,
    ],
)
class MinutesFlow: ...
