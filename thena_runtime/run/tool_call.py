"""One tool call: from what the model asked for to what it is told.

Layers, outermost first: the node, the agent's hooks, and what `thena_runtime.run.tool_execution` puts around the tool.
An unknown tool, arguments that don't fit, an exception and a result that is marked as an error are all observations and
pass through `after_tool`, and are counted; the first two never reach a middleware, for nothing is executed.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from thena_runtime.build.schema import Arguments, ArgumentsError
from thena_runtime.messages import FunctionCall, ToolCall, ToolOutput, ToolResult
from thena_runtime.run.live import LiveAgent
from thena_runtime.run.live_tool import LiveTool
from thena_runtime.run.tool_execution import count_call, execute_tool
from thena_runtime.run_context import Context, ToolRecord, facts_of


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a call came to, and the arguments that it was made with."""

    output: ToolOutput
    args: Mapping[str, Any]  # of whatever types the tool declares


async def call_tool(agent: LiveAgent, call: FunctionCall, ctx: Context, tools: Mapping[str, LiveTool]) -> ToolRecord:
    """Execute one call of the model's, of the tools that it was offered, with everything around it."""
    facts = facts_of(ctx)
    with facts.scope.recorder.node("tool", call.name) as node:
        outcome = await _attempt(agent, call, ctx, tools)
        output = await _after(agent, call.name, outcome, ctx)
        if output.is_error:
            node.fail(output.content)
        tool = tools.get(call.name)
        return ToolRecord(
            name=call.name,
            arguments=_key(outcome.args),
            output=output.content,
            is_error=output.is_error,
            is_repeatable=tool is not None and tool.node.is_repeatable,
        )


async def _attempt(agent: LiveAgent, call: FunctionCall, ctx: Context, tools: Mapping[str, LiveTool]) -> _Outcome:
    sent = call.arguments if isinstance(call.arguments, Mapping) else {}
    tool = tools.get(call.name)
    if tool is None:
        count_call(ctx)
        known = ", ".join(f"`{name}`" for name in tools) or "none"
        return _Outcome(ToolOutput(f"there is no tool `{call.name}`; available: {known}", is_error=True), sent)
    try:
        arguments = tool.node.input.validate(call.arguments)
    except ArgumentsError as error:
        count_call(ctx)
        remark = " (the call was found in the text of the answer)" if call.source == "rescued" else ""
        text = f"invalid arguments for tool `{call.name}`: {error}{remark}"
        return _Outcome(ToolOutput(text, is_error=True), sent)
    arguments = await _before(agent, tool, arguments, ctx)
    output, args = await execute_tool(agent.equipment.tool, agent.hooks.agent, tool, arguments, ctx)
    return _Outcome(output, args)


async def _before(agent: LiveAgent, tool: LiveTool, arguments: Arguments, ctx: Context) -> Arguments:
    call = ToolCall(tool.node.spec.name, arguments.by_name)
    wanted: ToolCall = await agent.hooks.replace("before_tool", call, ctx, ToolCall)
    if wanted is call:
        return arguments
    subject = f"`{agent.node.name}.before_tool`"
    if wanted.name != call.name:
        raise ValueError(
            f"{subject} returned a call of `{wanted.name}` for one of `{call.name}`. Change only the arguments."
        )
    try:
        return tool.node.input.validate(wanted.args)
    except ArgumentsError as error:
        raise ValueError(f"{subject} returned arguments that don't fit tool `{call.name}`: {error}") from None


async def _after(agent: LiveAgent, name: str, outcome: _Outcome, ctx: Context) -> ToolOutput:
    output = outcome.output
    result = ToolResult(name, outcome.args, output.content, output.is_error)
    answer = await agent.hooks.replace("after_tool", result, ctx, str, ToolOutput)
    if answer is result:
        return output
    return answer if isinstance(answer, ToolOutput) else ToolOutput(answer, output.is_error)


def _key(args: Mapping[str, Any]) -> str:
    """The arguments as text, so that two calls can be compared."""
    return json.dumps(dict(args), sort_keys=True, ensure_ascii=False, default=repr)
