"""What an `until` comes to, where nothing but constants decides it."""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from thena_lint.bodies.acts import Act

Value = bool | int | str | None | tuple[()]
Fields = Mapping[str, Value]


class _OpenError(Exception):
    """What an expression comes to isn't certain."""


_COMPARED: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], object]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
"""Values of any type are compared, as Python does, and what it refuses is open."""


def outcome(act: Act, state: str | None, fields: Fields) -> bool | None:
    """Say whether a result counts as true, given what fields of the state are; `None` where that is open."""
    tree = _tree(act)
    if tree is None:
        return None
    try:
        return bool(_value(tree, state, fields))
    except (_OpenError, TypeError):
        return None


def fields_read(act: Act, state: str | None) -> tuple[str, ...]:
    """The fields of the state that a result is made of."""
    tree = _tree(act)
    found = [
        node.attr
        for node in (() if tree is None else ast.walk(tree))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == state
    ]
    return tuple(dict.fromkeys(found))


def _tree(act: Act) -> ast.expr | None:
    if act.body.result is None:
        return None
    try:
        return ast.parse(f"({act.body.result})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _value(node: ast.expr, state: str | None, fields: Fields) -> object:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Attribute(value=ast.Name(id=name), attr=field) if name == state and field in fields:
            return fields[field]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, state, fields)
        case ast.BoolOp(op=op, values=values):
            found: object = None
            for one in values:
                found = _value(one, state, fields)
                if bool(found) is isinstance(op, ast.Or):
                    break
            return found
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARED:
            return _COMPARED[type(op)](_value(left, state, fields), _value(right, state, fields))
        case ast.Call(func=ast.Name(id="len"), args=[one], keywords=[]):
            inner = _value(one, state, fields)
            if isinstance(inner, str | tuple):
                return len(inner)
        case ast.Call(func=ast.Name(id="bool"), args=[one], keywords=[]):
            return bool(_value(one, state, fields))
    raise _OpenError
