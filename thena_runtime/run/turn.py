"""One turn of an agent: one model call and at most one tool, or every tool that it asked for.

Order: `before_prompt`, the model, `before_tool`, the tool, `after_tool`, `after_response`, then `ctx.turn` and
`ctx.output`. What is raised on the way goes to `on_error`, except what ends the run.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from thena_contract.declarations import Unknown
from thena_runtime.budget.meter import BudgetCut
from thena_runtime.endings import ENDS_THE_RUN, raise_what_ends_the_run
from thena_runtime.messages import FunctionCall, Message, ToolSpec
from thena_runtime.providers.provider import CompletionRequest
from thena_runtime.run.live import LiveAgent
from thena_runtime.run.live_tool import LiveTool
from thena_runtime.run.model_call import answer_of, ask_model, numbers_of
from thena_runtime.run.own_step import take_own_step
from thena_runtime.run.structured import read_answer, read_replacement, system_messages
from thena_runtime.run.tool_call import call_tool
from thena_runtime.run.waits import waiting_for_parts
from thena_runtime.run_context import Context, Facts, ToolRecord, facts_of
from thena_runtime.steps import Turn

NOT_EXECUTED = "not executed: only the first tool call of an answer is. Ask for it again if it is still needed."
INTERRUPTED = "not finished: the run was ended before this call was over. It may have had an effect or none."


async def take_turn(agent: LiveAgent, ctx: Context) -> None:
    """Take one turn, or skip it where the run is stopping."""
    facts = facts_of(ctx)
    with facts.scope.recorder.node("agent", agent.node.name) as node:
        if not _may_begin(facts):
            node.skip()
            return
        try:
            try:
                arity = agent.node.run
                taken = await (_exchange(agent, ctx) if arity is None else _own_step(agent, arity, ctx))
            except ENDS_THE_RUN:
                raise
            except (Exception, BaseExceptionGroup) as error:
                raise_what_ends_the_run(error, facts)
                if not isinstance(error, Exception):
                    raise
                taken = await _recover(agent, error, ctx)
        except BudgetCut:
            # The run is over and keeps what was there; branches beside this one may finish what they are at.
            node.status = "cancelled"
            facts.cut = "budget"
            return
        facts.turn, facts.output, words, facts.is_raw = taken
        facts.said = words or facts.said
        facts.cut = None


def _may_begin(facts: Facts) -> bool:
    scope = facts.scope
    scope.cancellation.check()
    if scope.cancellation.is_stopping:
        return False
    try:
        scope.meter.checkpoint()
    except BudgetCut:
        facts.cut = "budget"
        return False
    return True


# The turn, its output, the model's own words, and whether the output is a tool's result as it came.
_Taken: TypeAlias = tuple[Turn, object, object, bool]


async def _own_step(agent: LiveAgent, arity: int | Unknown, ctx: Context) -> _Taken:
    turn, output = await take_own_step(agent, arity, ctx)
    return turn, output, output, False


async def _recover(agent: LiveAgent, error: Exception, ctx: Context) -> _Taken:
    if agent.node.run is not None:
        raise error
    # What surfaces because the run is being ended is no error of the turn's.
    facts_of(ctx).scope.cancellation.check()
    facts_of(ctx).scope.meter.check_deadline()
    answer = await agent.hooks.replace("on_error", error, ctx, str)
    if answer is error:
        raise error
    output = read_replacement(agent.node, "on_error", answer)
    ctx.state.append("history", Message("assistant", answer))
    return Turn(called_tool=False, response=answer), output, output, False


async def _exchange(agent: LiveAgent, ctx: Context) -> _Taken:
    planned, facts = agent.node, facts_of(ctx)
    head = planned.head
    if "before_prompt" in planned.hooks:
        head = system_messages(planned, await agent.hooks.replace("before_prompt", planned.prompt, ctx, str))
    with facts.scope.recorder.node("chat", "chat") as node:
        request = CompletionRequest(
            messages=facts.conversation.to_messages(head), tools=planned.specs, sampling=planned.sampling
        )
        completion, offered = await ask_model(agent.equipment.chat, agent.hooks.agent, agent.provider, request, ctx)
        node.data.update(numbers_of(completion))
        answer = answer_of(completion)
        # The tool's node stands inside the chat's: it is what the model asked for.
        observations = await _follow(agent, answer, _offered(agent, offered), ctx) if answer.tool_calls else []
    return await _conclude(agent, request, answer, observations, ctx)


async def _conclude(
    agent: LiveAgent, request: CompletionRequest, answer: Message, observations: list[Message], ctx: Context
) -> _Taken:
    """Keep what was said, and let `after_response` see it: the answer, or what the tool executed last gave."""
    planned, facts = agent.node, facts_of(ctx)
    output: object = None
    if planned.output is not None and not observations:
        answer, output = await read_answer(agent, request, answer, ctx)
    facts.conversation.add(answer)
    for message in observations:
        facts.conversation.add(message)
    executed = observations if planned.calls_all else observations[:1]
    last = executed[-1] if executed else answer
    response = last.content
    if "after_response" in planned.hooks:
        response = await agent.hooks.replace("after_response", response, ctx, str)
        if response is not last.content:
            ctx.state.replace(last, replace(last, content=response))
    turn = _turn_of(answer, executed, response)
    if observations:
        # Words beside a call are the model's, but no value of the type that an agent with `output=` answers with.
        words = answer.content if planned.output is None else None
        return turn, response, words, any(response is message.content for message in observations)
    if planned.output is None:
        return turn, response, response, False
    if response is not answer.content:
        output = read_replacement(planned, "after_response", response)
    return turn, output, output, False


def _turn_of(answer: Message, executed: list[Message], response: str) -> Turn:
    call = answer.tool_calls[0] if answer.tool_calls else None
    return Turn(
        called_tool=call is not None,
        tool_name=None if call is None else call.name,
        tool_error=bool(executed) and any(message.is_error for message in executed),
        tool_call_source=None if call is None else call.source,
        finish_reason=answer.finish_reason,
        response=response,
    )


async def _follow(agent: LiveAgent, answer: Message, tools: Mapping[str, LiveTool], ctx: Context) -> list[Message]:
    """Do what an answer asks for, and return what the model is to be told of it."""
    finished: dict[int, ToolRecord] = {}
    try:
        return await _call_tools(agent, answer.tool_calls, tools, ctx, finished)
    except BaseException as error:
        if _ends_the_run(error, ctx):
            # What is paid for is kept: the answer, what came of its calls, and what became of the others.
            for message in (answer, *_interrupted(agent, answer.tool_calls, finished)):
                ctx.state.append("history", message)
        raise


def _ends_the_run(error: BaseException, ctx: Context) -> bool:
    if isinstance(error, (asyncio.CancelledError, BudgetCut, *ENDS_THE_RUN)):
        return True
    # What an abort raises is whatever reason it was given.
    return facts_of(ctx).scope.cancellation.is_requested


def _offered(agent: LiveAgent, specs: Sequence[ToolSpec]) -> Mapping[str, LiveTool]:
    """The tools that the model was told of, for a middleware may have taken some away."""
    if specs is agent.node.specs:
        return agent.tools
    return {spec.name: agent.tools[spec.name] for spec in specs if spec.name in agent.tools}


async def _call_tools(
    agent: LiveAgent,
    calls: tuple[FunctionCall, ...],
    tools: Mapping[str, LiveTool],
    ctx: Context,
    finished: dict[int, ToolRecord],
) -> list[Message]:
    """Execute the first call, or all of them, and answer each. `finished` is filled as they end."""
    facts = facts_of(ctx)
    if agent.node.calls_all and len(calls) > 1:
        await _together(agent, calls, tools, ctx, finished)
    else:
        finished[0] = await call_tool(agent, calls[0], ctx, tools)
    facts.calls.extend([finished[index] for index in sorted(finished)])
    for call in calls[len(finished) :]:
        with facts.scope.recorder.node("tool", call.name) as node:
            node.skip()
    return [
        _observation(call, finished[index]) if index in finished else _unanswered(call, NOT_EXECUTED)
        for index, call in enumerate(calls)
    ]


async def _together(
    agent: LiveAgent,
    calls: tuple[FunctionCall, ...],
    tools: Mapping[str, LiveTool],
    ctx: Context,
    finished: dict[int, ToolRecord],
) -> None:
    """Execute all calls at the same time. What ends the turn ends the others too, and is raised alone."""
    cuts: list[BudgetCut] = []

    async def one(index: int, call: FunctionCall) -> None:
        try:
            with facts_of(ctx).scope.cancellation:
                finished[index] = await call_tool(agent, call, ctx, tools)
        except BudgetCut as cut:
            # One that the budget refuses leaves the others to end as they will.
            cuts.append(cut)

    try:
        with waiting_for_parts() as tasks:
            async with asyncio.TaskGroup() as group:
                for index, call in enumerate(calls):
                    tasks.append(group.create_task(one(index, call)))
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    if cuts:
        raise cuts[0]


def _interrupted(
    agent: LiveAgent, calls: tuple[FunctionCall, ...], finished: Mapping[int, ToolRecord]
) -> Iterator[Message]:
    """Answer the calls of a turn that was ended on its way, so that the conversation can be taken up again."""
    for index, call in enumerate(calls):
        if index in finished:
            yield _observation(call, finished[index])
        elif index == 0 or agent.node.calls_all:
            yield _unanswered(call, INTERRUPTED)
        else:
            yield _unanswered(call, NOT_EXECUTED)


def _unanswered(call: FunctionCall, text: str) -> Message:
    return Message("tool", text, tool_call_id=call.id, tool_name=call.name)


def _observation(call: FunctionCall, record: ToolRecord) -> Message:
    return Message("tool", record.output, tool_call_id=call.id, tool_name=call.name, is_error=record.is_error)
