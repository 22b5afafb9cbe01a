"""THN206: a marker is written as a default value, where it asks for nothing."""

import itertools
from collections.abc import Iterator
from typing import Final

import libcst

from thena_contract import vocabulary
from thena_contract.vocabulary import RequestKind
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Fix
from thena_lint.index.resolve import External, Framework, Scope, resolve
from thena_lint.rewrite.context import FixContext
from thena_lint.rewrite.heads import by_position
from thena_lint.rewrite.imports import Named, name_in_framework
from thena_lint.rewrite.region import Region
from thena_lint.summary.expressions import read

_ALIASES: Final = {kind: alias for alias, kind in vocabulary.ALIASES.items()}
_GIVEN: Final = {
    vocabulary.CONSTRUCTOR: frozenset({RequestKind.STATE, RequestKind.MEMORY}),
    vocabulary.EXECUTE: frozenset(RequestKind) - {RequestKind.RUNTIME},
}
"""What each method can ask for."""


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Write what it asks for into the annotation."""
    found, owner = context.anchored(one, libcst.Param), context.owner(one, libcst.FunctionDef)
    if found is None or owner is None or found[1].annotation is None or found[1].default is None:
        return
    region, param = found
    kind = _marker(context, region, found[1].default)
    if kind not in _GIVEN.get(owner[1].name.value, ()) or not _may_be_required(owner[1], param):
        return
    annotation = found[1].annotation.annotation
    asked = _asking(context, region, kind, annotation, found[1].default)
    if asked is not None:
        yield Fix(
            title=f"Ask for it in the annotation: `{asked.name}`",
            applicability=Applicability.SAFE,
            edits=(*asked.edits, region.edit(region.start(annotation), region.end(param), asked.name)),
        )


def _marker(context: FixContext, region: Region, default: libcst.BaseExpression) -> RequestKind | None:
    name = default.func if isinstance(default, libcst.Call) else default
    what = resolve(context.index, Scope(region.source.path), read(name))
    return vocabulary.MARKERS.get(what.name) if isinstance(what, Framework) else None


def _may_be_required(function: libcst.FunctionDef, param: libcst.Param) -> bool:
    """Say whether no parameter before this one has a default."""
    before = itertools.takewhile(lambda one: one is not param, by_position(function.params))
    return any(one is param for one in function.params.kwonly_params) or all(one.default is None for one in before)


def _asking(
    context: FixContext,
    region: Region,
    kind: RequestKind | None,
    annotation: libcst.BaseExpression,
    default: libcst.BaseExpression,
) -> Named | None:
    """The annotation that asks for what the marker means."""
    written = region.written(annotation)
    if isinstance(annotation, libcst.SimpleString):
        return None
    if kind in _ALIASES:
        named = name_in_framework(context, region, _ALIASES[kind])
        return None if named is None else Named(f"{named.name}[{written}]", named.edits)
    if not isinstance(default, libcst.Call) or not default.args:
        return Named(written)
    for name in ("Annotated", "typing.Annotated", "t.Annotated"):
        what = resolve(context.index, Scope(region.source.path), read(libcst.parse_expression(name)))
        if what == External("typing.Annotated"):
            return Named(f"{name}[{written}, {region.written(default)}]")
    return None
