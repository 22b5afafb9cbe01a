"""THN303 and THN309: a loop has no `until`, or a class in its place."""

from collections.abc import Iterator
from typing import Final

import libcst

from thena_contract import vocabulary
from thena_contract.declarations import Signature
from thena_contract.rules.until_is_a_class import UntilIsAClass
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Fix
from thena_lint.index.resolve import ClassAt, Scope, resolve
from thena_lint.link.signatures import read_method
from thena_lint.rewrite.calls import argument, with_option
from thena_lint.rewrite.context import FixContext
from thena_lint.rewrite.imports import name_in_framework
from thena_lint.summary.expressions import read

_UNTIL: Final = "until"
_CALL: Final = "__call__"


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Go on until the agent answers; or make an object of the class, if it can be called."""
    if isinstance(one.fault, UntilIsAClass):
        yield from _made(context, one)
        return
    found = context.anchored(one, libcst.Call)
    named = None if found is None else name_in_framework(context, found[0], vocabulary.UNTIL_ANSWERED)
    if found is not None and named is not None and argument(found[1], _UNTIL) is None:
        yield Fix(
            title=f"Go on until the agent answers: `{_UNTIL}={named.name}`",
            applicability=Applicability.UNSAFE,
            edits=(*named.edits, with_option(*found, _UNTIL, named.name)),
        )


def _made(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    found = context.anchored(one, libcst.Arg)
    if found is None:
        return
    region, value = found[0], found[1].value
    what = resolve(context.index, Scope(region.source.path), read(value))
    if not isinstance(what, ClassAt) or _CALL not in what.facts.names:
        return
    constructor = read_method(context.index, what, vocabulary.CONSTRUCTOR)
    if isinstance(constructor, Signature) and not any(param.is_required for param in constructor.params):
        yield Fix(
            title=f"Make an object of `{what.facts.name}`",
            applicability=Applicability.SAFE,
            edits=(region.insert(region.end(value), "()"),),
        )
