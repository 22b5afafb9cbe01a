"""One workflow with everything it uses, joined; or the declarations that no workflow uses.

It is what a rule looks at. The lookups here are the only way in which rules walk declarations.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property

from thena_contract import memories, vocabulary
from thena_contract.anchor import Anchor, Ref
from thena_contract.declarations import (
    UNKNOWN,
    AgentDecl,
    AgentStep,
    AnnotationDecl,
    AppDecl,
    BareDecl,
    BareStep,
    ClassDecl,
    Given,
    LoopStep,
    MethodDecl,
    ParallelStep,
    ParamDecl,
    Request,
    Signature,
    StateDecl,
    StepDecl,
    ToolDecl,
    Unknown,
    WorkflowDecl,
    walk,
)
from thena_contract.fault import Related
from thena_contract.frozen import frozen
from thena_contract.vocabulary import RequestKind


@frozen
class Consumer:
    """A callable that the runtime fills, and the chain from the workflow to it."""

    signature: Signature
    chain: tuple[Related, ...]


@frozen(kw_only=True)
class Giver:
    """A decorator, `loop`, `parallel` or `ThenaConfig` where it stands, what it accepts, and what it is given."""

    builder: str
    where: str
    accepts: tuple[str, ...]
    given: Given
    anchor: Anchor

    @property
    def subject(self) -> str:
        """What texts call it: "`@Agent` on `Reviewer`"."""
        return f"`{self.builder}` {self.where}"


@frozen(kw_only=True)
class MemoryAsked:
    """A parameter that must be filled with a memory: over the `store` that it names, or the one at its position.

    `chain` leads from it to where the app of the workflow is made.
    """

    subject: str
    param: ParamDecl
    workflow: str
    store: Ref | Unknown | None
    position: int
    chain: tuple[Related, ...]


def told_apart(one: Ref, other: Ref) -> tuple[str, str]:
    """The names of two classes; with their modules where the names alone would be the same."""
    if one.name != other.name:
        return one.name, other.name
    return f"{one.module}.{one.qualname}", f"{other.module}.{other.qualname}"


@frozen(kw_only=True, slots=False)
class Assembly:
    """A workflow (or none), with what is declared outside any workflow in `agents`, `tools` and `bare`.

    `app` is what runs the workflow, where that is certain.
    """

    workflow: WorkflowDecl | None = None
    agents: tuple[AgentDecl, ...] = ()
    tools: tuple[ToolDecl, ...] = ()
    bare: tuple[BareDecl, ...] = ()
    app: AppDecl | Unknown = UNKNOWN

    def steps(self) -> Iterator[StepDecl]:
        """Every step of the workflow, outer ones first."""
        if self.workflow is not None:
            yield from walk(self.workflow.steps)

    def loops(self) -> Iterator[LoopStep]:
        """Every loop of the workflow."""
        return (step for step in self.steps() if isinstance(step, LoopStep))

    def all_agents(self) -> Iterator[tuple[AgentDecl, tuple[Related, ...]]]:
        """Every agent once, with the chain that leads to its first use."""
        return iter(self._agents)

    def all_tools(self) -> Iterator[tuple[ToolDecl, tuple[Related, ...]]]:
        """Every tool once, with the chain that leads to its first use."""
        return iter(self._tools)

    def constructors(self) -> Iterator[Consumer]:
        """The constructor of every agent."""
        for agent, chain in self.all_agents():
            if agent.constructor is not UNKNOWN:
                yield Consumer(agent.constructor, chain)

    def tool_constructors(self) -> Iterator[Consumer]:
        """The constructor of every tool."""
        for tool, chain in self.all_tools():
            if tool.constructor is not UNKNOWN:
                yield Consumer(tool.constructor, chain)

    def executes(self) -> Iterator[Consumer]:
        """The `execute` of every tool."""
        for tool, chain in self.all_tools():
            if isinstance(tool.execute, Signature):
                yield Consumer(tool.execute, chain)

    def arguments(self) -> Iterator[tuple[str, ParamDecl]]:
        """What the model fills in of every tool, whole or one by one, with what texts call its `execute`."""
        for tool, _ in self.all_tools():
            if isinstance(tool.execute, Signature) and tool.has_own_schema is False:
                for param in tool.execute.params:
                    if param.stray is None and (param.requests == () or param.asks_for(RequestKind.INPUT)):
                        yield tool.execute.subject, param

    def untellable(self) -> Iterator[tuple[str, ParamDecl]]:
        """Every argument of a type that a model can't be told about."""
        for subject, param in self.arguments():
            if param.requests == () and param.has_schema is False:
                yield subject, param

    def unasked_state(self, param: ParamDecl) -> Ref | None:
        """The class of the workflow's state, where a parameter is annotated with it and asks for nothing."""
        state = None if self.workflow is None else self.workflow.state
        annotation = param.annotation
        if not isinstance(state, StateDecl) or not isinstance(annotation, AnnotationDecl):
            return None
        is_of_it = annotation.of == state.ref and param.requests == () and not param.is_variadic
        return state.ref if is_of_it else None

    @property
    def stores(self) -> tuple[ClassDecl | Unknown, ...] | None:
        """The stores of the app; `None` where it isn't known how many there are."""
        return None if self.app is UNKNOWN or self.app.stores is UNKNOWN else self.app.stores

    def memories(self) -> Iterator[MemoryAsked]:
        """Every parameter that must be filled with a memory, where the app's stores are known."""
        if self.stores is None or self.workflow is None:
            return
        end = (*self.declared_here(), *self.made_here())
        for consumer, param, store, position in self._memories(len(self.stores)):
            if param.is_required:
                yield MemoryAsked(
                    subject=consumer.signature.subject,
                    param=param,
                    workflow=self.workflow.ref.name,
                    store=store,
                    position=position,
                    chain=(*consumer.chain, *end),
                )

    def _memories(self, stores: int) -> Iterator[tuple[Consumer, ParamDecl, Ref | Unknown | None, int]]:
        for consumer in self.constructors():
            positions = memories.by_position(consumer.signature, stores)
            is_certain = memories.is_certain(consumer.signature)
            for param in consumer.signature.params:
                if param.name not in positions:
                    yield from _memory_named(consumer, param)
                elif is_certain:
                    yield consumer, param, None, positions[param.name]
        for consumer in self.executes():
            for param in consumer.signature.params:
                yield from _memory_named(consumer, param)

    def all_bare(self) -> Iterator[tuple[BareDecl, tuple[Related, ...]]]:
        """Every decorator that declares nothing once, with the chain that leads to its first use."""
        seen: set[BareDecl] = set()
        used = [
            *((step.bare, step.anchor) for step in self.steps() if isinstance(step, BareStep)),
            *(
                (entry.tool, entry.anchor)
                for agent, _ in self.all_agents()
                for entry in agent.entries
                if isinstance(entry.tool, BareDecl)
            ),
        ]
        for bare, anchor in used:
            if bare not in seen:
                seen.add(bare)
                yield bare, (Related(f"`{bare.ref.name}` is used here", anchor),)
        yield from ((bare, ()) for bare in self.bare if bare not in seen)

    def givers(self) -> Iterator[Giver]:
        """Everything that is given options, as far as it can be seen what."""
        for declared, decorator in self.declared():
            if declared.given is not UNKNOWN:
                yield Giver(
                    builder=f"@{decorator}",
                    where=f"on `{declared.ref.name}`",
                    accepts=vocabulary.DECORATORS[decorator],
                    given=declared.given,
                    anchor=declared.anchor.at("option"),
                )
        for step in self.steps():
            if isinstance(step, LoopStep | ParallelStep) and step.given is not UNKNOWN:
                name = vocabulary.LOOP if isinstance(step, LoopStep) else vocabulary.PARALLEL
                yield Giver(
                    builder=name,
                    where=f"at `{step.anchor.label}` of `{step.anchor.declaration.name}`",
                    accepts=vocabulary.STEP_BUILDERS[name],
                    given=step.given,
                    anchor=step.anchor,
                )
        if self.workflow is not None and self.app is not UNKNOWN and self.app.config is not UNKNOWN:
            yield Giver(
                builder=vocabulary.CONFIG,
                where=f"of an app of `{self.workflow.ref.name}`",
                accepts=vocabulary.CONFIG_OPTIONS,
                given=self.app.config,
                anchor=Anchor(self.workflow.ref, ("app",)),
            )

    def declared(self) -> Iterator[tuple[AgentDecl | ToolDecl | WorkflowDecl, str]]:
        """Every class that is declared, with the decorator that makes it what it is."""
        if self.workflow is not None:
            yield self.workflow, vocabulary.WORKFLOW
        yield from ((agent, vocabulary.AGENT) for agent, _ in self.all_agents())
        yield from ((tool, vocabulary.TOOL) for tool, _ in self.all_tools() if not tool.is_function)

    def all_methods(self) -> Iterator[tuple[AgentDecl, MethodDecl]]:
        """Every method of every agent, hooks included."""
        for agent, _ in self.all_agents():
            yield from ((agent, method) for method in (() if agent.methods is UNKNOWN else agent.methods))

    def called_methods(self) -> Iterator[tuple[AgentDecl, MethodDecl]]:
        """The hooks of every agent, and its own `run`."""
        return ((agent, method) for agent, method in self.all_methods() if method.name in vocabulary.CALLED)

    def made_here(self) -> tuple[Related, ...]:
        """The link to where the app is made."""
        if self.workflow is None:
            return ()
        return (Related(f"the app of `{self.workflow.ref.name}` is made here", Anchor(self.workflow.ref, ("app",))),)

    def declared_here(self) -> tuple[Related, ...]:
        """The last link of a chain: where the workflow is declared."""
        if self.workflow is None:
            return ()
        return (Related(f"workflow `{self.workflow.ref.name}` is declared here", Anchor(self.workflow.ref)),)

    @cached_property
    def _agents(self) -> tuple[tuple[AgentDecl, tuple[Related, ...]], ...]:
        seen: dict[AgentDecl, tuple[Related, ...]] = {}
        for step in self.steps():
            if isinstance(step, AgentStep) and step.agent not in seen:
                seen[step.agent] = (Related(f"agent `{step.agent.ref.name}` is a step here", step.anchor),)
        for agent in self.agents:
            seen.setdefault(agent, ())
        return tuple(seen.items())

    @cached_property
    def _tools(self) -> tuple[tuple[ToolDecl, tuple[Related, ...]], ...]:
        seen: dict[ToolDecl, tuple[Related, ...]] = {}
        for agent, chain in self._agents:
            for entry in agent.entries:
                if isinstance(entry.tool, ToolDecl) and entry.tool not in seen:
                    link = Related(f"tool `{entry.tool.ref.name}` is used by `{agent.ref.name}` here", entry.anchor)
                    seen[entry.tool] = (link, *chain)
        for tool in self.tools:
            seen.setdefault(tool, ())
        return tuple(seen.items())


def classes_asked(consumers: Iterable[Consumer], kind: RequestKind) -> Iterator[tuple[Consumer, ParamDecl, Ref]]:
    """Every parameter that asks for this as a certain class, and the class."""
    for consumer in consumers:
        for param in consumer.signature.params:
            for request in param.asked():
                if request.kind is kind and isinstance(request.of, Ref):
                    yield consumer, param, request.of


def _memory_named(
    consumer: Consumer, param: ParamDecl
) -> Iterator[tuple[Consumer, ParamDecl, Ref | Unknown | None, int]]:
    """What a parameter asks for by itself, if that is one memory and nothing else."""
    match param.asked():
        case (Request(kind=RequestKind.MEMORY, of=store),):
            yield consumer, param, store, 0
