"""THN116: steps that aren't in a list, or a list of them that isn't given by its name."""

from collections.abc import Iterator
from typing import Final

import libcst

from thena_contract import vocabulary
from thena_contract.rules.option_without_name import OptionWithoutName
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Edit, Fix
from thena_lint.index.resolve import ClassAt, Scope, resolve
from thena_lint.rewrite.calls import argument, by_position
from thena_lint.rewrite.context import FixContext
from thena_lint.rewrite.region import Region
from thena_lint.summary.expressions import read

_STEPS: Final = "steps"
_WORKFLOW: Final = f"@{vocabulary.WORKFLOW}"


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Write the brackets around the steps of a `loop` or `parallel`, or the name before those of a workflow."""
    call = _call(context, one)
    if call is None or not isinstance(one.fault, OptionWithoutName):
        return
    region, given = call[0], by_position(call[1])
    if argument(call[1], _STEPS) is not None or any(each.star for each in given):
        return
    are_lists = [isinstance(each.value, libcst.List) for each in given]
    if one.fault.builder in vocabulary.STEP_BUILDERS and all(_is_step(context, region, each) for each in given):
        yield Fix(
            title="Put the steps into a list",
            applicability=Applicability.SAFE,
            edits=_bracketed(region, given[0], given[-1]),
        )
    elif one.fault.builder == _WORKFLOW and are_lists == [True]:
        yield Fix(
            title=f"Write `{_STEPS}=`",
            applicability=Applicability.SAFE,
            edits=(region.insert(region.start(given[0].value), f"{_STEPS}="),),
        )


def _is_step(context: FixContext, region: Region, given: libcst.Arg) -> bool:
    """Say whether an argument may be a step: a class, or what a call gives back."""
    what = resolve(context.index, Scope(region.source.path), read(given.value))
    return isinstance(given.value, libcst.Call) or isinstance(what, ClassAt)


def _call(context: FixContext, one: Diagnostic) -> tuple[Region, libcst.Call] | None:
    """The call that is given too much: it is anchored itself, or an argument of it is."""
    given = context.anchored(one, libcst.Arg)
    around = None if given is None else given[0].parent(given[1])
    if given is not None and isinstance(around, libcst.Call):
        return given[0], around
    return context.anchored(one, libcst.Call)


def _bracketed(region: Region, first: libcst.Arg, last: libcst.Arg) -> tuple[Edit, ...]:
    return region.insert(region.start(first.value), "["), region.insert(region.end(last.value), "]")
