"""THN214 and THN403: an argument of a tool has the class of the workflow's state, and lacks the marker."""

from collections.abc import Iterator
from typing import Final

import libcst

from thena_contract.rules.no_json_schema import NoJsonSchema
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Fix
from thena_lint.rewrite.context import FixContext
from thena_lint.rewrite.imports import name_in_framework
from thena_lint.rewrite.region import Region

_STATE: Final = "State"


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Write `State[...]` around the class."""
    found = context.anchored(one, libcst.Param)
    named = None if found is None else name_in_framework(context, found[0], _STATE)
    if found is None or named is None or found[1].annotation is None or not _is_state(context, one):
        return
    region, param = found
    annotation = found[1].annotation.annotation
    wrapped = _wrapped(region, annotation, named.name)
    if wrapped is not None:
        yield Fix(
            title=f"Ask for the workflow's own state: `{param.name.value}: {wrapped}`",
            applicability=Applicability.SAFE if isinstance(one.fault, NoJsonSchema) else Applicability.UNSAFE,
            edits=(*named.edits, region.swap(annotation, wrapped)),
        )


def _is_state(context: FixContext, one: Diagnostic) -> bool:
    """Say whether the parameter has the class of the state of the workflow that uses it."""
    linked = context.linked(one)
    return linked is not None and any(
        linked.assembly.unasked_state(param) is not None
        for consumer in linked.assembly.executes()
        for param in consumer.signature.params
        if one.finding is not None and param.anchor == one.finding.anchor
    )


def _wrapped(region: Region, annotation: libcst.BaseExpression, state: str) -> str | None:
    match annotation:
        case libcst.SimpleString():
            inner = f"{state}[{annotation.raw_value}]"
            return f"{annotation.prefix}{annotation.quote}{inner}{annotation.quote}"
        case libcst.Name() | libcst.Attribute() | libcst.Subscript():
            return f"{state}[{region.written(annotation)}]"
    return None
