"""The objects that exist for one run: an agent with its model, its tools and its hooks.

They are made once for each occurrence in the steps, before the first step, and live until the run ends.
"""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from thena_contract import vocabulary
from thena_contract.vocabulary import RequestKind
from thena_runtime.build.plan import AgentNode, Plan, ToolNode
from thena_runtime.endings import call_out
from thena_runtime.hooks import Hooks
from thena_runtime.injection.fill import fill
from thena_runtime.memory.vector import VectorMemory
from thena_runtime.providers.provider import Provider, close_provider
from thena_runtime.run.equipment import Equipment
from thena_runtime.run.live_tool import LiveTool
from thena_runtime.run_context import Context, facts_of
from thena_runtime.workflow_runtime import WorkflowRuntime

_FOR_TOOLS: Final = {RequestKind.RUNTIME: WorkflowRuntime()}


@dataclass(slots=True)
class LiveAgent:
    """An agent that can take turns."""

    node: AgentNode
    provider: Provider
    hooks: Hooks
    tools: Mapping[str, LiveTool]
    equipment: Equipment


@dataclass(slots=True)
class Cast:
    """The agents of one run, by the identity of their node in the plan, and what the app equipped the run with."""

    agents: Mapping[int, LiveAgent]
    equipment: Equipment


async def make_agents(plan: Plan, equipment: Equipment, ctx: Context) -> Cast:
    """Make every agent of a workflow, but those of nested ones: these are made when their own run begins."""
    agents = {}
    for node in plan.agents:
        provider = await _provider(node, ctx) if node.shared is None else node.shared
        agents[id(node)] = _make(node, provider, equipment, facts_of(ctx).workflow_state)
    return Cast(agents, equipment)


def _make(node: AgentNode, provider: Provider, equipment: Equipment, state: object) -> LiveAgent:
    sources: dict[RequestKind, object] = {} if state is None else {RequestKind.STATE: state}
    memories: tuple[VectorMemory, ...] = ()
    if node.needs_memory:
        memories = tuple(VectorMemory(store, provider) for store in equipment.stores.all())
        sources[RequestKind.MEMORY] = memories
    tools = {tool.spec.name: LiveTool(tool, _execute(tool), memories) for tool in node.tools}
    positional, named = fill(node.constructor, sources)
    agent = node.cls(*positional, **named)
    return LiveAgent(node, provider, Hooks(agent, node.name, node.hooks), tools, equipment)


async def _provider(node: AgentNode, ctx: Context) -> Provider:
    """Make a provider for this run, which closes it."""
    source = node.provider
    if not callable(source):
        raise TypeError(f"`provider` of `{node.name}` is of type `{type(source).__name__}`, which is no provider.")
    made = await call_out(source, (), facts_of(ctx))
    if not isinstance(made, Provider):
        raise TypeError(
            f"the provider factory of `{node.name}` returned a value of type `{type(made).__name__}`. "
            "Return an object with `complete` and `close`."
        )
    ctx.on_dispose(partial(close_provider, made))
    return made


def _execute(tool: ToolNode) -> object:
    source = tool.source
    if isinstance(source, type):
        positional, named = fill(tool.constructor, _FOR_TOOLS)
        source = source(*positional, **named)
    elif inspect.isroutine(source):
        return source
    return getattr(source, vocabulary.EXECUTE)
