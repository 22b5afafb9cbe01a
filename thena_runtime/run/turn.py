"""One turn of an agent: one model call and at most one tool.

Order: `before_prompt`, the model, `before_tool`, the tool, `after_tool`, `after_response`, then `ctx.turn` and
`ctx.output`. What is raised on the way goes to `on_error`, except what ends the run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from thena_runtime.errors import FatalToolError
from thena_runtime.messages import Completion, FunctionCall, Message, ToolOutput, ToolSpec
from thena_runtime.providers.provider import CompletionRequest
from thena_runtime.run.live import LiveAgent
from thena_runtime.run.live_tool import LiveTool
from thena_runtime.run.model_call import ask_model
from thena_runtime.run.tool_call import call_tool
from thena_runtime.run_context import Context, facts_of
from thena_runtime.steps import Turn

NOT_EXECUTED = "not executed: only the first tool call of an answer is. Ask for it again if it is still needed."


async def take_turn(agent: LiveAgent, ctx: Context) -> None:
    """Take one turn, or skip it where the run is stopping."""
    facts = facts_of(ctx)
    with facts.scope.recorder.node("agent", agent.node.name) as node:
        facts.scope.cancellation.check()
        if facts.scope.stopping.is_set():
            node.skip()
            return
        try:
            turn = await _exchange(agent, ctx)
        except FatalToolError:
            raise
        except Exception as error:
            # What surfaces because the run was aborted is no error of the turn's.
            facts.scope.cancellation.check()
            turn = await _recover(agent, error, ctx)
        facts.turn = turn
        facts.output = turn.response


async def _recover(agent: LiveAgent, error: Exception, ctx: Context) -> Turn:
    answer = await agent.hooks.replace("on_error", error, ctx, str)
    if answer is error:
        raise error
    ctx.state.append("history", Message("assistant", answer))
    return Turn(called_tool=False, response=answer)


async def _exchange(agent: LiveAgent, ctx: Context) -> Turn:
    prompt = await agent.hooks.replace("before_prompt", agent.node.prompt, ctx, str)
    messages = (Message("system", prompt), *ctx.state.to_messages())
    with facts_of(ctx).scope.recorder.node("chat", "chat") as node:
        request = CompletionRequest(messages=messages, tools=agent.node.specs, sampling=agent.node.sampling)
        completion, offered = await ask_model(agent.equipment.chat, agent.hooks.agent, agent.provider, request, ctx)
        node.data.update(_numbers(completion))
        answer = Message("assistant", completion.content, tool_calls=completion.tool_calls)
        # The tool's node stands inside the chat's: it is what the model asked for.
        observations = await _call_first(agent, completion.tool_calls, _offered(agent, offered), ctx)
    for message in (answer, *observations):
        ctx.state.append("history", message)
    return await _respond(agent, observations[0] if observations else answer, completion, ctx)


def _offered(agent: LiveAgent, specs: Sequence[ToolSpec]) -> Mapping[str, LiveTool]:
    """The tools that the model was told of, for a middleware may have taken some away."""
    if specs is agent.node.specs:
        return agent.tools
    return {spec.name: agent.tools[spec.name] for spec in specs if spec.name in agent.tools}


async def _call_first(
    agent: LiveAgent, calls: tuple[FunctionCall, ...], tools: Mapping[str, LiveTool], ctx: Context
) -> list[Message]:
    observations = []
    for index, call in enumerate(calls):
        if index == 0:
            output = await call_tool(agent, call, ctx, tools)
        else:
            output = ToolOutput(NOT_EXECUTED, is_error=False)
            with facts_of(ctx).scope.recorder.node("tool", call.name) as node:
                node.skip()
        observations.append(
            Message("tool", output.content, tool_call_id=call.id, tool_name=call.name, is_error=output.is_error)
        )
    return observations


async def _respond(agent: LiveAgent, last: Message, completion: Completion, ctx: Context) -> Turn:
    response = await agent.hooks.replace("after_response", last.content, ctx, str)
    if response is not last.content:
        ctx.state.replace(last, replace(last, content=response))
    call = completion.tool_calls[0] if completion.tool_calls else None
    return Turn(
        called_tool=call is not None,
        tool_name=None if call is None else call.name,
        tool_error=last.is_error,
        tool_call_source=None if call is None else call.source,
        response=response,
    )


def _numbers(completion: Completion) -> dict[str, int]:
    numbers = {} if completion.attempts == 1 else {"attempts": completion.attempts}
    if completion.usage is not None:
        numbers["prompt_tokens"] = completion.usage.prompt_tokens
        numbers["completion_tokens"] = completion.usage.completion_tokens
        numbers["cached_tokens"] = completion.usage.cached_tokens
    return numbers
