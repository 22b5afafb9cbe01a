"""Any expression as the thing that its author would recognise, and what a call was given. Three-valued like all else.

The runtime's twin is `thena_runtime.build.things`.
"""

import builtins
from collections.abc import Mapping
from types import BuiltinFunctionType
from typing import Final

from thena_contract import vocabulary
from thena_contract.declarations import UNKNOWN, Given, OptionDecl, Thing, ThingKind, Unknown, literal_of
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import (
    PROMPT,
    ClassAt,
    External,
    Framework,
    FunctionAt,
    Scope,
    ValueAt,
    resolve,
)
from thena_lint.link.classes import declared_as, is_undeclared_for_sure, keeps_its_name, makes_instances, mro
from thena_lint.summary.expressions import Attribute, Call, Constant, Dictionary, Expression, Lambda, Name, Sequence

_DEEPEST: Final = 40
_KINDS: Final[Mapping[str, ThingKind]] = {
    vocabulary.AGENT: "agent",
    vocabulary.TOOL: "tool",
    vocabulary.WORKFLOW: "workflow",
}
_DATA: Final = (bool, int, float, complex, str, bytes, bytearray, list, tuple, set, frozenset, dict, range, object)
"""Built-in classes of which a call makes an object, and nothing else."""

_GET: Final = "__get__"
_MADE: Final = frozenset({PROMPT, *vocabulary.PROVIDERS})
"""Classes of the framework whose objects a user gives as options."""


def thing_of(index: ProjectIndex, scope: Scope, expression: Expression, depth: int = 0) -> Thing | Unknown:
    """What an expression is."""
    if depth > _DEEPEST:
        return UNKNOWN
    match expression:
        case Constant() as constant:
            return _constant(constant)
        case Sequence(type=name):
            return Thing(kind="value", name=name)
        case Dictionary():
            return Thing(kind="value", name="dict")
        case Lambda():
            return Thing(kind="function", name="<lambda>")
        case Name() | Attribute():
            return _named(index, scope, expression, depth)
        case Call(function=function):
            return _made(index, scope, function, expression)
    return UNKNOWN


def given_to(index: ProjectIndex, scope: Scope, call: Call, *, leading: int = 0) -> Given:
    """What a call was given: its options by name, and how many arguments by position after the leading ones."""
    options = tuple(
        OptionDecl(name=one.keyword, value=thing_of(index, scope, one.value))
        for one in call.arguments
        if one.keyword is not None
    )
    by_position = sum(one.keyword is None and not one.star for one in call.arguments)
    return Given(
        options=options,
        unnamed=max(0, by_position - leading),
        is_whole=not call.spreads_positional and not call.spreads_keywords,
    )


def stays_a_function(index: ProjectIndex, at: FunctionAt) -> bool:
    """Say whether nothing can stand in a function's place: a decorator of ours gives back what it is given."""
    calls = [one.function if isinstance(one, Call) else None for one in at.facts.decorators]
    made_by = [UNKNOWN if one is None else resolve(index, Scope(at.file, at.owner), one) for one in calls]
    return all(isinstance(one, Framework) and one.name in vocabulary.DECORATORS for one in made_by)


def _constant(constant: Constant) -> Thing:
    """A constant as a thing. The value of one that isn't plain (an f-string, say) can't be seen."""
    is_seen = constant.value is not None or constant.type not in ("str", "int")
    return Thing(kind="value", name=constant.type, literal=literal_of(constant.value) if is_seen else UNKNOWN)


def _named(index: ProjectIndex, scope: Scope, expression: Name | Attribute, depth: int) -> Thing | Unknown:
    match resolve(index, scope, expression):
        case ClassAt() as at:
            return _class(index, at)
        case FunctionAt(facts=facts) as at if stays_a_function(index, at):
            return Thing(kind="function", name=facts.qualname.rpartition(".")[2])
        case ValueAt(scope=there, value=value) if not value.type_params:
            return thing_of(index, there, value.expression, depth + 1)
        case External(dotted=dotted) if (built_in := _built_in(dotted)) is not None:
            kind: ThingKind = "class" if isinstance(built_in, type) else "function"
            return Thing(kind=kind, name=built_in.__name__)
        case Framework(name=name) if name in _MADE:
            return Thing(kind="class", name=name)
    return UNKNOWN


def _class(index: ProjectIndex, at: ClassAt) -> Thing | Unknown:
    if not keeps_its_name(index, at):
        return UNKNOWN
    decoration = declared_as(index, at)
    if decoration is not None and isinstance(decoration.what, Framework):
        return Thing(kind=_KINDS[decoration.what.name], name=at.facts.name)
    return Thing(kind="class", name=at.facts.name) if is_undeclared_for_sure(index, at) else UNKNOWN


def _made(index: ProjectIndex, scope: Scope, function: Expression, call: Call) -> Thing | Unknown:
    """What a call gives back: an object of a class, where nothing but the class decides that."""
    match resolve(index, scope, function):
        # A class that is handed to a decorator somewhere may be a tool, and then so is its object.
        case ClassAt() as at if _makes_things(index, at):
            return Thing(kind="instance", name=at.facts.name)
        case External(dotted=dotted) if (built_in := _built_in(dotted)) in _DATA:
            literal = UNKNOWN if built_in in (str, int) else None
            return Thing(kind="value", name=built_in.__name__, literal=literal)
        case Framework(name=name) if name in vocabulary.STEP_BUILDERS:
            return Thing(kind="block", name=name)
        case Framework(name=name) if name in _MADE or (name in vocabulary.DECORATORS and not _takes_a_class(call)):
            return Thing(kind="instance", name=name)
    return UNKNOWN


def _makes_things(index: ProjectIndex, at: ClassAt) -> bool:
    is_certain = vocabulary.REMEMBERED not in at.facts.names
    return is_certain and makes_instances(index, at) and not _is_descriptor(index, at)


def _takes_a_class(call: Call) -> bool:
    """Say whether a decorator may be given the class that it should stand above."""
    return bool(call.positional) or call.spreads_positional


def _is_descriptor(index: ProjectIndex, at: ClassAt) -> bool:
    """Say whether an object of the class may pass for a method."""
    return any(one is UNKNOWN or _GET in one.facts.names for one in mro(index, at))


def _built_in(dotted: str) -> type | BuiltinFunctionType | None:
    """The built-in class or function of this name."""
    module, _, name = dotted.rpartition(".")
    found = getattr(builtins, name, None) if module == "builtins" else None
    return found if isinstance(found, type | BuiltinFunctionType) else None
