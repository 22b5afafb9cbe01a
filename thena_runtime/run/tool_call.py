"""One tool call: from what the model asked for to what it is told.

Layers, outermost first: the node, the agent's hooks, and what `thena_runtime.run.tool_execution` puts around the tool.
An unknown tool, arguments that don't fit, an exception and a result that is marked as an error are all observations and
pass through `after_tool`, and are counted; the first two never reach a middleware, for nothing is executed.
"""

import json
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from thena_runtime.build.schema import Arguments, ArgumentsError
from thena_runtime.errors import FatalToolError
from thena_runtime.messages import FunctionCall, ToolCall, ToolOutput, ToolResult
from thena_runtime.run.handed_back import flaw_of_output
from thena_runtime.run.live import LiveAgent
from thena_runtime.run.live_tool import LiveTool
from thena_runtime.run.tool_execution import count_call, execute_tool
from thena_runtime.run_context import Context, ToolRecord, facts_of

CUT_OFF: Final = (
    "not executed: the answer was cut off in the middle of this call, so that its arguments aren't whole. "
    "Ask for it again, with less at once."
)

# What a call came to, and the arguments that it was made with, which are of whatever types the tool declares.
_Outcome: TypeAlias = tuple[ToolOutput, Mapping[str, Any]]

_encode: Final = json.JSONEncoder(sort_keys=True, ensure_ascii=False, default=repr).encode
_FLAT: Final = frozenset({str, int, float, bool, type(None)})


async def call_tool(agent: LiveAgent, call: FunctionCall, ctx: Context, tools: Mapping[str, LiveTool]) -> ToolRecord:
    """Execute one call of the model's, of the tools that it was offered, with everything around it."""
    facts = facts_of(ctx)
    witness = facts.scope.recorder.witness
    with facts.scope.recorder.node("tool", call.name) as node:
        if witness is not None:
            witness.called(call)
        tool = tools.get(call.name)
        try:
            output, args = await (
                _refuse(call, ctx, tools) if tool is None or call.is_cut_off else _attempt(agent, tool, call, ctx)
            )
            if "after_tool" in agent.node.hooks:
                output = await _after(agent, ToolResult(call.name, args, output.content, output.is_error), output, ctx)
        except FatalToolError as error:
            error.tool = error.tool or call.name
            raise
        if output.is_error:
            node.fail(output.content)
        if witness is not None:
            witness.returned(call, args, output)
        return ToolRecord(
            name=call.name,
            arguments=_key(args),
            output=output.content,
            is_error=output.is_error,
            is_repeatable=tool is not None and tool.node.is_repeatable,
        )


async def _attempt(agent: LiveAgent, tool: LiveTool, call: FunctionCall, ctx: Context) -> _Outcome:
    try:
        arguments = tool.node.input.validate(call.arguments)
    except ArgumentsError as error:
        count_call(ctx)
        remark = " (the call was found in the text of the answer)" if call.source == "rescued" else ""
        text = f"invalid arguments for tool `{call.name}`: {error}{remark}"
        return ToolOutput(text, is_error=True), _sent(call)
    if "before_tool" in agent.node.hooks:
        arguments = await _before(agent, tool, arguments, ctx)
    return await execute_tool(agent.equipment.tool, agent.hooks.agent, tool, arguments, ctx)


async def _refuse(call: FunctionCall, ctx: Context, tools: Mapping[str, LiveTool]) -> _Outcome:
    count_call(ctx)
    if call.is_cut_off:
        return ToolOutput(CUT_OFF, is_error=True), {}
    known = ", ".join(f"`{name}`" for name in tools) or "none"
    return ToolOutput(f"there is no tool `{call.name}`; available: {known}", is_error=True), _sent(call)


def _sent(call: FunctionCall) -> Mapping[str, Any]:  # whatever the model sent
    return call.arguments if isinstance(call.arguments, Mapping) else {}


async def _before(agent: LiveAgent, tool: LiveTool, arguments: Arguments, ctx: Context) -> Arguments:
    call = ToolCall(tool.node.spec.name, arguments.by_name)
    wanted: ToolCall = await agent.hooks.replace("before_tool", call, ctx, ToolCall)
    if wanted is call:
        return arguments
    subject = f"`{agent.node.name}.before_tool`"
    if not isinstance(wanted.args, Mapping):
        raise TypeError(
            f"{subject} returned a `ToolCall` whose `args` are of type `{type(wanted.args).__name__}`. "
            "Give a dict of arguments by name."
        )
    if wanted.name != call.name:
        raise ValueError(
            f"{subject} returned a call of `{wanted.name}` for one of `{call.name}`. Change only the arguments."
        )
    try:
        return tool.node.input.validate(wanted.args)
    except ArgumentsError as error:
        raise ValueError(f"{subject} returned arguments that don't fit tool `{call.name}`: {error}") from None


async def _after(agent: LiveAgent, result: ToolResult, output: ToolOutput, ctx: Context) -> ToolOutput:
    answer = await agent.hooks.replace("after_tool", result, ctx, str, ToolOutput)
    if answer is result:
        return output
    if not isinstance(answer, ToolOutput):
        return ToolOutput(answer, output.is_error)
    flaw = flaw_of_output(answer)
    if flaw is not None:
        raise TypeError(f"`{agent.node.name}.after_tool` returned {flaw}")
    return answer


def _key(args: Mapping[str, Any]) -> str:
    """The arguments as text, so that two calls can be compared. What is nested is sorted too, which takes longer."""
    items = sorted(args.items())
    return repr(items) if _FLAT.issuperset(map(type, args.values())) else _encode(dict(items))
