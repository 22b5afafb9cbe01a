"""A workflow with the bodies of all that takes part in it."""

from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cached_property
from typing import Final

from thena_contract import vocabulary
from thena_contract.anchor import Ref
from thena_contract.declarations import (
    POSITIONAL,
    AgentDecl,
    AgentStep,
    LoopStep,
    NestedStep,
    ParallelStep,
    ParamKind,
    StateDecl,
    ToolDecl,
    WorkflowDecl,
)
from thena_contract.frozen import frozen
from thena_lint.bodies.acts import Act, Conduct, Role, act_of_function, conduct_of, seen_of
from thena_lint.bodies.meanings import NOTHING, Known, Meaning, TheState, class_of_state, names_of, with_local_names
from thena_lint.bodies.memory import BodyIndex
from thena_lint.bodies.written import Found, behind_names, expression_at
from thena_lint.index.resolve import ClassAt, Framework, FunctionAt, Scope, is_framework, resolve
from thena_lint.link.assemblies import Linked
from thena_lint.summary.expressions import Attribute, Call, Lambda, Name, Parameter
from thena_lint.summary.spans import Site

_VARIADIC: Final = frozenset({ParamKind.VAR_POSITIONAL, ParamKind.VAR_KEYWORD})

_UNTIL: Final = "until"
_STATE: Final = "state"
_CALLED: Final = (_UNTIL, "on_fail", "on_exhausted")


@frozen(kw_only=True)
class Loop:
    """One loop: where its `until` is written, and what that does (`None` where it can't be seen).

    `state` is the name of the parameter through which `until` sees the workflow's state, if there is one.
    """

    site: Site
    until: Act | None
    state: str | None = None
    is_ours: bool = False
    """Whether `until` is one of the framework's own."""

    callbacks: tuple[Act, ...] = ()


@frozen(kw_only=True, slots=False)
class Flow:
    """A workflow, its state's class, its loops, and the functions that are its tools.

    What its classes do is read only when somebody asks, since it changes with every edit in one of them.
    """

    index: BodyIndex
    linked: Linked
    workflow: WorkflowDecl
    state: ClassAt | None
    agents: tuple[AgentDecl, ...]
    tools: tuple[ToolDecl, ...]
    loops: tuple[Loop, ...]
    functions: tuple[Act, ...]

    @cached_property
    def conducts(self) -> tuple[Conduct, ...]:
        """What its agents and tools do, as far as they are classes that are seen."""
        homes = [
            *((self.linked.homes.get(one.ref), vocabulary.AGENT) for one in self.agents),
            *((self.linked.homes.get(one.ref), vocabulary.TOOL) for one in self.tools),
        ]
        return tuple(conduct_of(self.index, home, decorator) for home, decorator in homes if isinstance(home, ClassAt))

    @cached_property
    def is_whole(self) -> bool:
        """Say whether nothing that takes part in it is unseen."""
        known = (AgentStep, LoopStep, ParallelStep, NestedStep)
        return (
            all(isinstance(step, known) for step in self.linked.assembly.steps())
            and all(isinstance(one.tools, tuple) for one in self.agents)
            and all(isinstance(entry.tool, ToolDecl) for one in self.agents for entry in one.entries)
            and len(self.conducts) + len(self.functions) == len(self.agents) + len(self.tools)
            and all(one.is_whole for one in self.conducts)
        )

    @property
    def acts(self) -> Iterator[Act]:
        """Every body of the workflow that is seen, those of `until` included."""
        for conduct in self.conducts:
            yield from conduct.acts
        yield from self.functions
        yield from self.called

    @property
    def called(self) -> Iterator[Act]:
        """What the loops call."""
        for loop in self.loops:
            yield from loop.callbacks if loop.until is None else (loop.until, *loop.callbacks)

    def lacks(self, agent: Ref, *methods: str) -> bool:
        """Say whether an agent certainly has none of these methods."""
        home = self.linked.homes.get(agent)
        if not isinstance(home, ClassAt):
            return False
        order, is_whole = seen_of(self.index, home)
        is_whole = is_whole and not any(one.facts.is_open for one in order)
        return is_whole and not any(name in one.facts.names for one in order for name in methods)


def flow_of(index: BodyIndex, linked: Linked, workflow: WorkflowDecl) -> Flow:
    """Read a workflow and what its loops call."""
    state = _state(linked, workflow)
    agents = _agents(linked)
    tools = _tools(agents)
    functions = (linked.homes.get(tool.ref) for tool in tools)
    acts = (act_of_function(index, one, "execute") for one in functions if isinstance(one, FunctionAt))
    loops = (
        _loop(index, linked, step, state, has_state=workflow.state is not None)
        for step in linked.assembly.steps()
        if isinstance(step, LoopStep)
    )
    return Flow(
        index=index,
        linked=linked,
        workflow=workflow,
        state=state,
        agents=agents,
        tools=tools,
        loops=tuple(loop for loop in loops if loop is not None),
        functions=tuple(act for act in acts if act is not None),
    )


def _agents(linked: Linked) -> tuple[AgentDecl, ...]:
    """Every agent of a workflow once. `Assembly.all_agents` compares whole declarations, which costs more."""
    steps = linked.assembly.steps()
    return tuple({step.agent.ref: step.agent for step in steps if isinstance(step, AgentStep)}.values())


def _tools(agents: Iterable[AgentDecl]) -> tuple[ToolDecl, ...]:
    entries = (entry.tool for agent in agents for entry in agent.entries)
    return tuple({tool.ref: tool for tool in entries if isinstance(tool, ToolDecl)}.values())


def _state(linked: Linked, workflow: WorkflowDecl) -> ClassAt | None:
    home = linked.homes.get(workflow.state.ref) if isinstance(workflow.state, StateDecl) else None
    return home if isinstance(home, ClassAt) else None


def _loop(index: BodyIndex, linked: Linked, step: LoopStep, state: ClassAt | None, *, has_state: bool) -> Loop | None:
    """What a loop calls, if it is written where it can be seen."""
    site = linked.sites.get(step.anchor)
    written = None if site is None else expression_at(index, site)
    if written is None:
        return None
    scope, call, at = behind_names(index, written)
    if not isinstance(call, Call) or not is_framework(resolve(index, scope, call.function), vocabulary.LOOP):
        return None
    called = {
        name: (_callee(index, (scope, given[1], at.at(given[0]))), given[0])
        for name in _CALLED
        if (given := call.keyword(name)) is not None
    }
    if _UNTIL not in called:
        return None
    until, position = called.pop(_UNTIL)
    if isinstance(until, _Callee) and not until.can_be_asked(has_state=has_state):
        # It is at fault otherwise, and never asked.
        until = None
    callbacks = (_act(index, name, "callback", callee, (Known.CONTEXT,)) for name, (callee, _) in called.items())
    meant = TheState(state if _is_meant(index, scope, call, until, state) else None)
    return Loop(
        site=at.argument(position),
        until=_act(index, _UNTIL, "until", until, (Known.CONTEXT, meant)),
        state=None if until is None or until is OURS else until.second,
        is_ours=until is OURS,
        callbacks=tuple(act for act in callbacks if act is not None),
    )


def _is_meant(
    index: BodyIndex, scope: Scope, call: Call, until: "_Callee | _Ours | None", state: ClassAt | None
) -> bool:
    """Say whether nothing in a loop names another class than the workflow's state."""
    named = []
    given = call.keyword(_STATE)
    if given is not None:
        named.append((scope, given[1]))
    if isinstance(until, _Callee):
        named += [
            (until.scope, one.annotation)
            for one in until.parameters
            if one.name == until.second and one.annotation is not None
        ]
    return not call.spreads_keywords and all(class_of_state(index, *one) == state for one in named)


@frozen
class _Callee:
    """A lambda or plain function, where it stands, and where its names are read."""

    scope: Scope
    site: Site
    parameters: tuple[Parameter, ...]
    is_async: bool = False

    @property
    def positional(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.parameters if one.kind in POSITIONAL)

    def can_be_asked(self, *, has_state: bool) -> bool:
        """Say whether it can be called with a context, and with the state if there is one."""
        required = [one.kind for one in self.parameters if not one.has_default and one.kind not in _VARIADIC]
        takes_any = any(one.kind is ParamKind.VAR_POSITIONAL for one in self.parameters)
        return (
            bool(self.positional or takes_any)
            and len(required) <= 1 + has_state
            and ParamKind.KEYWORD_ONLY not in required
        )

    @property
    def second(self) -> str | None:
        return self.positional[1] if len(self.positional) > 1 else None


class _Ours(Enum):
    OURS = "ours"


OURS: Final = _Ours.OURS


def _callee(index: BodyIndex, written: Found) -> _Callee | _Ours | None:
    """What is given as `until` or as a callback; `None` where it can't be seen what that does."""
    scope, expression, site = behind_names(index, written)
    match expression:
        case Lambda(parameters=parameters):
            return _Callee(scope, site, parameters)
        case Name() | Attribute():
            match resolve(index, scope, expression):
                case FunctionAt(file=file, owner=None, facts=facts) if not facts.decorators:
                    return _Callee(Scope(file), Site(file, facts.qualname), facts.parameters, facts.is_async)
                case Framework():
                    return OURS
    return None


def _act(
    index: BodyIndex, name: str, role: Role, callee: _Callee | _Ours | None, meanings: tuple[Meaning, ...]
) -> Act | None:
    body = None
    if isinstance(callee, _Callee):
        body = index.body(callee.site.file, (callee.site.owner, callee.site.part, callee.site.down))
    if not isinstance(callee, _Callee) or body is None:
        return None
    given = dict(zip(callee.positional, meanings, strict=False))
    params = names_of(callee.parameters)
    return Act(
        subject=name if callee.site.part else callee.site.owner,
        role=role,
        site=callee.site,
        body=body,
        scope=callee.scope,
        params=params,
        roots=with_local_names(index, callee.scope, body, given, params, NOTHING),
        fields=NOTHING,
        clouded=frozenset(given) & body.bound.keys(),
        is_async=callee.is_async,
    )
