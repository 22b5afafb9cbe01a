"""THN112 and THN118: a decorator isn't called, or a tool's isn't told what the tool is called and what it is for."""

import re
from collections.abc import Iterator
from typing import Final

import libcst

from thena_contract import vocabulary
from thena_contract.rules.decorator_without_call import DecoratorWithoutCall
from thena_contract.rules.tool_name_missing import ToolNameMissing
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Fix
from thena_lint.index.resolve import ClassAt, Scope, is_framework, resolve
from thena_lint.rewrite.calls import with_option
from thena_lint.rewrite.context import FixContext
from thena_lint.summary.expressions import read

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
_LONGEST: Final = 80
_NAME: Final = "name"


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Call it; say of a tool what the class says: its name, and the first line of its docstring."""
    match one.fault:
        case DecoratorWithoutCall(decorator=name):
            yield from _called(context, one, name)
        case ToolNameMissing(option=option):
            yield from _described(context, one, option)


def _described(context: FixContext, one: Diagnostic, option: str) -> Iterator[Fix]:
    linked = context.linked(one)
    home = None if linked is None or one.finding is None else linked.homes.get(one.finding.anchor.declaration)
    declared = context.decorator(home) if isinstance(home, ClassAt) else None
    bound = None if home is None else context.bound(*home.key, libcst.ClassDef)
    value = None if bound is None else _of_tool(bound[1]).get(option)
    if declared is not None and value is not None:
        yield Fix(
            title=f"Add `{option}={value}`",
            applicability=Applicability.UNSAFE,
            edits=(with_option(*declared, option, value, is_last=option != _NAME),),
        )


def _called(context: FixContext, diagnostic: Diagnostic, name: str) -> Iterator[Fix]:
    found = context.owner(diagnostic, libcst.ClassDef)
    if found is None:
        return
    region, cls = found
    scope = Scope(region.source.path)
    for one in cls.decorators:
        if isinstance(one.decorator, libcst.Call) or not is_framework(
            resolve(context.index, scope, read(one.decorator)), name
        ):
            continue
        options = _of_tool(cls) if name == vocabulary.TOOL else {}
        is_whole = len(options) == len(vocabulary.DECORATORS[vocabulary.TOOL][:2])
        arguments = ", ".join(f"{option}={value}" for option, value in options.items()) if is_whole else ""
        yield Fix(
            title=f"Write `@{name}({arguments})`",
            applicability=Applicability.UNSAFE if is_whole else Applicability.CHOICE,
            edits=(region.insert(region.end(one.decorator), f"({arguments})"),),
        )
        return


def _of_tool(cls: libcst.ClassDef) -> dict[str, str]:
    """What the options of a tool are, as far as its class says."""
    found = {_NAME: f'"{"_".join(word.lower() for word in _WORD.findall(cls.name.value))}"'}
    sentence = (cls.get_docstring() or "").strip().partition("\n")[0].strip()
    if sentence and len(sentence) <= _LONGEST and not set(sentence) & {'"', "\\"}:
        found["description"] = f'"{sentence}"'
    return found
