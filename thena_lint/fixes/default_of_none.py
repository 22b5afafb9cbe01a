"""THN208 and others: nothing fills a parameter, and with a default it needn't be filled."""

from collections.abc import Iterator
from typing import Final

import libcst

from thena_contract.rules.parameter_unfillable import ParameterUnfillable
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Edit, Fix
from thena_lint.rewrite.context import FixContext
from thena_lint.rewrite.heads import by_position
from thena_lint.rewrite.region import Region, nodes_in

_NONE: Final = "None"
_OPTIONAL: Final = "Optional"


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Let a parameter be `None`, where what stands behind it has a default too."""
    found, owner = context.anchored(one, libcst.Param), context.owner(one, libcst.FunctionDef)
    if found is not None and owner is not None and _may_have_a_default(owner[1], found[1]):
        region, param = found
        is_only_way = isinstance(one.fault, ParameterUnfillable)
        yield Fix(
            title=f"Let `{param.name.value}` be `None`",
            applicability=Applicability.UNSAFE if is_only_way else Applicability.CHOICE,
            edits=_optional(region, param),
        )


def _may_have_a_default(function: libcst.FunctionDef, param: libcst.Param) -> bool:
    following = by_position(function.params)
    number = next((number for number, each in enumerate(following) if each is param), None)
    is_by_keyword = any(each is param for each in function.params.kwonly_params)
    return is_by_keyword or (number is not None and all(each.default is not None for each in following[number + 1 :]))


def _optional(region: Region, param: libcst.Param) -> tuple[Edit, ...]:
    if param.annotation is None:
        return (region.insert(region.end(param), f"={_NONE}"),)
    annotation = param.annotation.annotation
    default = f" = {_NONE}"
    if _is_optional(annotation):
        return (region.insert(region.end(param), default),)
    if isinstance(annotation, libcst.SimpleString):
        end = region.end(annotation) - len(annotation.quote)
        return (region.insert(end, f" | {_NONE}"), region.insert(region.end(param), default))
    return (region.insert(region.end(param), f" | {_NONE}{default}"),)


def _is_optional(annotation: libcst.BaseExpression) -> bool:
    """Say whether an annotation mentions `None` or `Optional` outside of brackets, or may be anything."""
    if isinstance(annotation, libcst.SimpleString):
        return _NONE in annotation.value or _OPTIONAL in annotation.value
    inside = nodes_in(annotation, enters=lambda node: not isinstance(node, libcst.SubscriptElement))
    return any(isinstance(node, libcst.Name) and node.value in (_NONE, _OPTIONAL, "Any") for node in inside)
