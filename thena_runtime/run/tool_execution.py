"""The inner half of a tool call, through the tool chain: the app's middlewares, the policy on failures, the tool.

The outer half (the node, the agent's hooks, calls that can't be made) is `thena_runtime.run.tool_call`'s.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from thena_contract.vocabulary import RequestKind
from thena_runtime.budget.meter import BudgetCut
from thena_runtime.build.schema import Arguments, ArgumentsError, as_text
from thena_runtime.endings import as_seen_here
from thena_runtime.injection.fill import fill
from thena_runtime.messages import ToolOutput
from thena_runtime.middleware.chain import Checks, compose
from thena_runtime.middleware.invocation import ToolInvocation, ToolMiddleware
from thena_runtime.middleware.tool_errors import observed
from thena_runtime.run.handed_back import flaw_of_output
from thena_runtime.run.live_tool import LiveTool
from thena_runtime.run.tool_threads import call_in_thread
from thena_runtime.run_context import Context, facts_of


@dataclass(slots=True, kw_only=True)
class _Execution(ToolInvocation):
    tool: LiveTool
    validated: Arguments
    fixed: tuple[str, object, Context]


ToolChain: TypeAlias = Callable[[_Execution], Awaitable[ToolOutput]]


def tool_chain(layers: Sequence[ToolMiddleware]) -> ToolChain | None:
    """Put the middlewares around every execution; `None` where there are none, and then no invocation is made."""
    return compose(layers, _run, Checks(sent=_check_sent, answered=_check_answered)) if layers else None


async def execute_tool(
    chain: ToolChain | None, agent: object, tool: LiveTool, arguments: Arguments, ctx: Context
) -> tuple[ToolOutput, Mapping[str, Any]]:  # the arguments have whatever types the tool declares
    """Execute a tool, and return its output and the arguments that it was given in the end."""
    if chain is None:
        return await run_tool(tool, arguments, ctx), arguments.by_name
    execution = _Execution(
        name=tool.node.spec.name,
        args=dict(arguments.by_name),
        agent=agent,
        ctx=ctx,
        tool=tool,
        validated=arguments,
        fixed=(tool.node.spec.name, agent, ctx),
    )
    output = await chain(execution)
    return output, execution.validated.by_name


async def _run(execution: _Execution) -> ToolOutput:
    try:
        return await run_tool(execution.tool, execution.validated, execution.ctx)
    except BudgetCut as cut:
        # A middleware may have gone on in a task of its own.
        raise as_seen_here(cut, facts_of(execution.ctx), "result") from None


def _check_sent(execution: _Execution, layer: str) -> None:
    """Validate the arguments again where a middleware put others in their place."""
    subject = f"[thena] tool middleware `{layer}`"
    name, agent, ctx = execution.fixed
    if execution.name != name or execution.agent is not agent or execution.ctx is not ctx:
        raise TypeError(f"{subject} changed `name`, `agent` or `ctx`. Change `args` alone.")
    before: Mapping[str, object] = execution.validated.by_name
    now: object = execution.args
    if not isinstance(now, dict):
        raise TypeError(f"{subject} handed on `args` of type `{type(now).__name__}`. Give a dict of arguments by name.")
    if before.keys() == now.keys() and all(now[name] is value for name, value in before.items()):
        return
    try:
        execution.validated = execution.tool.node.input.validate(now)
    except ArgumentsError as error:
        raise ValueError(f"{subject} set arguments that don't fit tool `{name}`: {error}") from None
    execution.args = dict(execution.validated.by_name)


def _check_answered(execution: _Execution, answer: object, layer: str) -> None:
    if not isinstance(answer, ToolOutput):
        raise TypeError(
            f"[thena] tool middleware `{layer}` returned a value of type `{type(answer).__name__}`. "
            "Return what `await next()` gave, or a `ToolOutput(content)`."
        )
    flaw = flaw_of_output(answer)
    if flaw is not None:
        raise TypeError(f"[thena] tool middleware `{layer}` returned {flaw}")


async def run_tool(tool: LiveTool, arguments: Arguments, ctx: Context) -> ToolOutput:
    """The core of the chain: the one place where a tool is executed. Its failure is an observation."""
    count_call(ctx)
    try:
        return await _execute(tool, arguments, ctx)
    except BaseException as error:
        output = observed(error)
        if output is None:
            raise
        witness = facts_of(ctx).scope.recorder.witness
        if witness is not None:
            witness.raised(error)
        return output


def count_call(ctx: Context) -> None:
    """Count a call of a tool, or end the run where the budget has no room for it."""
    scope = facts_of(ctx).scope
    try:
        scope.meter.count_tool()
    except BudgetCut:
        scope.recorder.skip_open_node()
        raise


async def _execute(tool: LiveTool, arguments: Arguments, ctx: Context) -> ToolOutput:
    sources: dict[RequestKind, object] = {RequestKind.CONTEXT: ctx, RequestKind.INPUT: arguments.whole}
    state = facts_of(ctx).workflow_state
    if state is not None:
        sources[RequestKind.STATE] = state
    if tool.memories:
        sources[RequestKind.MEMORY] = tool.memories
    positional, named = fill(tool.node.execute, sources, arguments.by_name)
    if tool.node.is_async:
        result = tool.execute(*positional, **named)
    else:
        result = await call_in_thread(partial(_in_thread, tool.execute, positional, named))
    # A wrapper around an async function may have awaited it, and one around any may be async itself.
    if inspect.isawaitable(result):
        result = await result
    if isinstance(result, ToolOutput):
        flaw = flaw_of_output(result)
        if flaw is not None:
            raise TypeError(f"the tool returned {flaw}")
        return result
    try:
        return ToolOutput(as_text(result))
    except ValueError as error:
        raise TypeError(
            f"the tool returned a value of type `{type(result).__name__}`, which can't be written as JSON"
        ) from error


def _in_thread(execute: Any, positional: list[Any], named: dict[str, Any]) -> object:  # of the tool's own types
    try:
        return execute(*positional, **named)
    except StopIteration as error:
        # A coroutine that raises it has another error raised in its place, whose text tells nothing.
        raise RuntimeError("the tool raised StopIteration") from error
