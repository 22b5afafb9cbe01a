"""Declared classes -> declarations, and where each part of them stands.

The runtime's twin is `thena_runtime.build.describe`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from thena_contract import vocabulary
from thena_contract.anchor import Anchor, Ref
from thena_contract.declarations import (
    UNKNOWN,
    AgentDecl,
    AgentStep,
    BareDecl,
    BareStep,
    Called,
    Given,
    LoopStep,
    MethodDecl,
    NestedStep,
    OtherStep,
    ParallelStep,
    PromptFile,
    PromptText,
    ProviderDecl,
    Shape,
    Signature,
    StateDecl,
    StepDecl,
    Steps,
    Thing,
    ToolDecl,
    ToolEntry,
    Unknown,
    UnknownStep,
    WorkflowDecl,
)
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import (
    ClassAt,
    External,
    Framework,
    FunctionAt,
    Scope,
    ValueAt,
    is_framework,
    resolve,
)
from thena_lint.link.annotations import ref_of
from thena_lint.link.bare import bare_class, bare_function
from thena_lint.link.classes import (
    Decoration,
    declarations_on,
    declared_as,
    is_left_alone,
    keeps_its_name,
    makes_instances,
    mro,
    scope_around,
)
from thena_lint.link.loops import is_none, read_called, read_state_of_loop
from thena_lint.link.members import called_by, fields_of, methods_of
from thena_lint.link.nesting import contained_in
from thena_lint.link.providers import read_provider
from thena_lint.link.sequences import Item, UnknownItems, items_of, no_list
from thena_lint.link.signatures import class_ref, function_ref, read_function, read_method
from thena_lint.link.states import read_state, shape_of
from thena_lint.link.texts import read_prompt, text_of
from thena_lint.link.things import given_to, stays_a_function, thing_of
from thena_lint.summary.expressions import NONE, Attribute, Call, Expression, Lambda, Name
from thena_lint.summary.spans import Site

_DEEPEST: Final = 40

Prompt = PromptFile | PromptText | Thing | Unknown | None
Option = tuple[int, Expression] | Unknown | None


@dataclass(slots=True)
class Reader:
    """Reads the classes of one assembly. Owned by the linking of that assembly, and remembers while it goes."""

    index: ProjectIndex
    sites: dict[Anchor, Site] = field(default_factory=dict)
    homes: dict[Ref, ClassAt | FunctionAt] = field(default_factory=dict)
    agents: dict[tuple[Path, str], AgentDecl] = field(default_factory=dict)
    tools: dict[tuple[tuple[Path, str], bool], ToolDecl] = field(default_factory=dict)
    """By the class or function, and whether it is an instance that the user has made."""

    undeclared: set[tuple[Path, str]] = field(default_factory=set)
    """Those whose decorator declares nothing."""

    files: dict[str, set[Path]] = field(default_factory=dict)
    """The files that a name stands for: one, unless two folders are packages without saying so."""

    @property
    def used(self) -> set[tuple[Path, str]]:
        """The agents and tools that were read, by what makes them these and no others."""
        return {*self.agents, *(key for key, _ in self.tools), *self.undeclared}

    def workflow(self, at: ClassAt, decoration: Decoration) -> WorkflowDecl:
        """Read a `@Workflow` class."""
        ref = self._known(at)
        anchor = Anchor(ref).at("option", "steps")
        return WorkflowDecl(
            ref=ref,
            state=self._state(at, decoration),
            steps=self._option_steps(at, decoration, anchor),
            given=self._given(at, decoration, ref),
            decorators=declarations_on(self.index, at),
            methods=methods_of(self.index, at, (vocabulary.CONSTRUCTOR,)),
            fields=fields_of(self.index, at, read_method(self.index, at, vocabulary.CONSTRUCTOR)),
        )

    def agent(self, at: ClassAt, decoration: Decoration) -> AgentDecl:
        """Read an `@Agent` class."""
        if at.key not in self.agents:
            ref = self._known(at)
            constructor = read_method(self.index, at, vocabulary.CONSTRUCTOR)
            self.agents[at.key] = AgentDecl(
                ref=ref,
                prompt=self._prompt(at, decoration),
                tools=self._tools(at, decoration, Anchor(ref).at("option", "tools")),
                constructor=UNKNOWN if constructor is None else constructor,
                provider=self._provider(at, decoration, Anchor(ref).at("option", "provider")),
                sampling=self._sampling(at, decoration),
                given=self._given(at, decoration, ref),
                decorators=declarations_on(self.index, at),
                shape=shape_of(self.index, at),
                methods=methods_of(self.index, at, vocabulary.CALLED),
                fields=fields_of(self.index, at, constructor),
            )
        return self.agents[at.key]

    def tool(self, at: ClassAt, *, is_made: bool = False) -> ToolDecl:
        """Read a `@Tool` class, or an instance of one: its constructor has been filled by the user."""
        key = (at.key, is_made)
        if key not in self.tools:
            ref = self._known(at)
            decoration = declared_as(self.index, at)
            subject = f"{at.facts.name}.{vocabulary.CONSTRUCTOR}"
            made = Signature(subject=subject, is_generator=False)
            constructor = read_method(self.index, at, vocabulary.CONSTRUCTOR)
            methods = methods_of(self.index, at, (vocabulary.EXECUTE,))
            self.tools[key] = ToolDecl(
                ref=ref,
                constructor=made if is_made else UNKNOWN if constructor is None else constructor,
                execute=self._execute(at, methods),
                name=self._text(at, decoration, "name"),
                description=self._text(at, decoration, "description"),
                has_own_schema=self._is_given(at, decoration, "schema"),
                given=UNKNOWN if decoration is None else self._given(at, decoration, ref),
                decorators=declarations_on(self.index, at),
                shape=Shape() if is_made else shape_of(self.index, at),
                methods=methods,
                fields=() if is_made else fields_of(self.index, at, constructor),
            )
        return self.tools[key]

    def _execute(self, at: ClassAt, methods: tuple[MethodDecl, ...] | Unknown) -> Called:
        """A tool's `execute`; where not every base is seen, the class may still have one of its own."""
        if methods is UNKNOWN or any(one is not UNKNOWN and one.facts.is_open for one in mro(self.index, at)):
            return read_method(self.index, at, vocabulary.EXECUTE)
        return called_by(methods, vocabulary.EXECUTE)

    def _function_tool(self, at: FunctionAt) -> ToolDecl:
        key = (at.key, False)
        if key not in self.tools:
            ref = function_ref(self.index, at)
            self._know(ref, at)
            execute = read_function(self.index, at)
            is_plain = stays_a_function(self.index, at) and is_left_alone(self.index, at)
            self.tools[key] = ToolDecl(
                ref=ref,
                constructor=Signature(subject=ref.name, is_generator=False),
                execute=execute,
                name=at.facts.qualname if is_plain else UNKNOWN,
                description=None if is_plain and not at.facts.has_docstring else UNKNOWN,
                has_own_schema=False,
                is_function=True,
                given=Given(),
                decorators=(),
                shape=Shape(),
                methods=(),
                fields=(),
            )
        return self.tools[key]

    def _bare(self, at: ClassAt | FunctionAt) -> BareDecl | None:
        """A class or function that has a decorator of ours and is declared nothing."""
        bare = bare_class(self.index, at) if isinstance(at, ClassAt) else bare_function(self.index, at)
        if bare is not None:
            self.bare(at, bare)
        return bare

    def bare(self, at: ClassAt | FunctionAt, bare: BareDecl) -> BareDecl:
        """Remember where it is."""
        self._know(bare.ref, at)
        self.undeclared.add(at.key)
        return bare

    def _given(self, at: ClassAt, decoration: Decoration, ref: Ref) -> Given | Unknown:
        """What a class's decorator was given, and where each option of it stands."""
        if decoration.call is None:
            return UNKNOWN
        anchor, site = Anchor(ref).at("option"), _site(at, decoration)
        for position, one in reversed(tuple(enumerate(decoration.call.arguments, start=1))):
            if not one.star:
                # All that is given without a name stands where the first of it does.
                self.sites[anchor.at(one.keyword or 0)] = site.argument(position)
        return given_to(self.index, scope_around(at), decoration.call)

    def _known(self, at: ClassAt) -> Ref:
        """Name a class, and remember where it and its bases are."""
        ref = class_ref(self.index, at)
        self._know(ref, at)
        for one in mro(self.index, at):
            if one is not UNKNOWN and one.key != at.key:
                self._know(class_ref(self.index, one), one)
        return ref

    def _know(self, ref: Ref, at: ClassAt | FunctionAt) -> None:
        self.homes.setdefault(ref, at)
        self.files.setdefault(ref.module, set()).add(at.file)

    # -- options

    def _state(self, at: ClassAt, decoration: Decoration) -> StateDecl | Thing | Unknown | None:
        option = _option(decoration, "state")
        if option is None or option is UNKNOWN:
            return option
        _, expression = option
        if expression == NONE:
            return None
        match resolve(self.index, scope_around(at), expression):
            case ValueAt(value=value) if value.expression == NONE:
                return None
            case ClassAt() as state:
                self._known(state)
                return read_state(self.index, state)
            case External() as what if (ref := ref_of(self.index, what)) is not UNKNOWN:
                return StateDecl(ref=ref)
        thing = thing_of(self.index, scope_around(at), expression)
        return thing if thing is not UNKNOWN and thing.kind in ("value", "instance", "function") else UNKNOWN

    def _prompt(self, at: ClassAt, decoration: Decoration) -> Prompt:
        option = _option(decoration, "prompt")
        if option is None or option is UNKNOWN:
            return option
        return read_prompt(self.index, at.file.parent, scope_around(at), option[1])

    def _provider(self, at: ClassAt, decoration: Decoration, anchor: Anchor) -> ProviderDecl | Thing | Unknown | None:
        option = _option(decoration, "provider")
        if option is None or option is UNKNOWN:
            return option
        return read_provider(self.index, scope_around(at), option[1], anchor)

    def _sampling(self, at: ClassAt, decoration: Decoration) -> Thing | Unknown | None:
        option = _option(decoration, "sampling")
        if option is None or option is UNKNOWN:
            return option
        thing = thing_of(self.index, scope_around(at), option[1])
        if thing is UNKNOWN or thing.kind == "instance":
            return UNKNOWN
        return None if thing.kind == "value" and thing.name in ("NoneType", "dict") else thing

    def _text(self, at: ClassAt, decoration: Decoration | None, option: str) -> str | Thing | Unknown | None:
        given = UNKNOWN if decoration is None else _option(decoration, option)
        return given if given is None or given is UNKNOWN else text_of(self.index, scope_around(at), given[1])

    def _is_given(self, at: ClassAt, decoration: Decoration | None, option: str) -> bool | Unknown:
        """Say whether an option is given and isn't `None`."""
        given = UNKNOWN if decoration is None else _option(decoration, option)
        if given is None or given is UNKNOWN:
            return False if given is None else UNKNOWN
        thing = thing_of(self.index, scope_around(at), given[1])
        return UNKNOWN if thing is UNKNOWN else thing.name != "NoneType"

    def _tools(self, at: ClassAt, decoration: Decoration, anchor: Anchor) -> tuple[ToolEntry, ...] | Thing | Unknown:
        option = _option(decoration, "tools")
        if option is None:
            return ()
        if option is UNKNOWN:
            return UNKNOWN
        position, expression = option
        whole = Item(scope_around(at), expression, _site(at, decoration).at(position))
        thing = no_list(self.index, whole)
        if thing is not None:
            return thing
        found = []
        is_counted = True
        for number, item in enumerate(items_of(self.index, whole)):
            entry = anchor.at(number)
            self.sites[entry] = item.site
            is_counted = is_counted and not isinstance(item, UnknownItems)
            tool = UNKNOWN if isinstance(item, UnknownItems) else self._tool_entry(item.scope, item.expression)
            # What comes after some that aren't seen may stand at another position, which texts name.
            found.append(ToolEntry(tool=tool if is_counted or isinstance(tool, ToolDecl) else UNKNOWN, anchor=entry))
        return tuple(found)

    def _tool_entry(self, scope: Scope, expression: Expression) -> ToolDecl | BareDecl | Thing | Unknown:
        is_made = isinstance(expression, Call)
        match expression:
            case Name() | Attribute():
                what = resolve(self.index, scope, expression)
            case Call(function=function):
                what = resolve(self.index, scope, function)
                if isinstance(what, ClassAt) and not makes_instances(self.index, what):
                    return UNKNOWN
            case Lambda():
                return UNKNOWN
            case _:
                return thing_of(self.index, scope, expression)
        match what:
            case ClassAt() as at if keeps_its_name(self.index, at) and self._is(at, vocabulary.TOOL):
                return self.tool(at, is_made=is_made)
            case ClassAt() as at if not is_made and (bare := self._bare(at)) is not None:
                return bare
            case FunctionAt() as function_at if is_made or function_at.owner is not None:
                return UNKNOWN
            case FunctionAt() as plain:
                bare = self._bare(plain)
                return self._function_tool(plain) if bare is None else bare
            case ValueAt(scope=there, value=value) if not is_made and not value.type_params:
                return UNKNOWN if isinstance(value.expression, Lambda) else self._tool_entry(there, value.expression)
        thing = thing_of(self.index, scope, expression)
        # A built-in function is a tool like any other.
        return UNKNOWN if thing is UNKNOWN or thing.kind == "function" else thing

    def _is(self, at: ClassAt, decorator: str) -> bool:
        decoration = declared_as(self.index, at)
        return decoration is not None and is_framework(decoration.what, decorator)

    # -- steps

    def _option_steps(self, at: ClassAt, decoration: Decoration, anchor: Anchor) -> Steps:
        option = _option(decoration, "steps")
        if option is None:
            return None
        if option is UNKNOWN:
            return (UnknownStep(anchor=anchor.at(0)),)
        position, expression = option
        whole = Item(scope_around(at), expression, _site(at, decoration).at(position))
        return self._steps(whole, anchor, 0)

    def _steps(self, whole: Item, anchor: Anchor, depth: int) -> Steps:
        thing = no_list(self.index, whole)
        if thing is not None:
            return thing
        found: list[StepDecl] = []
        is_counted = True
        for number, item in enumerate(items_of(self.index, whole)):
            here = anchor.at(number)
            self.sites[here] = item.site
            if isinstance(item, UnknownItems):
                is_counted = False
                found.append(UnknownStep(anchor=here))
            else:
                step = self._step(item, here, depth)
                found.append(step if is_counted else _uncounted(step))
        return tuple(found)

    def _step(self, item: Item, anchor: Anchor, depth: int) -> StepDecl:
        if depth > _DEEPEST:
            return UnknownStep(anchor=anchor)
        match item.expression:
            case Name() | Attribute():
                return self._named_step(item, anchor, depth)
            case Call():
                return self._called_step(item, item.expression, anchor, depth)
        return self._other_step(item, anchor)

    def _named_step(self, item: Item, anchor: Anchor, depth: int) -> StepDecl:
        match resolve(self.index, item.scope, item.expression):
            case ClassAt() as at if (step := self._class_step(at, anchor)) is not None:
                return step
            case (ClassAt() | FunctionAt()) as at if (bare := self._bare(at)) is not None:
                return BareStep(bare=bare, anchor=anchor)
            case ValueAt(scope=scope, value=value, site=site):
                return self._step(Item(scope, value.expression, site), anchor, depth + 1)
        return self._other_step(item, anchor)

    def _other_step(self, item: Item, anchor: Anchor) -> StepDecl:
        thing = thing_of(self.index, item.scope, item.expression)
        return UnknownStep(anchor=anchor) if thing is UNKNOWN else OtherStep(thing=thing, anchor=anchor)

    def _class_step(self, at: ClassAt, anchor: Anchor) -> StepDecl | None:
        decoration = declared_as(self.index, at)
        if decoration is not None and keeps_its_name(self.index, at):
            if is_framework(decoration.what, vocabulary.AGENT):
                return AgentStep(agent=self.agent(at, decoration), anchor=anchor)
            if is_framework(decoration.what, vocabulary.WORKFLOW):
                reaches = tuple(sorted(self._known(one) for one in contained_in(self.index, at)))
                return NestedStep(workflow=self._known(at), anchor=anchor, reaches=reaches)
        return None

    def _called_step(self, item: Item, call: Call, anchor: Anchor, depth: int) -> StepDecl:
        match resolve(self.index, item.scope, call.function):
            case Framework(name=vocabulary.LOOP):
                return self._loop(item, call, anchor, depth)
            case Framework(name=vocabulary.PARALLEL):
                return ParallelStep(
                    steps=self._inner_steps(item, call, anchor, depth),
                    anchor=anchor,
                    given=self._given_to_builder(item, call, anchor),
                )
        return self._other_step(item, anchor)

    def _loop(self, item: Item, call: Call, anchor: Anchor, depth: int) -> LoopStep:
        state = _named(call, "state")
        # What a loop behind a name lacks, it lacks where it is written.
        self.sites[anchor] = item.site
        return LoopStep(
            steps=self._inner_steps(item, call, anchor, depth),
            until=self._called(item, call, anchor.at("until")),
            anchor=anchor,
            given=self._given_to_builder(item, call, anchor),
            on_exhausted=self._called(item, call, anchor.at(vocabulary.ON_EXHAUSTED), or_none=True),
            on_fail=self._called(item, call, anchor.at(vocabulary.ON_FAIL), or_none=True),
            state=read_state_of_loop(self.index, item.scope, state) if isinstance(state, Expression) else state,
        )

    def _given_to_builder(self, item: Item, call: Call, anchor: Anchor) -> Given:
        """What `loop` or `parallel` was given, and where each option of it stands."""
        for position, one in enumerate(call.arguments, start=1):
            if one.keyword is not None:
                self.sites[anchor.at(one.keyword)] = item.site.argument(position)
        return given_to(self.index, item.scope, call, leading=0 if call.keyword("steps") else 1)

    def _inner_steps(self, item: Item, call: Call, anchor: Anchor, depth: int) -> Steps:
        given = call.keyword("steps") or ((1, call.positional[0]) if call.positional else None)
        inner = anchor.at("steps")
        if given is None:
            is_hidden = call.spreads_positional or call.spreads_keywords
            return (UnknownStep(anchor=inner.at(0)),) if is_hidden else None
        position, expression = given
        self.sites[inner] = item.site.at(position)
        return self._steps(Item(item.scope, expression, item.site.at(position)), inner, depth + 1)

    def _called(self, item: Item, call: Call, anchor: Anchor, *, or_none: bool = False) -> Called:
        """What a loop is to call, the option being the last part of the anchor."""
        function = _named(call, str(anchor.path[-1]))
        if function is UNKNOWN or function is None or (or_none and is_none(self.index, item.scope, function)):
            return None if function is not UNKNOWN else UNKNOWN
        return read_called(self.index, item.scope, function, anchor)


def _named(call: Call, name: str) -> Expression | Unknown | None:
    """An argument that is given by name; `UNKNOWN` where it may be among those that are spread."""
    given = call.keyword(name)
    if given is not None:
        return given[1]
    return UNKNOWN if call.spreads_keywords else None


def _uncounted(step: StepDecl) -> StepDecl:
    """A step after some that aren't seen: what it is stays certain, but not its position, which texts name."""
    match step:
        case OtherStep(anchor=anchor) | NestedStep(anchor=anchor):
            return UnknownStep(anchor=anchor)
        case LoopStep():
            # Nothing but which agents it has stays: all else stands at a position.
            return LoopStep(steps=_uncounted_steps(step.steps, step.anchor), until=UNKNOWN, anchor=step.anchor)
        case ParallelStep():
            return ParallelStep(steps=_uncounted_steps(step.steps, step.anchor), anchor=step.anchor)
    return step


def _uncounted_steps(steps: Steps, anchor: Anchor) -> Steps:
    if not isinstance(steps, tuple) or not steps:
        return (UnknownStep(anchor=anchor.at("steps", 0)),)
    return tuple(map(_uncounted, steps))


def _option(decoration: Decoration, name: str) -> Option:
    """An option of a decorator, with its position; `UNKNOWN` where it may be among those that are spread."""
    call = decoration.call
    if call is None:
        return None
    given = call.keyword(name)
    return UNKNOWN if given is None and call.spreads_keywords else given


def _site(at: ClassAt, decoration: Decoration) -> Site:
    return Site(at.file, at.facts.qualname, ("decorator", decoration.position))


def classes_declared(index: ProjectIndex, file: Path) -> Iterator[tuple[ClassAt, Decoration]]:
    """The agents, tools and workflows that a file declares."""
    indexed = index.file(file)
    if indexed is None or indexed.facts is None:
        return
    for facts in indexed.facts.classes():
        at = ClassAt(file, facts)
        decoration = declared_as(index, at)
        if decoration is not None:
            yield at, decoration
