"""What a type checker makes of a user's code: right code is clean under mypy's strictest, and each slip is seen."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SOURCE = """
from collections.abc import Awaitable, Callable

from thena_runtime import (
    Agent, AgentHooks, ChatInvocation, Completion, Context, Input, Message, OpenAIProvider, Plugin, Prompt,
    ScriptedProvider, State, Thena, Tool, ToolCall, ToolInvocation, ToolOutput, Workflow, current_context, loop,
    parallel, until_answered,
)


class S:
    approved = False


class Data:
    account = "acme"


@Tool(name="t", description="A tool.")
class T:
    async def execute(self, path: str, ctx: Context[Data], s: State[S], args: Input[S]) -> str:
        s.approved = args.approved
        return ctx.data.account


def model() -> OpenAIProvider:
    return OpenAIProvider()


async def later() -> ScriptedProvider:
    return ScriptedProvider(["ok"])


@Agent(provider=model, prompt="./a.agent.md", tools=[T, T(), model], sampling={"temperature": 0.5})
class A(AgentHooks):
    def __init__(self, s: State[S], extra: int = 1) -> None:
        self.s = s

    async def before_tool(self, call: ToolCall, ctx: Context, /) -> None:
        ctx.attempts = ctx.get("attempts", 0) + 1
        print(ctx.data["account"], ctx.anything.at.all)


@Agent(provider=later, prompt=Prompt("p"), tool_calls="all", output=S)
class B:
    async def run(self, input: str, ctx: Context) -> str:
        asked = await ctx.chat([Message("user", ctx.prompt)], tools=[T])
        return (await ctx.call_tool("t", {"path": asked.content})).content


@Tool(name="u", description="A tool.", schema={"type": "object"}, repeatable=True)
class U:
    async def execute(self, whole: dict[str, object]) -> None: ...


async def kept(call: ChatInvocation, go_on: Callable[[], Awaitable[Completion]]) -> Completion:
    call.messages.append(Message("user", "more"))
    return await go_on()


async def denied(call: ToolInvocation, go_on: Callable[[], Awaitable[ToolOutput]]) -> ToolOutput:
    return ToolOutput(f"{call.name} is denied", is_error=True)


@Agent(provider=OpenAIProvider, prompt=Prompt("p"))
class C: ...


@Workflow(
    steps=[
        loop([A], until=lambda ctx, s: s.approved, max_iterations=5),
        loop([A], until=lambda ctx, s: s.approved, state=S),
        loop([A], until=lambda ctx: ctx.turn is not None),
        parallel([B, C]),
        loop([C], until=until_answered),
    ],
    state=S,
)
class Flow: ...


async def main() -> None:
    made: A = A(S())
    approved: bool = made.s.approved
    output: str | None = await Thena(Flow).run("x", state={"memory": ["m"]})
    account: str = current_context(Data).data.account
    typed = Thena(Flow, output=S, data=Data)
    judged: bool = (await typed.run("x", data=Data())).approved
    typed.run("x", data={"account": "acme"})  # error: arg-type
    await typed.use(Plugin(name="p", chat=kept, tool=denied, on_event=print))
    typed.use(chat=kept).nothing  # error: attr-defined
    typed.use(tool=kept)  # error: arg-type


@Agent(provider=model)  # error: call-overload
class NoPrompt: ...


@Agent(provider=model, promt="x")  # error: call-overload
class Misspelt: ...


@Agent
class NoCall: ...  # error: call-overload


@Tool(name="t")  # error: call-overload
class NoDescription: ...


@Workflow(steps=[A, 3])  # error: list-item
class NoStep: ...


@Workflow(steps=[model])  # error: list-item
class NoAgent: ...


Thena(model)  # error: arg-type


@Agent(provider=model, prompt="x", sampling={"temprature": 1})  # error: call-overload
class MisspeltSampling: ...


loop([A], until=lambda ctx, s: s.aproved, state=S)  # error: attr-defined
loop([A])  # error: call-overload
"""


@pytest.mark.behaviour("W30")
def test_type_checkers_see_the_api_as_it_is(tmp_path: Path) -> None:
    """Decorators keep their class's type, aliases stand for what they mark, and a slip is an error on its line."""
    (tmp_path / "user.py").write_text(SOURCE, encoding="utf-8")
    expected = {
        (number, line.partition("# error: ")[2])
        for number, line in enumerate(SOURCE.splitlines(), start=1)
        if "# error: " in line
    }

    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={tmp_path / 'cache'}", "user.py"],
        cwd=tmp_path,
        env={"MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert expected == {(int(line.split(":")[1]), line.rpartition("[")[2].rstrip("]")) for line in errors}, done.stdout
