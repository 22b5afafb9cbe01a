"""Tools, planned: what the model is told, and how `execute` and a constructor are filled."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, cast

from thena_contract import vocabulary
from thena_contract.declarations import UNKNOWN, ParamDecl
from thena_contract.memories import by_position
from thena_contract.vocabulary import RequestKind
from thena_runtime.build import schema
from thena_runtime.build.describe import options_of
from thena_runtime.build.docstrings import documented
from thena_runtime.build.draft import Draft, slot, what
from thena_runtime.build.plan import Slot, ToolNode
from thena_runtime.build.plan_memory import memory_slot
from thena_runtime.build.schema import Argument, NoSchemaError, ToolInput
from thena_runtime.build.schemas import argument_of, unmarked
from thena_runtime.build.signatures import Callee
from thena_runtime.build.things import declared_as
from thena_runtime.decorators import remembered_on
from thena_runtime.messages import ToolSpec

_AT_CONSTRUCTION: Final = (RequestKind.STATE, RequestKind.RUNTIME)
_NOT_IN_TOOLS: Final = (RequestKind.STATE, RequestKind.MEMORY)


def plan_tool(draft: Draft, entry: object) -> ToolNode | None:
    cls = entry if isinstance(entry, type) else type(entry)
    if declared_as(cls) == vocabulary.TOOL:
        return _class_tool(draft, cls, entry)
    if inspect.isroutine(entry) and remembered_on(entry) is None:
        return _function_tool(draft, entry)
    return None  # what is no tool, the judge has said


def _class_tool(draft: Draft, cls: type, entry: object) -> ToolNode | None:
    draft = draft.inside(cls)
    options = options_of(cls)
    callee = draft.description.callees.get((cls, vocabulary.EXECUTE))
    if callee is None or not callable(getattr(cls, vocabulary.EXECUTE)):
        return None  # THN103
    name, description = options.get("name"), options.get("description")
    constructor = plan_constructor(draft, cls) if isinstance(entry, type) else ()
    repeatable = options.get("repeatable", False)
    node = _tool_node(draft, f"`{cls.__name__}`", name, description, callee, entry, constructor, options.get("schema"))
    return None if node is None else replace(node, is_repeatable=repeatable is True)


def _function_tool(draft: Draft, function: Callable[..., object]) -> ToolNode | None:
    draft = draft.inside(function)
    name = getattr(function, "__name__", "")
    description = documented(function).text
    callee = draft.description.callees[function, vocabulary.EXECUTE]
    if inspect.isbuiltin(function) and any(param.is_variadic for param in callee.params):
        callee = replace(callee, signature=UNKNOWN)
    return _tool_node(draft, f"`{name}`", name, description, callee, function, ())


def _tool_node(
    draft: Draft,
    subject: str,
    name: object,
    description: object,
    callee: Callee,
    source: object,
    constructor: tuple[Slot, ...],
    told: object = None,
) -> ToolNode | None:
    if callee.signature is UNKNOWN:
        draft.problem(f"Python can't tell the parameters of tool {subject}. Wrap it in a function that has some.")
        return None
    slots, tool_input = _execute(draft, callee, subject, told)
    if tool_input is None or not isinstance(name, str) or not isinstance(description, str):
        return None
    return ToolNode(
        spec=ToolSpec(name=name, description=description, parameters=tool_input.schema),
        source=source,
        constructor=constructor,
        execute=slots,
        input=tool_input,
        is_async=inspect.iscoroutinefunction(callee.written),
        is_repeatable=False,
    )


def _execute(draft: Draft, callee: Callee, tool: str, told: object) -> tuple[tuple[Slot, ...], ToolInput | None]:
    """What `execute` is called with: injected parameters, and the model's arguments, whole or one by one.

    `told` is what the model is told instead of the parameters.
    """
    count = len(draft.problems)
    slots = [_execute_slot(draft, callee, param) for param in callee.params]
    plain = [slot for slot in slots if slot.request is None]
    whole = [slot for slot in slots if slot.request is RequestKind.INPUT]
    if len(draft.problems) > count or draft.is_refused(callee):
        return tuple(slots), None
    if told is not None:
        return _told(draft, callee, tool, told, slots)
    if not whole and len(plain) == 1 and schema.is_model(callee.annotations[plain[0].name].value):
        # A sole argument that is a model is the whole input.
        slots = [_as_input(slot) if slot is plain[0] else slot for slot in slots]
        whole = [slot for slot in slots if slot.request is RequestKind.INPUT]
    try:
        if whole:
            return tuple(slots), schema.input_of_model(unmarked(callee.annotations[whole[0].name].value))
        return tuple(slots), schema.input_of_parameters(_arguments(callee, plain))
    except NoSchemaError as error:
        subject = callee.signature.subject if callee.signature is not UNKNOWN else ""
        draft.problem(
            f"`{subject}` has parameters that the model can't be told about together ({error}). "
            "Use types with a JSON schema: plain values, lists, dicts, dataclasses, pydantic models."
        )
        return tuple(slots), None


def _told(
    draft: Draft, callee: Callee, tool: str, told: object, slots: list[Slot]
) -> tuple[tuple[Slot, ...], ToolInput | None]:
    """Tell the model of `schema=`: a model class, which also validates, or a JSON schema, which is only told."""
    subject = f"`schema` of tool {tool}"
    try:
        model = None if isinstance(told, Mapping) else schema.input_of_model(told)
    except NoSchemaError as error:
        draft.problem(
            f"{subject} is {what(told)}, which a model can't be told about ({error}). "
            "Give a pydantic model, a dataclass, a `TypedDict` or a JSON schema."
        )
        return tuple(slots), None
    if isinstance(told, Mapping) and told.get("type") != "object":
        draft.problem(f'{subject} is no schema of an object. Give it `"type": "object"` and `"properties"`.')
        return tuple(slots), None
    names = schema.field_names(told)
    plain = [each for each in slots if each.request is None]
    if len(plain) == 1 and plain[0].name not in names:
        # A sole argument of another name is the whole input.
        slots = [_as_input(each) if each is plain[0] else each for each in slots]
        plain = []
    unknown = [name for name in names if name not in {each.name for each in plain}] if plain else []
    missing = [each.name for each in plain if each.name not in names and not each.has_default]
    for name in unknown:
        draft.problem(f"{subject} has `{name}`, which `execute` doesn't take. Add the parameter, or take it out.")
    for name in missing:
        draft.problem(f"{subject} lacks `{name}`, which `execute` needs. Add it, or give the parameter a default.")
    if unknown or missing:
        return tuple(slots), None
    return tuple(slots), model or _validated_as_written(draft, callee, tool, dict(cast(Any, told)), slots)


def _validated_as_written(
    draft: Draft, callee: Callee, tool: str, told: dict[str, Any], slots: list[Slot]
) -> ToolInput | None:
    """Validate by the annotations of `execute`, whatever the model is told."""
    whole = [each for each in slots if each.request is RequestKind.INPUT]
    try:
        if whole:
            annotation = unmarked(callee.annotations[whole[0].name].value)
            validator = schema.input_of_model(
                dict[str, object] if annotation is inspect.Parameter.empty else annotation
            ).validator
        else:
            plain = [argument_of(callee, each.name) for each in slots if each.request is None]
            validator = schema.input_of_parameters(plain).validator
    except NoSchemaError as error:
        draft.problem(f"the arguments of tool {tool} can't be validated ({error}). Annotate them with other types.")
        return None
    return ToolInput(schema=told, validator=validator)


def _execute_slot(draft: Draft, callee: Callee, param: ParamDecl) -> Slot:
    request = next((request.kind for request in param.asked()), None)
    if request is RequestKind.MEMORY:
        return memory_slot(draft, callee, param)
    return slot(param, request, callee)


def plan_constructor(draft: Draft, cls: type) -> tuple[Slot, ...]:
    callee = draft.description.callees.get((cls, vocabulary.CONSTRUCTOR))
    if callee is None or callee.signature is UNKNOWN:
        return ()
    is_agent = declared_as(cls) == vocabulary.AGENT
    counted = by_position(callee.signature, len(draft.description.app.stores)) if is_agent else {}
    slots = (_constructor_slot(draft, cls, callee, param, counted.get(param.name)) for param in callee.params)
    return tuple(slot for slot in slots if slot is not None)


def _constructor_slot(draft: Draft, cls: type, callee: Callee, param: ParamDecl, position: int | None) -> Slot | None:
    if param.stray is not None or param.is_variadic:
        return None
    request = next((request.kind for request in param.asked()), None)
    if request in _NOT_IN_TOOLS and declared_as(cls) == vocabulary.TOOL:
        return None  # THN206
    if request is RequestKind.MEMORY or position is not None:
        return memory_slot(draft, callee, param, position or 0)
    return slot(param, request, callee) if request in _AT_CONSTRUCTION else None


def _as_input(argument: Slot) -> Slot:
    return replace(argument, request=RequestKind.INPUT)


def _arguments(callee: Callee, slots: list[Slot]) -> list[Argument]:
    """The arguments with what the function's docstring says about them."""
    parameters = documented(callee.written).parameters
    return [replace(argument_of(callee, each.name), description=parameters.get(each.name)) for each in slots]
