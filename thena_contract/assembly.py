"""One workflow with everything it uses, joined; or the declarations that no workflow uses.

It is what a rule looks at. The lookups here are the only way in which rules walk declarations.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from thena_contract import vocabulary
from thena_contract.anchor import Anchor
from thena_contract.declarations import (
    UNKNOWN,
    AgentDecl,
    AgentStep,
    AppDecl,
    BareDecl,
    BareStep,
    Given,
    LoopStep,
    MethodDecl,
    ParallelStep,
    ParamDecl,
    Signature,
    StepDecl,
    ToolDecl,
    Unknown,
    WorkflowDecl,
    walk,
)
from thena_contract.fault import Related
from thena_contract.vocabulary import RequestKind


@dataclass(frozen=True, slots=True)
class Consumer:
    """A callable that the runtime fills, and the chain from the workflow to it."""

    signature: Signature
    chain: tuple[Related, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
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
        seen: set[AgentDecl] = set()
        for step in self.steps():
            if isinstance(step, AgentStep) and step.agent not in seen:
                seen.add(step.agent)
                yield step.agent, (Related(f"agent `{step.agent.ref.name}` is a step here", step.anchor),)
        for agent in self.agents:
            if agent not in seen:
                seen.add(agent)
                yield agent, ()

    def all_tools(self) -> Iterator[tuple[ToolDecl, tuple[Related, ...]]]:
        """Every tool once, with the chain that leads to its first use."""
        seen: set[ToolDecl] = set()
        for agent, chain in self.all_agents():
            for entry in agent.entries:
                if isinstance(entry.tool, ToolDecl) and entry.tool not in seen:
                    seen.add(entry.tool)
                    link = Related(f"tool `{entry.tool.ref.name}` is used by `{agent.ref.name}` here", entry.anchor)
                    yield entry.tool, (link, *chain)
        for tool in self.tools:
            if tool not in seen:
                seen.add(tool)
                yield tool, ()

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

    def declared_here(self) -> tuple[Related, ...]:
        """The last link of a chain: where the workflow is declared."""
        if self.workflow is None:
            return ()
        return (Related(f"workflow `{self.workflow.ref.name}` is declared here", Anchor(self.workflow.ref)),)
