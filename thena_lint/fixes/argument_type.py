"""THN402: the model isn't told what an argument of a tool is."""

from collections.abc import Iterator
from typing import Final

import libcst

from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Edit, Fix
from thena_lint.rewrite.context import FixContext
from thena_lint.rewrite.region import Region
from thena_lint.summary.expressions import Constant, read

_PLAIN: Final = ("str", "int", "bool", "float")


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Annotate it with the type of its default; without one, as a text."""
    found = context.anchored(one, libcst.Param)
    if found is None:
        return
    region, param = found
    default = None if param.default is None else read(param.default)
    kind = "str" if default is None else default.type if isinstance(default, Constant) else ""
    if kind in _PLAIN:
        yield Fix(
            title=f"Write `{param.name.value}: {kind}`",
            applicability=Applicability.CHOICE if default is None else Applicability.UNSAFE,
            edits=(_annotated(region, param, kind),),
        )


def _annotated(region: Region, param: libcst.Param, kind: str) -> Edit:
    end = region.end(param.name)
    if param.default is None:
        return region.insert(end, f": {kind}")
    return region.edit(end, region.start(param.default), f": {kind} = ")
