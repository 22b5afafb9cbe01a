"""Rows of the behaviour list about runs inside runs."""

import re

import pytest

from thena_runtime import (
    Agent,
    Context,
    Prompt,
    ScriptedProvider,
    Tool,
    Workflow,
    WorkflowRuntime,
    current_context,
    parallel,
    tool_call,
)
from thena_runtime.steps import Step
from thena_runtime.testing import record


def flow(*steps: Step) -> type:
    """A workflow of these steps."""

    @Workflow(steps=steps)
    class Flow:
        pass

    return Flow


def speaker(*turns: object, tools: tuple[object, ...] = ()) -> type:
    """An agent that plays these turns."""

    @Agent(provider=ScriptedProvider(turns), prompt=Prompt("p"), tools=tools)  # type: ignore[arg-type]
    class Speaker:
        pass

    return Speaker


@pytest.mark.behaviour("T278")
async def test_without_any_budget_a_nested_run_takes_all_its_turns() -> None:
    """A tool's workflow of six agents has six calls, and says nothing of a limit."""
    inner = flow(*[speaker("said")] * 6)

    @Tool(name="delegate", description="Have it done.")
    class Delegate:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(self) -> str:
            return str(await self.runtime.run(inner, "x"))

    run = await record(flow(speaker(tool_call("delegate"), tools=(Delegate,))))

    assert ["agent Speaker ok"] * 7 == re.findall("agent .*", run.tree)
    assert [7, 6] == [node.data["chat_calls"] for node in run.root.all("workflow")]


@pytest.mark.behaviour("W4")
async def test_after_a_nested_run_the_current_context_is_the_tools_own_again() -> None:
    """Tools that start runs at the same time, in two branches of a block, each have their own context all along."""
    seen: list[bool] = []
    inner = flow(speaker("said"))

    @Tool(name="delegate", description="Have it done.")
    class Delegate:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(self, ctx: Context) -> str:
            before = current_context() is ctx
            said = str(await self.runtime.run(inner, "x"))
            seen.append(before and current_context() is ctx)
            return said

    def branch() -> type:
        return speaker(tool_call("delegate"), tools=(Delegate,))

    await record(flow(branch(), parallel([branch(), branch()])))

    assert [True] * 3 == seen
