"""What the names of a body stand for: the workflow's state, the context, the object itself.

Only what an annotation, a hook's position or a plain assignment says counts; a name that is bound again means nothing.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final

from thena_contract.declarations import UNKNOWN
from thena_contract.frozen import frozen
from thena_contract.vocabulary import RequestKind
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import (
    ClassAt,
    External,
    Framework,
    Resolved,
    Scope,
    ValueAt,
    is_framework,
    outermost,
    remembered,
    resolve,
    resolve_attribute,
    resolve_import,
)
from thena_lint.link.annotations import ANNOTATED, OPTIONAL, UNION, flattened
from thena_lint.link.requests import requests_of
from thena_lint.source.parse import parse_expression
from thena_lint.summary.body import Body, Chain
from thena_lint.summary.expressions import (
    NONE,
    Attribute,
    Binary,
    Call,
    Constant,
    Expression,
    Name,
    Parameter,
    Subscript,
    read,
)

APP: Final = "Thena"
_CURRENT_CONTEXT: Final = "current_context"
_STATE: Final = "state"
_DEEPEST: Final = 10


class Known(Enum):
    """What a name may stand for, beside a state."""

    ITSELF = "itself"
    CONTEXT = "context"
    CONVERSATION = "conversation"
    APP = "app"


@frozen
class TheState:
    """A workflow's state; the class is `None` where it can't be seen."""

    at: ClassAt | None


Meaning = Known | TheState
Meanings = Mapping[str, Meaning]

NOTHING: Final[Meanings] = MappingProxyType({})


def meaning_of_parameter(index: ProjectIndex, scope: Scope, annotation: Expression | None) -> Meaning | None:
    """What a parameter or field is given, as its annotation says."""
    return None if annotation is None else remembered(index, outermost(scope, annotation), annotation, _meaning)


def _meaning(index: ProjectIndex, scope: Scope, annotation: Expression) -> Meaning | None:
    if isinstance(annotation, Name | Attribute) and is_framework(resolve(index, scope, annotation), APP):
        return Known.APP
    asked = requests_of(index, scope, annotation)
    match [] if asked is UNKNOWN else [one.kind for one in asked]:
        case [RequestKind.STATE]:
            return TheState(class_of_state(index, scope, annotation))
        case [RequestKind.CONTEXT]:
            return Known.CONTEXT
    return None


def class_of_state(index: ProjectIndex, scope: Scope, annotation: Expression, depth: int = 0) -> ClassAt | None:
    """The class in `State[...]`, or in one of the longer forms."""
    if depth > _DEEPEST:
        return None
    match annotation:
        case Constant(type="str", value=str(text)):
            node = parse_expression(text)
            return None if node is None else class_of_state(index, scope, read(node), depth + 1)
        case Name() | Attribute():
            return _class_named(index, resolve(index, scope, annotation), depth)
        case Subscript(value=value, items=(first, *rest)):
            match resolve(index, scope, value):
                case External(dotted=dotted) if dotted in ANNOTATED | OPTIONAL:
                    return class_of_state(index, scope, first, depth + 1)
                case External(dotted=dotted) if dotted in UNION:
                    return _class_in_union(index, scope, (first, *rest), depth)
                case Framework(name="State"):
                    return class_of_state(index, scope, first, depth + 1)
                case ClassAt() as at:
                    return at
        case Binary(operator="|", left=left, right=right):
            return _class_in_union(index, scope, (left, right), depth)
    return None


def _class_named(index: ProjectIndex, found: Resolved, depth: int) -> ClassAt | None:
    match found:
        case ClassAt() as at:
            return at
        case ValueAt(scope=there, value=value) if not value.type_params:
            return class_of_state(index, there, value.expression, depth + 1)
    return None


def _class_in_union(index: ProjectIndex, scope: Scope, arms: tuple[Expression, ...], depth: int) -> ClassAt | None:
    flat = [arm for arm in flattened(arms) if arm not in (NONE, Constant("str", "None"))]
    return class_of_state(index, scope, flat[0], depth + 1) if len(flat) == 1 else None


def chain_of(expression: Expression) -> Chain | None:
    """An expression as a name and attributes of it."""
    names: list[str] = []
    while isinstance(expression, Attribute):
        names.append(expression.name)
        expression = expression.value
    attributes = tuple(reversed(names))
    match expression:
        case Name(id=root):
            return Chain(root, attributes)
        case Call(function=Name(id=callee), arguments=()):
            return Chain(f"{callee}()", attributes)
    return None


def steps_along(chain: Chain, roots: Meanings, fields: Meanings) -> Iterator[tuple[int, Meaning]]:
    """What a chain stands for after its name, after its first attribute, and so on, as far as that is known."""
    meaning = roots.get(chain.root)
    for count, attribute in enumerate((*chain.attributes, "")):
        if meaning is None:
            return
        yield count, meaning
        match meaning:
            case Known.ITSELF:
                meaning = fields.get(attribute)
            case Known.CONTEXT if attribute == _STATE:
                meaning = Known.CONVERSATION
            case _:
                meaning = None


def whole_meaning(chain: Chain, roots: Meanings, fields: Meanings) -> Meaning | None:
    """What all of a chain stands for."""
    return dict(steps_along(chain, roots, fields)).get(len(chain.attributes))


def with_local_names(
    index: ProjectIndex, scope: Scope, body: Body, given: Meanings, params: Iterable[str], fields: Meanings
) -> Meanings:
    """The meanings of a body's parameters, and of the names that it gives to what it has through them."""
    roots = {name: meaning for name, meaning in given.items() if name not in body.bound}
    current = Chain(f"{_CURRENT_CONTEXT}()")
    if is_framework(resolve_chain(index, scope, body, params, Chain(_CURRENT_CONTEXT)), _CURRENT_CONTEXT):
        roots[current.root] = Known.CONTEXT
    for target, value in body.assigned:
        if target.attributes or body.bound.get(target.root) != 1 or target.root in set(params):
            continue
        chain = chain_of(value)
        meaning = None if chain is None else whole_meaning(chain, roots, fields)
        if meaning is None and makes_app(index, scope, body, params, value):
            meaning = Known.APP
        if meaning is not None:
            roots[target.root] = meaning
    for name, value in body.entered:
        if body.bound.get(name) == 1 and makes_app(index, scope, body, params, value):
            roots[name] = Known.APP
    return roots


def makes_app(index: ProjectIndex, scope: Scope, body: Body, params: Iterable[str], value: Expression) -> bool:
    """Say whether an expression is `Thena(...)`."""
    chain = chain_of(value.function) if isinstance(value, Call) else None
    return chain is not None and is_framework(resolve_chain(index, scope, body, params, chain), APP)


def resolve_chain(index: ProjectIndex, scope: Scope, body: Body, params: Iterable[str], chain: Chain) -> Resolved:
    """What a name that isn't the body's own stands for, or one that it imports, and attributes of that."""
    if chain.root in body.imports and chain.root not in set(params):
        found = resolve_import(index, scope.file, body.imports[chain.root])
        for attribute in chain.attributes:
            found = resolve_attribute(index, found, attribute)
        return found
    if chain.root in body.bound or chain.root in set(params):
        return UNKNOWN
    expression: Expression = Name(chain.root)
    for attribute in chain.attributes:
        expression = Attribute(expression, attribute)
    return resolve(index, scope, expression)


def names_of(parameters: Iterable[Parameter]) -> frozenset[str]:
    """The names of parameters."""
    return frozenset(one.name for one in parameters)
