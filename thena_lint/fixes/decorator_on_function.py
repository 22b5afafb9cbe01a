"""THN113: `@Tool` stands above a function, which is a tool as it is."""

from collections.abc import Iterator

import libcst

from thena_contract import vocabulary
from thena_contract.rules.decorator_on_non_class import DecoratorOnNonClass
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Fix
from thena_lint.index.resolve import Scope, is_framework, resolve
from thena_lint.rewrite.context import FixContext
from thena_lint.rewrite.region import lines_around
from thena_lint.summary.expressions import read


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Take the decorator away, if the function says by itself what it is for."""
    found = context.owner(one, libcst.FunctionDef)
    if found is None or not isinstance(one.fault, DecoratorOnNonClass) or one.fault.decorator != vocabulary.TOOL:
        return
    region, function = found
    if function.get_docstring() is None:
        return
    for each in function.decorators:
        called = each.decorator.func if isinstance(each.decorator, libcst.Call) else each.decorator
        if is_framework(resolve(context.index, Scope(region.source.path), read(called)), vocabulary.TOOL):
            lines = lines_around(region.source.text, region.start(each.decorator), region.end(each.decorator))
            yield Fix(
                title=f"Take `@{vocabulary.TOOL}` away",
                applicability=Applicability.SAFE,
                edits=(region.edit(*lines, ""),),
            )
            return
