"""What an agent is given as its provider: an object, or a class or function that makes one.

The runtime's twin is `thena_runtime.build.describe_provider`.
"""

from dataclasses import replace
from pathlib import Path
from typing import Final

from thena_contract import vocabulary
from thena_contract.anchor import Anchor
from thena_contract.declarations import UNKNOWN, ProviderDecl, Shape, Signature, Thing, Unknown
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import ClassAt, External, Framework, FunctionAt, Scope, ValueAt, resolve
from thena_lint.link.classes import is_plain, mro
from thena_lint.link.signatures import is_generator, read_method, read_until
from thena_lint.link.states import shape_of
from thena_lint.link.things import thing_of
from thena_lint.summary.expressions import Attribute, Call, Constant, Expression, Lambda, Name, Sequence
from thena_lint.summary.facts import FunctionFacts

_COMPLETE: Final = "complete"
_CLOSE: Final = "close"
_CALL: Final = "__call__"
_MAKERS: Final = ("__init__", "__post_init__", "__getattr__", "__getattribute__", "__slots__")
"""What may give an object methods that its class doesn't show."""


def read_provider(
    index: ProjectIndex, scope: Scope, expression: Expression, anchor: Anchor
) -> ProviderDecl | Thing | Unknown | None:
    """Read what `provider=` is given; `anchor` is where it is given."""
    return _read(index, scope, expression, anchor, frozenset())


def _read(
    index: ProjectIndex, scope: Scope, expression: Expression, anchor: Anchor, seen: frozenset[tuple[Path, str]]
) -> ProviderDecl | Thing | Unknown | None:
    thing = thing_of(index, scope, expression)
    if thing is UNKNOWN:
        return UNKNOWN
    match expression:
        case Constant() | Sequence():
            return None if thing.name == "NoneType" else thing
        case Lambda():
            return _made_by(thing, index, scope, expression, anchor)
        case Call(function=function):
            match resolve(index, scope, function):
                case Framework(name=name) if name in vocabulary.PROVIDERS:
                    return ProviderDecl(thing=thing, call=None, has_complete=True, shape=Shape())
                case ClassAt() as at:
                    return _instance(thing, index, at, (scope, expression), anchor)
            return thing
        case Name() | Attribute():
            match resolve(index, scope, expression):
                case ValueAt(scope=there, value=value, site=site) if (key := (site.file, site.owner)) not in seen:
                    found = _read(index, there, value.expression, anchor, seen | {key})
                    # An object that has a name may have been given more than it was made with.
                    return UNKNOWN if isinstance(found, Thing) and found.kind == "instance" else found
                case ClassAt() as at:
                    return _class(thing, index, at)
                case FunctionAt() as function_at:
                    made_by = _made_by(thing, index, scope, expression, anchor)
                    if isinstance(made_by.call, Signature):
                        call = replace(made_by.call, is_generator=is_generator(index, function_at))
                        return replace(made_by, call=call)
                    return made_by
                case Framework(name=name) if name in vocabulary.PROVIDERS:
                    return ProviderDecl(thing=thing, call=UNKNOWN, has_complete=True)
                case External() if thing.kind == "class":
                    return ProviderDecl(thing=thing, call=UNKNOWN, has_complete=False)
    return UNKNOWN


def _made_by(thing: Thing, index: ProjectIndex, scope: Scope, function: Expression, anchor: Anchor) -> ProviderDecl:
    call = read_until(index, scope, function, anchor)
    return ProviderDecl(thing=thing, call=call, has_complete=False, shape=Shape())


def _class(thing: Thing, index: ProjectIndex, at: ClassAt) -> ProviderDecl:
    constructor = read_method(index, at, vocabulary.CONSTRUCTOR)
    return ProviderDecl(
        thing=thing,
        call=UNKNOWN if constructor is None else constructor,
        has_complete=_has_method(index, at, _COMPLETE),
        shape=shape_of(index, at),
    )


def _instance(
    thing: Thing, index: ProjectIndex, at: ClassAt, written: tuple[Scope, Expression], anchor: Anchor
) -> ProviderDecl | Thing | Unknown:
    methods = [_has_method(index, at, name) for name in (_COMPLETE, _CLOSE)]
    if methods == [True, True]:
        return ProviderDecl(thing=thing, call=None, has_complete=True, shape=Shape())
    if False not in methods or _has_methods_of_its_own(index, at):
        return UNKNOWN
    match _has_method(index, at, _CALL):
        case False:
            return thing
        case True:
            return _made_by(thing, index, *written, anchor)
    return UNKNOWN


def _has_method(index: ProjectIndex, at: ClassAt, name: str) -> bool | Unknown:
    for one in mro(index, at):
        if one is UNKNOWN or not is_plain(index, one):
            return UNKNOWN
        binding = one.facts.names.get(name)
        if binding is not None:
            return True if isinstance(binding, FunctionFacts) else UNKNOWN
        if one.facts.is_open:
            return UNKNOWN
    return False


def _has_methods_of_its_own(index: ProjectIndex, at: ClassAt) -> bool:
    """Say whether an object of the class may have what its class hasn't: something sets attributes of it."""
    known = [
        (name, binding) for one in mro(index, at) if one is not UNKNOWN for name, binding in one.facts.names.items()
    ]
    return any(name in _MAKERS or binding is UNKNOWN for name, binding in known)
