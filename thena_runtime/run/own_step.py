"""The step of an agent that defines `run(self, input, ctx)`: it does all the work itself, and no hook fires.

What it works with hangs on the context (`ctx.prompt`, `ctx.chat`, `ctx.call_tool`) and is recorded and metered like
a turn's. Nothing is written on the agent. Left out on purpose: `on_error`, for what `run` raises is its own to catch.
"""

import inspect
from collections.abc import Iterable, Mapping, Sequence

from thena_contract import vocabulary
from thena_contract.declarations import Unknown
from thena_runtime.budget.meter import BudgetCut
from thena_runtime.build.schema import text_of_output
from thena_runtime.endings import as_seen_here
from thena_runtime.messages import Completion, FunctionCall, Message, ToolOutput, ToolSpec
from thena_runtime.providers.provider import CompletionRequest
from thena_runtime.run.handed_back import flaw_of_messages
from thena_runtime.run.live import LiveAgent
from thena_runtime.run.model_call import ask_model, numbers_of
from thena_runtime.run.structured import check_returned
from thena_runtime.run.tool_call import call_tool
from thena_runtime.run_context import Context, facts_of
from thena_runtime.steps import Turn


async def take_own_step(agent: LiveAgent, arity: int | Unknown, ctx: Context) -> tuple[Turn, object]:
    """Run the agent's own step, and return what `ctx.turn` and `ctx.output` become."""
    facts = facts_of(ctx)
    history = ctx.state.history
    text = history[-1].content if history else ""
    outer, facts.step = facts.step, OwnStep(agent, ctx)
    try:
        output = agent.hooks.call(vocabulary.RUN, arity, text, ctx)
        if inspect.isawaitable(output):
            output = await output
    finally:
        facts.step = outer
    if output is None:
        return Turn(called_tool=False, response=""), None
    output = check_returned(agent.node, output)
    response = text_of_output(output)
    ctx.state.append("history", Message("assistant", response))
    return Turn(called_tool=False, response=response), output


class OwnStep:
    """What an agent's own `run` works with. Owned by one step, and reached through the context."""

    def __init__(self, agent: LiveAgent, ctx: Context) -> None:
        self._agent = agent
        self._ctx = ctx

    @property
    def prompt(self) -> str:
        """The agent's prompt."""
        return self._agent.node.prompt

    async def chat(self, messages: Sequence[Message] | None, tools: Sequence[object] | None) -> Completion:
        """Ask the agent's model: see `Context.chat`."""
        agent = self._agent
        request = CompletionRequest(
            messages=self._conversation() if messages is None else _checked(messages),
            tools=agent.node.specs if tools is None else self._specs(tools),
            sampling=agent.node.sampling,
        )
        facts = facts_of(self._ctx)
        facts.scope.cancellation.check()
        try:
            with facts.scope.recorder.node("chat", "chat") as node:
                completion, _ = await ask_model(
                    agent.equipment.chat, agent.hooks.agent, agent.provider, request, self._ctx
                )
                node.data.update(numbers_of(completion))
        except BudgetCut as cut:
            raise as_seen_here(cut, facts, "answer") from None
        return completion

    async def call_tool(self, name: str, args: object) -> ToolOutput:
        """Call one of the agent's tools: see `Context.call_tool`."""
        facts = facts_of(self._ctx)
        facts.scope.cancellation.check()
        if not isinstance(name, str):
            raise TypeError(f"[thena] `ctx.call_tool` got a name of type `{type(name).__name__}`. Give a tool's name.")
        call = FunctionCall(name=name, arguments=dict(args) if isinstance(args, Mapping) else args)
        try:
            record = await call_tool(self._agent, call, self._ctx, self._agent.tools)
        except BudgetCut as cut:
            raise as_seen_here(cut, facts, "result") from None
        facts.calls.append(record)
        return ToolOutput(record.output, record.is_error)

    def _conversation(self) -> tuple[Message, ...]:
        return self._ctx.state.to_messages(self._agent.node.head)

    def _specs(self, wanted: object) -> tuple[ToolSpec, ...]:
        if isinstance(wanted, str) or not isinstance(wanted, Iterable):
            raise TypeError(
                f"[thena] `ctx.chat` got `tools` of type `{type(wanted).__name__}`. "
                "Give a list of the agent's tools, by name or as in `tools=`."
            )
        return tuple(self._spec(tool) for tool in wanted)

    def _spec(self, wanted: object) -> ToolSpec:
        """The tool that is meant by a name, or by an entry of `tools=`."""
        tools = self._agent.node.tools
        for tool in tools:
            if wanted is tool.source or (isinstance(wanted, str) and wanted == tool.spec.name):
                return tool.spec
        known = ", ".join(f"`{tool.spec.name}`" for tool in tools) or "none"
        name = wanted if isinstance(wanted, str) else getattr(wanted, "__name__", type(wanted).__name__)
        raise ValueError(f"[thena] `{self._agent.node.name}` has no tool `{name}`; it has: {known}.")


def _checked(messages: Sequence[Message]) -> tuple[Message, ...]:
    given = tuple(messages) if isinstance(messages, Iterable) and not isinstance(messages, str) else messages
    flaw = flaw_of_messages(given)
    if flaw is not None:
        raise TypeError(f"[thena] `ctx.chat` got {flaw}")
    return tuple(given)
