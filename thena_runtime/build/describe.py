"""Class objects in, declarations out: one of the two readers whose work the contract judges.

It also keeps what a plan needs and a declaration can't hold (the classes, the evaluated annotations), by identity. It
decides nothing: whatever is no declaration at all is described as such.
"""

import errno
import inspect
import stat
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from thena_contract import vocabulary
from thena_contract.anchor import Anchor, Ref
from thena_contract.assembly import Assembly
from thena_contract.declarations import (
    UNKNOWN,
    AgentDecl,
    AgentStep,
    BareDecl,
    BareStep,
    Called,
    FieldDecl,
    Given,
    MethodDecl,
    NestedStep,
    OtherStep,
    ParallelStep,
    PromptFile,
    PromptText,
    Shape,
    Signature,
    StateDecl,
    StepDecl,
    Steps,
    Thing,
    ToolDecl,
    ToolEntry,
    Unknown,
    WorkflowDecl,
)
from thena_contract.spelling import resembles_hook
from thena_runtime.build.describe_app import NO_PARTS, AppParts, describe_app
from thena_runtime.build.describe_bare import describe_bare
from thena_runtime.build.describe_loop import describe_loop
from thena_runtime.build.describe_provider import describe_provider
from thena_runtime.build.describe_state import describe_state, shape_of
from thena_runtime.build.docstrings import documented
from thena_runtime.build.identity import ref_of
from thena_runtime.build.members import fields_of, is_method, methods_of
from thena_runtime.build.mentions import names_spoken_of
from thena_runtime.build.schemas import with_schemas
from thena_runtime.build.signatures import Callee, read_annotation_of, read_function, read_method
from thena_runtime.build.things import declared_as, given_to, thing
from thena_runtime.decorators import Prompt, remembered_on
from thena_runtime.markers import MemoryMarker
from thena_runtime.steps import MISSING, LoopBlock, ParallelBlock


@dataclass(slots=True)
class Description:
    """Everything that one workflow reaches, described once each. Owned by the app's making, and grows while it goes."""

    agents: dict[type, AgentDecl] = field(default_factory=dict)
    tools: dict[object, ToolDecl] = field(default_factory=dict)
    workflows: dict[type, WorkflowDecl] = field(default_factory=dict)
    callees: dict[tuple[object, str], Callee] = field(default_factory=dict)
    objects: dict[Ref, object] = field(default_factory=dict)
    app: AppParts = NO_PARTS
    bare: tuple[BareDecl, ...] = ()
    """What stands in the place of a workflow and declares nothing."""

    @property
    def assemblies(self) -> tuple[Assembly, ...]:
        """One for the workflow and one for each that is nested in it."""
        if self.bare:
            return (Assembly(bare=self.bare),)
        app = describe_app(self.app, self._stores_asked())
        return tuple(Assembly(workflow=workflow, app=app) for workflow in self.workflows.values())

    def _stores_asked(self) -> Iterator[type]:
        for callee in self.callees.values():
            for annotation in callee.annotations.values():
                for marker in annotation.markers:
                    if isinstance(marker, MemoryMarker) and isinstance(marker.store, type):
                        yield marker.store


@dataclass(slots=True)
class _Inside:
    """The workflow whose steps are described, and those that were found among them."""

    workflow: type
    nested: list[type] = field(default_factory=list)


def describe(cls: type, app: AppParts = NO_PARTS) -> Description:
    """Describe a workflow and, transitively, every class that it names, in this app."""
    description = Description(app=app)
    waiting = [cls]
    while waiting:
        workflow = waiting.pop()
        if workflow not in description.workflows:
            inside = _Inside(workflow)
            description.workflows[workflow] = _workflow(workflow, description, inside)
            waiting.extend(inside.nested)
    return description


def describe_no_workflow(value: object) -> Description:
    """Describe what stands in the place of a workflow, if that is a decorator which declares nothing."""
    description = Description()
    bare = _bare(value, description)
    return description if bare is None else replace(description, bare=(bare,))


def defining_file(cls: type) -> Path | None:
    """The file of the class's module, or `None` where there is none."""
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    return None if file is None else Path(file)


def is_prompt_there(path: Path) -> bool | Unknown:
    """Say whether a file is there; unknown where this process may not look, or the disk doesn't answer."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError as error:
        # Whatever else is wrong with it (a name that is too long, say), no file can have such a path.
        return UNKNOWN if error.errno in (errno.EACCES, errno.EPERM, errno.EIO) else False
    except ValueError:
        return False


def options_of(cls: type) -> dict[str, object]:
    """What the class's decorator was given."""
    remembered = remembered_on(cls)
    return {} if remembered is None else dict(remembered.options)


def items(value: object) -> tuple[object, ...] | None:
    """The entries of a list as a user writes one, or `None` where it is none."""
    return tuple(value) if isinstance(value, Sequence) and not isinstance(value, str | bytes) else None


def _state(state: object, into: Description) -> StateDecl | Thing:
    if not isinstance(state, type):
        return thing(state)
    for base in state.__mro__:
        _known(base, into)
    return describe_state(state)


def _workflow(cls: type, into: Description, inside: _Inside) -> WorkflowDecl:
    ref = _known(cls, into)
    options = options_of(cls)
    state = options.get("state")
    return WorkflowDecl(
        ref=ref,
        state=None if state is None else _state(state, into),
        steps=_steps(options.get("steps", MISSING), Anchor(ref).at("option", "steps"), into, inside),
        given=_given(cls),
        decorators=_decorators(cls),
        methods=_methods(cls, into, (vocabulary.CONSTRUCTOR,)),
        fields=_fields(cls, into, _signature(cls, vocabulary.CONSTRUCTOR, into)),
    )


def _steps(value: object, anchor: Anchor, into: Description, inside: _Inside) -> Steps:
    if value is MISSING:
        return None
    entries = items(value)
    if entries is None:
        return thing(value)
    return tuple(_step(item, anchor.at(index), into, inside) for index, item in enumerate(entries))


def _step(item: object, anchor: Anchor, into: Description, inside: _Inside) -> StepDecl:
    if isinstance(item, LoopBlock):
        return describe_loop(item, _steps(item.steps, anchor.at("steps"), into, inside), anchor)
    if isinstance(item, ParallelBlock):
        steps = _steps(item.steps, anchor.at("steps"), into, inside)
        return ParallelStep(steps=steps, anchor=anchor, given=given_to(item.options, unnamed=len(item.extra)))
    if isinstance(item, type):
        return _class_step(item, anchor, into, inside)
    bare = _bare(item, into)
    return OtherStep(thing=thing(item), anchor=anchor) if bare is None else BareStep(bare=bare, anchor=anchor)


def _bare(value: object, into: Description) -> BareDecl | None:
    found = describe_bare(value)
    if found is None:
        return None
    bare, above = found
    _known(above, into)
    return bare


def _class_step(cls: type, anchor: Anchor, into: Description, inside: _Inside) -> StepDecl:
    match declared_as(cls):
        case vocabulary.AGENT:
            return AgentStep(agent=_agent(cls, into), anchor=anchor)
        case vocabulary.WORKFLOW:
            inside.nested.append(cls)
            own = ref_of(inside.workflow)
            # Another class may have this one's name, as where a function makes both.
            reached = (each for each in _nested_in(cls) if each is inside.workflow or ref_of(each) != own)
            reaches = tuple(sorted({_known(each, into) for each in reached}))
            return NestedStep(workflow=_known(cls, into), anchor=anchor, reaches=reaches)
        case _:
            return OtherStep(thing=thing(cls), anchor=anchor)


def _nested_in(cls: type) -> set[type]:
    """The workflows that a workflow contains, at any depth."""
    found: set[type] = set()
    waiting: list[object] = [cls]
    while waiting:
        one = waiting.pop()
        steps = options_of(one).get("steps") if isinstance(one, type) else getattr(one, "steps", None)
        for item in items(steps) or ():
            is_new = isinstance(item, type) and item not in found and declared_as(item) == vocabulary.WORKFLOW
            if is_new:
                found.add(cast(type, item))
            if is_new or isinstance(item, LoopBlock | ParallelBlock):
                waiting.append(item)
    return found


def _agent(cls: type, into: Description) -> AgentDecl:
    if cls not in into.agents:
        ref = _known(cls, into)
        options = options_of(cls)
        anchor = Anchor(ref).at("option")
        sampling = options.get("sampling")
        into.agents[cls] = AgentDecl(
            ref=ref,
            prompt=_prompt(cls, options.get("prompt")),
            tools=_tools(options.get("tools", ()), anchor.at("tools"), into),
            constructor=(constructor := _signature(cls, vocabulary.CONSTRUCTOR, into)),
            provider=describe_provider(options.get("provider"), anchor.at("provider")),
            sampling=None if sampling is None or isinstance(sampling, Mapping) else thing(sampling),
            given=_given(cls),
            decorators=_decorators(cls),
            shape=shape_of(cls),
            methods=_methods(cls, into, vocabulary.CALLED),
            fields=_fields(cls, into, constructor),
        )
    return into.agents[cls]


def _given(cls: type) -> Given:
    remembered = remembered_on(cls)
    return Given() if remembered is None else given_to(remembered.options, unnamed=len(remembered.args))


def _decorators(cls: type) -> tuple[str, ...]:
    """The decorators of ours that a class was declared with, the one that counts first."""
    names: list[str] = []
    remembered = remembered_on(cls)
    while remembered is not None:
        names.append(remembered.decorator)
        remembered = remembered.before
    return tuple(names)


def _prompt(cls: type, prompt: object) -> PromptFile | PromptText | Thing | Unknown | None:
    if prompt is None:
        return None
    if isinstance(prompt, Prompt):
        return PromptText(is_empty=not prompt.text.strip()) if isinstance(prompt.text, str) else thing(prompt.text)
    if not isinstance(prompt, str | Path):
        return thing(prompt)
    home = defining_file(cls)
    exists = UNKNOWN if home is None else is_prompt_there(home.parent / prompt)
    return PromptFile(literal=str(prompt), exists=exists)


def _tools(value: object, anchor: Anchor, into: Description) -> tuple[ToolEntry, ...] | Thing:
    entries = items(value)
    if entries is None:
        return thing(value)
    return tuple(ToolEntry(tool=_tool(entry, into), anchor=anchor.at(index)) for index, entry in enumerate(entries))


def _tool(entry: object, into: Description) -> ToolDecl | BareDecl | Thing:
    """A `@Tool` class, an instance of one, a function, or what is none of these."""
    is_made = not isinstance(entry, type)
    cls = type(entry) if is_made else cast(type, entry)
    if declared_as(cls) == vocabulary.TOOL:
        return _class_tool(cls, into, is_made=is_made)
    bare = _bare(entry, into)
    if bare is not None:
        return bare
    if inspect.isroutine(entry):
        return _function_tool(entry, into)
    return thing(entry)


def _class_tool(cls: type, into: Description, *, is_made: bool) -> ToolDecl:
    if (cls, is_made) not in into.tools:
        options = options_of(cls)
        # Of an instance the user has filled the constructor.
        subject = f"{cls.__qualname__.rpartition('.')[2]}.{vocabulary.CONSTRUCTOR}"
        made = Signature(subject=subject, is_generator=False)
        constructor = _signature(cls, vocabulary.CONSTRUCTOR, into)
        into.tools[cls, is_made] = ToolDecl(
            ref=_known(cls, into),
            constructor=made if is_made else constructor,
            execute=_execute(cls, into),
            name=_text(options.get("name")),
            description=_text(options.get("description")),
            has_own_schema=options.get("schema") is not None,
            given=_given(cls),
            decorators=_decorators(cls),
            shape=Shape() if is_made else shape_of(cls),
            methods=_methods(cls, into, (vocabulary.EXECUTE,)),
            fields=() if is_made else _fields(cls, into, constructor),
        )
    return into.tools[cls, is_made]


def _function_tool(function: Callable[..., object], into: Description) -> ToolDecl:
    if function not in into.tools:
        callee = into.callees[function, vocabulary.EXECUTE] = with_schemas(read_function(function))
        ref = _known(function, into)
        into.tools[function] = ToolDecl(
            ref=ref,
            constructor=Signature(subject=ref.name, is_generator=False),
            # Of what isn't written in Python nobody can mend the parameters.
            execute=UNKNOWN if inspect.isbuiltin(function) else callee.signature,
            name=_text(getattr(function, "__name__", None)),
            description=documented(function).text or None,
            has_own_schema=False,
            is_function=True,
            given=Given(),
            decorators=(),
            shape=Shape(),
            methods=(),
            fields=(),
        )
    return into.tools[function]


def _text(value: object) -> str | Thing | None:
    return str(value) if isinstance(value, str) else None if value is None else thing(value)


def _execute(cls: type, into: Description) -> Called:
    given = getattr(cls, vocabulary.EXECUTE, None)
    if not callable(given):
        return None if given is None else thing(given)
    _signature(cls, vocabulary.EXECUTE, into)
    callee = into.callees.get((cls, vocabulary.EXECUTE))
    if callee is None:
        return UNKNOWN  # it is the metaclass's
    told = into.callees[cls, vocabulary.EXECUTE] = with_schemas(callee)
    return told.signature


def _methods(cls: type, into: Description, by_name: Collection[str]) -> tuple[MethodDecl, ...]:
    methods = tuple(methods_of(cls, by_name))
    is_asked = any(resembles_hook(name) for name, _ in methods)
    spoken_of = names_spoken_of(cls) if is_asked else frozenset[str]()
    return tuple(
        MethodDecl(
            name=name,
            called=_called(cls, name, owner),
            anchor=Anchor(_known(owner, into)).at("method", name),
            is_mentioned=name in spoken_of and resembles_hook(name),
        )
        for name, owner in methods
    )


def _called(cls: type, name: str, owner: type) -> Signature | Thing | Unknown:
    value = vars(owner)[name]
    if not is_method(value) and not isinstance(value, type):
        # What a descriptor gives isn't known without asking it.
        return UNKNOWN if hasattr(type(value), "__get__") else thing(value)
    callee = read_method(cls, name, owner)
    return UNKNOWN if callee is None else callee.signature


def _fields(cls: type, into: Description, constructor: Signature | Unknown) -> tuple[FieldDecl, ...]:
    taken = () if constructor is UNKNOWN else [param.name for param in constructor.params]
    return tuple(
        FieldDecl(
            name=name,
            requests=read_annotation_of(cls, owner, name).requests,
            anchor=Anchor(_known(owner, into)).at("field", name),
        )
        for name, owner in fields_of(cls, taken)
    )


def _signature(cls: type, method: str, into: Description) -> Signature | Unknown:
    callee = read_method(cls, method)
    if callee is None:
        return UNKNOWN
    into.callees[cls, method] = callee
    for param in callee.params:
        # An inherited parameter stands in the base that defines the method, which must be found again by its name.
        for base in cls.__mro__:
            if ref_of(base) == param.anchor.declaration:
                into.objects.setdefault(param.anchor.declaration, base)
    return callee.signature


def _known(thing: object, into: Description) -> Ref:
    ref = ref_of(thing)
    into.objects.setdefault(ref, thing)
    return ref
