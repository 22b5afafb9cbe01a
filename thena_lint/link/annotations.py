"""What a parameter is annotated with: the class that it names, and the names that aren't there when the app is made.

What it asks for is read next door (`requests`). The runtime's twin is `thena_runtime.build.annotations`.
"""

import builtins
from collections.abc import Iterable
from typing import Final

from thena_contract import vocabulary
from thena_contract.anchor import Ref
from thena_contract.declarations import UNKNOWN, AnnotationDecl, Unknown
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import (
    ClassAt,
    External,
    Framework,
    Resolved,
    Scope,
    ValueAt,
    is_only_for_types,
    resolve,
    root_of,
)
from thena_lint.link.classes import is_compared_by_bases
from thena_lint.source.parse import parse_expression
from thena_lint.summary.expressions import (
    NONE,
    Attribute,
    Binary,
    Call,
    Constant,
    Expression,
    Name,
    Subscript,
    read,
)

ANNOTATED: Final = frozenset({"typing.Annotated", "typing_extensions.Annotated"})
OPTIONAL: Final = frozenset({"typing.Optional", "typing_extensions.Optional"})
UNION: Final = frozenset({"typing.Union", "typing_extensions.Union"})
LITERAL: Final = frozenset({"typing.Literal", "typing_extensions.Literal"})
NEW_TYPE: Final = frozenset({"typing.NewType", "typing_extensions.NewType"})
_INIT_VAR: Final = "dataclasses.InitVar"
_BUILTINS: Final = "builtins"
_TYPES: Final = frozenset({"dataclasses", "builtins", "typing", "typing_extensions", "collections"})
_DEEPEST: Final = 40

Missing = tuple[str, ...] | Unknown


def read_annotation(index: ProjectIndex, scope: Scope, annotation: Expression) -> AnnotationDecl:
    """Read an annotation."""
    return AnnotationDecl(
        of=class_in(index, scope, annotation), missing=_missing(index, scope, annotation, is_text=False, depth=0)
    )


def ref_of(index: ProjectIndex, resolved: Resolved) -> Ref | Unknown:
    """The identity of a class, as the runtime would name it."""
    match resolved:
        case ClassAt() as at:
            return index.ref(*at.key)
        case External(dotted=dotted):
            module, _, name = dotted.rpartition(".")
            is_class = module == _BUILTINS and isinstance(getattr(builtins, name, None), type)
            return Ref(_BUILTINS, name) if is_class else UNKNOWN
    return UNKNOWN


def class_in(index: ProjectIndex, scope: Scope, annotation: Expression, depth: int = 0) -> Ref | Unknown:
    """The class that a type names, alone or beside `None`, if another can be compared with it by its bases."""
    if depth > _DEEPEST or is_only_for_types(index, scope, annotation):
        return UNKNOWN
    match annotation:
        case Constant(type="str", value=str(text)):
            node = parse_expression(text)
            return UNKNOWN if node is None else class_in(index, scope, read(node), depth + 1)
        case Name() | Attribute():
            return _class_named(index, resolve(index, scope, annotation), scope, depth)
        case Subscript(value=value, items=(first, *rest)) if not is_only_for_types(index, scope, value):
            match resolve(index, scope, value):
                case External(dotted=dotted) if dotted in ANNOTATED | OPTIONAL:
                    return class_in(index, scope, first, depth + 1)
                case External(dotted=dotted) if dotted in UNION:
                    return _of_arms(index, scope, (first, *rest), depth)
                case Framework(name=name) if name in vocabulary.ALIASES:
                    return class_in(index, scope, first, depth + 1)
                case (ClassAt() | External()) as known:
                    return _class_named(index, known, scope, depth)
        case Binary(operator="|", left=left, right=right):
            return _of_arms(index, scope, (left, right), depth)
    return UNKNOWN


def _class_named(index: ProjectIndex, resolved: Resolved, scope: Scope, depth: int) -> Ref | Unknown:
    match resolved:
        case ClassAt() as at:
            return ref_of(index, at) if is_compared_by_bases(index, at) else UNKNOWN
        case External():
            return ref_of(index, resolved)
        case ValueAt(scope=there, value=value) if not value.type_params and not is_text_from_elsewhere(resolved, scope):
            return class_in(index, there, value.expression, depth + 1)
    return UNKNOWN


def new_type(index: ProjectIndex, resolved: ValueAt) -> Expression | None:
    """The type inside `NewType("Name", T)`, if it is a name: a string would be one of the file of that."""
    call = resolved.value.expression
    if not isinstance(call, Call) or len(call.positional) != len(call.arguments) or len(call.arguments) != 2:
        return None
    made_by, inner = resolve(index, resolved.scope, call.function), call.positional[1]
    is_made_so = isinstance(made_by, External) and made_by.dotted in NEW_TYPE
    return inner if is_made_so and isinstance(inner, Name | Attribute) else None


def is_text_from_elsewhere(resolved: ValueAt, scope: Scope) -> bool:
    """Say whether an alias is a string of another file, which Python evaluates with the names of this one."""
    expression = resolved.value.expression
    return isinstance(expression, Constant) and expression.type == "str" and resolved.scope.file != scope.file


def _of_arms(index: ProjectIndex, scope: Scope, arms: tuple[Expression, ...], depth: int) -> Ref | Unknown:
    flat = tuple(arm for arm in flattened(arms) if arm != NONE and arm != Constant("str", "None"))
    return class_in(index, scope, flat[0], depth + 1) if len(flat) == 1 else UNKNOWN


def flattened(arms: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """The arms of a union, those of unions inside it too."""
    found: list[Expression] = []
    for arm in arms:
        found += flattened((arm.left, arm.right)) if isinstance(arm, Binary) and arm.operator == "|" else (arm,)
    return tuple(found)


def _missing(index: ProjectIndex, scope: Scope, annotation: Expression, *, is_text: bool, depth: int) -> Missing:
    """The names that can't be evaluated. `is_text` says that a string here would be a string and no annotation."""
    if depth > _DEEPEST:
        return UNKNOWN
    match annotation:
        case Constant(type="str") if not is_text:
            node = None if not isinstance(annotation.value, str) else parse_expression(annotation.value)
            return UNKNOWN if node is None else _missing(index, scope, read(node), is_text=False, depth=depth + 1)
        case Constant():
            return ()
        case Name() | Attribute():
            return _missing_name(index, scope, annotation, depth)
        case Subscript(value=value, items=items):
            return _missing_in_subscript(index, scope, value, items, is_text=is_text, depth=depth)
        case Binary(operator="|", left=left, right=right):
            inner = (left, right)
        case Call(function=function, arguments=arguments) if is_text:
            return _joined(
                _missing(index, scope, one, is_text=True, depth=depth + 1)
                for one in (function, *(argument.value for argument in arguments))
            )
        case _:
            return UNKNOWN
    return _joined(_missing(index, scope, one, is_text=is_text, depth=depth + 1) for one in inner)


def _missing_name(index: ProjectIndex, scope: Scope, name: Name | Attribute, depth: int) -> Missing:
    root = root_of(name)
    if root is not None and root.id in scope.hidden:
        return ()
    if root is not None and is_only_for_types(index, scope, name):
        return (root.id,)
    match resolve(index, scope, name):
        case ValueAt(scope=there, value=value) as found:
            if isinstance(value.expression, Call | Constant) and not is_text_from_elsewhere(found, scope):
                # A type variable, say; what it was made of was evaluated at import.
                return () if not isinstance(value.expression, Constant) else UNKNOWN
            inside = Scope(there.file, there.inside, there.hidden | value.type_params)
            # Names that are missing in an alias are told otherwise, if at all.
            return () if _missing(index, inside, value.expression, is_text=False, depth=depth + 1) == () else UNKNOWN
        case Unknown():
            return UNKNOWN
    return ()


def _missing_in_subscript(
    index: ProjectIndex,
    scope: Scope,
    value: Expression,
    items: tuple[Expression, ...],
    *,
    is_text: bool,
    depth: int,
) -> Missing:
    if is_only_for_types(index, scope, value):
        # Whatever is inside, the whole can't be evaluated.
        return _missing(index, scope, value, is_text=True, depth=depth + 1)
    what = resolve(index, scope, value)
    are_texts = [is_text] * len(items)
    match what:
        case External(dotted=dotted) if dotted in LITERAL:
            return ()
        case External(dotted=dotted) if dotted in ANNOTATED:
            are_texts = [is_text, *(True for _ in items[1:])]
        case External(dotted=dotted) if dotted == _INIT_VAR:
            are_texts = [True] * len(items)
        case External(dotted=dotted) if dotted.partition(".")[0] not in _TYPES:
            # Elsewhere a string inside may be no type at all.
            return UNKNOWN
    inner = (
        _missing(index, scope, one, is_text=text, depth=depth + 1) for one, text in zip(items, are_texts, strict=True)
    )
    return _joined((_missing(index, scope, value, is_text=True, depth=depth + 1), *inner))


def _joined(found: Iterable[Missing]) -> Missing:
    names: dict[str, None] = {}
    for one in found:
        if one is UNKNOWN:
            return UNKNOWN
        names.update(dict.fromkeys(one))
    return tuple(names)
