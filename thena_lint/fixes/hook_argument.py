"""THN504: a hook takes the context first, and is given something else there."""

from collections.abc import Iterator, Mapping
from typing import Final

import libcst

from thena_contract import vocabulary
from thena_contract.rules.hook_argument_mismatch import HookArgumentMismatch
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Edit, Fix
from thena_lint.rewrite.context import FixContext, is_context
from thena_lint.rewrite.heads import by_position, is_mentioned, parameter, with_parameter
from thena_lint.rewrite.imports import Named, name_in_framework
from thena_lint.rewrite.region import Region

_TEXT: Final = "str"
_TYPES: Final[Mapping[str, str]] = {"prompt": _TEXT, "response": _TEXT, "error": "Exception"}
_OURS: Final[Mapping[str, str]] = {"call": "ToolCall", "result": "ToolResult"}
"""What each hook receives: a type of Python's, or one of the framework's."""


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Take what the hook receives before the context."""
    found = context.owner(one, libcst.FunctionDef)
    if found is None or not isinstance(one.fault, HookArgumentMismatch):
        return
    region, hook = found
    own = by_position(hook.params)[1:]
    receives = one.fault.receives
    if own and own[0].name.value == receives:
        yield from _annotated(context, region, own[0])
        return
    edits: tuple[Edit, ...] = ()
    if len(own) == len(vocabulary.CALLED[one.fault.hook]) and not is_context(context, region, own[1]):
        edits = _swapped(region, own[0], own[1])
    elif len(own) == 1 and parameter(hook.params, receives) is None and not is_mentioned(hook, receives):
        edits = _inserted(context, region, hook, receives)
    if edits:
        yield Fix(title=f"Take the {receives} before the context", applicability=Applicability.SAFE, edits=edits)


def _annotated(context: FixContext, region: Region, param: libcst.Param) -> Iterator[Fix]:
    """What is called as that which the hook receives is that, and has the wrong annotation."""
    kind = _type_of(context, region, param.name.value)
    if kind is not None and param.annotation is not None:
        yield Fix(
            title=f"Write `{param.name.value}: {kind.name}`",
            applicability=Applicability.SAFE,
            edits=(*kind.edits, region.swap(param.annotation.annotation, kind.name)),
        )


def _type_of(context: FixContext, region: Region, receives: str) -> Named | None:
    if receives in _OURS:
        return name_in_framework(context, region, _OURS[receives])
    return Named(_TYPES[receives]) if receives in _TYPES else None


def _swapped(region: Region, first: libcst.Param, second: libcst.Param) -> tuple[Edit, ...]:
    if first.default is not None or second.default is not None:
        return ()
    return region.swap(first, region.written(second)), region.swap(second, region.written(first))


def _inserted(context: FixContext, region: Region, hook: libcst.FunctionDef, receives: str) -> tuple[Edit, ...]:
    kind = _type_of(context, region, receives)
    edit = with_parameter(region, hook, receives if kind is None else f"{receives}: {kind.name}", at=1)
    return () if edit is None else (*(() if kind is None else kind.edits), edit)
