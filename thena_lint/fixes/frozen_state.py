"""THN604: the state is a frozen dataclass."""

from collections.abc import Iterator
from typing import Final

import libcst

from thena_contract.declarations import StateDecl
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Fix
from thena_lint.index.resolve import External, Scope, resolve
from thena_lint.link.classes import DATACLASS
from thena_lint.rewrite.calls import argument, without_argument
from thena_lint.rewrite.context import FixContext
from thena_lint.rewrite.region import Region
from thena_lint.summary.expressions import read

_FROZEN: Final = "frozen"


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Take `frozen=True` away."""
    cls = _state(context, one)
    frozen = None if cls is None else _frozen(context, *cls)
    if cls is None or frozen is None:
        return
    region, call, given = cls[0], *frozen
    is_all = len(call.args) == 1
    edit = region.edit(region.end(call.func), region.bare_end(call), "") if is_all else None
    edit = edit or without_argument(region, call, given)
    if edit is not None:
        yield Fix(
            title=f"Let the fields of `{cls[1].name.value}` be set: take `frozen=True` away",
            applicability=Applicability.UNSAFE,
            edits=(edit,),
        )


def _state(context: FixContext, one: Diagnostic) -> tuple[Region, libcst.ClassDef] | None:
    linked = context.linked(one)
    workflow = None if linked is None else linked.assembly.workflow
    if linked is None or workflow is None or not isinstance(workflow.state, StateDecl):
        return None
    at = context.home(linked, workflow.state.ref)
    return None if at is None else context.bound(*at.key, libcst.ClassDef)


def _frozen(context: FixContext, region: Region, cls: libcst.ClassDef) -> tuple[libcst.Call, libcst.Arg] | None:
    """The call of `dataclass`, and the argument in it that freezes."""
    for decorator in cls.decorators:
        call = decorator.decorator
        if isinstance(call, libcst.Call):
            what = resolve(context.index, Scope(region.source.path), read(call.func))
            given = argument(call, _FROZEN)
            if what == External(DATACLASS) and given is not None:
                return call, given
    return None
