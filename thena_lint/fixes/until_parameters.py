"""THN301, THN302, THN306, THN501: something that is called has more parameters than it is given, or none at all.

A parameter is taken away where nothing reads it, and nothing else calls the function.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import libcst

from thena_contract import vocabulary
from thena_contract.anchor import Anchor
from thena_contract.declarations import UNKNOWN, Signature
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Fix
from thena_lint.link.assemblies import Linked
from thena_lint.rewrite.context import FixContext
from thena_lint.rewrite.heads import Function, by_position, is_mentioned, with_parameter, without_parameters
from thena_lint.rewrite.region import Region, line_start
from thena_lint.summary.expressions import Constant, read

_UNTIL: Final = "until"
_CONTEXT: Final = "ctx"
_OPTIONS: Final = "|".join((_UNTIL, *vocabulary.CALLBACKS))
_HARMLESS: Final = re.compile(rf"^(from|import)\s|\bdef $|\b({_OPTIONS})\s*=\s*(\w+\.)*$")
"""What stands before the name of a function where it is imported, made, or given to a loop."""

_BINDING: Final = re.compile(r"\s*(:|=(?!=))")
"""What stands behind the name of a field or an option."""


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Take away what nobody gives, or take the context where nothing is taken."""
    if one.finding is not None and one.finding.anchor.path[:1] == ("method",):
        yield from _of_method(context, one, str(one.finding.anchor.path[1]))
    else:
        yield from _of_option(context, one)


def _of_method(context: FixContext, one: Diagnostic, name: str) -> Iterator[Fix]:
    found = context.owner(one, libcst.FunctionDef)
    if found is not None and not _is_called(context, name):
        yield from _without(*found, _spare(found[1], vocabulary.CALLED[name]), subject=name)


def _spare(method: libcst.FunctionDef, given: Sequence[str]) -> Sequence[libcst.Param]:
    """The parameters of a method that nothing fills: those with other names, or the last if not all names are given."""
    own = by_position(method.params)[1:]
    others = [one for one in own if one.name.value not in given]
    return others if len(own) - len(others) == len(given) else own[len(given) :]


def _is_called(context: FixContext, name: str) -> bool:
    """Say whether any code calls a method of this name."""
    return any(text[at - 1 : at] == "." and text.startswith("(", at + len(name)) for text, at in context.mentions(name))


def _of_option(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    part, linked = context.anchored(one, libcst.Arg), context.linked(one)
    if part is None or linked is None or one.finding is None:
        return
    region, option = part
    name = str(one.finding.anchor.path[-1])
    found = _function(context, region, option.value)
    if name == _UNTIL and _takes_nothing(linked, one.finding.anchor):
        yield from _taking_the_context(region, option, found)
    elif found is not None:
        most = len(vocabulary.CALLBACKS[name]) if name in vocabulary.CALLBACKS else _most_of_until(linked)
        yield from _without(*found, by_position(found[1].params)[most:], subject=_subject(found[1], name))


def _most_of_until(linked: Linked) -> int:
    workflow = linked.assembly.workflow
    return 1 if workflow is not None and workflow.state is None else 2


def _takes_nothing(linked: Linked, anchor: Anchor) -> bool:
    until = next((loop.until for loop in linked.assembly.loops() if loop.anchor.at(_UNTIL) == anchor), UNKNOWN)
    is_called = isinstance(until, Signature) and until.makes_object is False
    return is_called and isinstance(until, Signature) and not until.params


def _taking_the_context(region: Region, option: libcst.Arg, found: tuple[Region, Function] | None) -> Iterator[Fix]:
    title = f"Let `{_UNTIL}` take the context"
    if isinstance(option.value, libcst.Lambda):
        if isinstance(read(option.value.body), Constant):
            return
        edit = with_parameter(region, option.value, _CONTEXT)
        if edit is not None:
            yield Fix(title=title, applicability=Applicability.SAFE, edits=(edit,))
    elif found is not None and isinstance(option.value, libcst.Name | libcst.Attribute):
        wrapped = f"lambda {_CONTEXT}: {region.written(option.value)}()"
        yield Fix(title=title, applicability=Applicability.SAFE, edits=(region.swap(option.value, wrapped),))


def _function(context: FixContext, region: Region, value: libcst.BaseExpression) -> tuple[Region, Function] | None:
    """The function or lambda that an option names, if nothing but such options does."""
    found = context.function(region, value)
    if found is None or isinstance(found[1], libcst.Lambda):
        return found
    is_plain = not found[1].decorators and _is_only_named(context, found[1].name.value)
    return found if is_plain else None


def _is_only_named(context: FixContext, name: str) -> bool:
    """Say whether a function is mentioned only where it is made, imported and given to a loop."""
    return all(_is_harmless(text, at, at + len(name)) for text, at in context.mentions(name))


def _is_harmless(text: str, start: int, end: int) -> bool:
    before = text[line_start(text, start) : start].lstrip()
    is_another = before.endswith(".") and not text.startswith("(", end)
    is_bound = _BINDING.match(text, end) is not None
    is_said = "#" in before or before.endswith("`")
    return _HARMLESS.search(before) is not None or is_another or is_bound or is_said


def _without(region: Region, function: Function, spare: Sequence[libcst.Param], *, subject: str) -> Iterator[Fix]:
    """The function without the required parameters that are too many, if nothing reads them."""
    if not spare or any(one.default is not None or is_mentioned(function, one.name.value) for one in spare):
        return
    edits = without_parameters(region, function, spare)
    if edits is not None:
        names = " and ".join(f"`{one.name.value}`" for one in spare)
        yield Fix(
            title=f"Take {names} away from `{subject}`, which doesn't read {'it' if len(spare) == 1 else 'them'}",
            applicability=Applicability.SAFE,
            edits=edits,
        )


def _subject(function: Function, option: str) -> str:
    return function.name.value if isinstance(function, libcst.FunctionDef) else option
