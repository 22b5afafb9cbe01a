"""THN208: a required parameter of a constructor that nothing fills."""

from collections.abc import Iterator
from typing import ClassVar, Final, final

from thena_contract.assembly import Assembly
from thena_contract.declarations import (
    UNKNOWN,
    AnnotationDecl,
    ParamDecl,
    Request,
    Shape,
    Signature,
    StrayMarker,
    Unknown,
)
from thena_contract.fault import Fault, Finding
from thena_contract.memories import has_marker, is_certain
from thena_contract.vocabulary import RequestKind

_RUNTIME: Final = (Request(RequestKind.RUNTIME, is_marked=False),)
_FOR_AGENTS: Final = frozenset({RequestKind.STATE, RequestKind.MEMORY})
_FOR_TOOLS: Final = frozenset({RequestKind.RUNTIME})


@final
class ParameterUnfillable(Fault):
    """An agent or a tool can't be made, since it needs what nobody gives."""

    code: ClassVar[str] = "THN208"
    name: ClassVar[str] = "parameter-unfillable"
    text: ClassVar[str] = "`{subject}` parameter {index} `{parameter}` {fact}."
    hint: ClassVar[str] = "Give it a default, or {otherwise}."

    subject: str
    index: int
    parameter: str
    fact: str
    otherwise: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every parameter of a constructor, or of `__new__`, without which no object can be made."""
    for agent, _ in assembly.all_agents():
        if isinstance(agent.constructor, Signature) and _is_made_with_it(agent.shape):
            yield from _of_agent(agent.constructor, assembly)
            yield from _of_new(agent.constructor, agent.shape, _FOR_AGENTS)
    for tool, _ in assembly.all_tools():
        if isinstance(tool.constructor, Signature) and _is_made_with_it(tool.shape):
            made = f"give the agent an object that is made: `tools=[{tool.ref.name}(...)]`"
            missing = filter(_is_plain, tool.constructor.params)
            yield from (_unfilled(tool.constructor, param, made) for param in missing)
            yield from _of_new(tool.constructor, tool.shape, _FOR_TOOLS)


def _is_made_with_it(shape: Shape | Unknown) -> bool:
    """Say whether it is known that an object is made with what the constructor takes, and by no metaclass."""
    return shape is not UNKNOWN and shape.new is not UNKNOWN


def _of_agent(constructor: Signature, assembly: Assembly) -> Iterator[Finding]:
    for param in constructor.params:
        if param.is_required and param.requests == _RUNTIME:
            fact = "asks for the workflow runtime, which only a tool is given"
            yield _finding(constructor, param, fact, "start the workflow in a tool")
        elif _is_plain(param) and (param.annotation is not None or _is_not_counted(constructor, assembly)):
            yield _unfilled(constructor, param, f"ask for what there is, as in `{param.name}: State[...]`")


def _is_not_counted(constructor: Signature, assembly: Assembly) -> bool:
    """Say whether a parameter without annotation certainly is no memory by position."""
    return has_marker(constructor) or (is_certain(constructor) and assembly.stores == ())


def _is_plain(param: ParamDecl) -> bool:
    """Say whether a parameter must be given, and certainly asks for nothing."""
    annotation = param.annotation
    is_known = annotation is None or (isinstance(annotation, AnnotationDecl) and annotation.missing == ())
    return is_known and param.is_required and param.requests == () and not isinstance(param.stray, StrayMarker)


def _of_new(constructor: Signature, shape: Shape | Unknown, given: frozenset[RequestKind]) -> Iterator[Finding]:
    """What a `__new__` of the class's own needs, and the constructor isn't given either."""
    if shape is UNKNOWN or not isinstance(shape.new, Signature):
        return
    by_name = {param.name: param for param in constructor.params}
    for param in shape.new.params:
        same = by_name.get(param.name)
        if param.is_required and not (same is not None and _is_given(same, given)):
            yield _unfilled(shape.new, param, "take it out")


def _is_given(param: ParamDecl, given: frozenset[RequestKind]) -> bool:
    """Say whether the constructor's parameter of this name may be filled, or is told of already."""
    return param.is_required or param.requests is UNKNOWN or any(request.kind in given for request in param.requests)


def _unfilled(signature: Signature, param: ParamDecl, otherwise: str) -> Finding:
    return _finding(signature, param, "is required, and nothing fills it", otherwise)


def _finding(signature: Signature, param: ParamDecl, fact: str, otherwise: str) -> Finding:
    fault = ParameterUnfillable(
        subject=signature.subject, index=param.index, parameter=param.name, fact=fact, otherwise=otherwise
    )
    return Finding(fault, param.anchor)
