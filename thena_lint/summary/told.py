"""Which names' values a call hands on as text: in f-strings and lists, joined, chosen, looked up by a key.

A value that goes through any other call (`len(key)`, `mask(key)`) comes out as something else, and doesn't count.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import libcst

from thena_lint.summary.expressions import text_of

_KEEPERS: Final = frozenset({"str", "join", "format", "strip", "list", "tuple"})
_LOOKUPS: Final = frozenset({"get", "getenv"})
_NOTES: Final = frozenset({"memory", "tasks"})
_TELLING: Final = frozenset({"append", "set"})
_RUNNING: Final = frozenset({"run", "run_sync"})
_SEED: Final = "state"


def told_by(call: libcst.Call) -> tuple[str, ...]:
    """The names whose values a call may put into a conversation, each as its last word."""
    name = _last_name(call.func)
    if name in _TELLING:
        return tuple(dict.fromkeys(_names(argument.value for argument in call.args[1:])))
    if name in _RUNNING:
        return tuple(dict.fromkeys(_seeded(call)))
    return ()


def _seeded(call: libcst.Call) -> Iterator[str]:
    """What `run(state={"memory": [...]})` begins with."""
    for argument in call.args:
        if argument.keyword is not None and argument.keyword.value == _SEED and isinstance(argument.value, libcst.Dict):
            for element in argument.value.elements:
                if isinstance(element, libcst.DictElement) and _text(element.key) in _NOTES:
                    yield from _named(element.value)


def _named(node: libcst.CSTNode) -> Iterator[str]:
    match node:
        case libcst.Name(value=name):
            yield name
        case libcst.Attribute(attr=libcst.Name(value=name)):
            yield name
        case libcst.Subscript(value=owner, slice=[libcst.SubscriptElement(slice=libcst.Index(value=key))]):
            text = _text(key)
            yield from _named(owner) if text is None else (text,)
        case libcst.FormattedString():
            yield from _names(part for part in node.parts if isinstance(part, libcst.FormattedStringExpression))
        case libcst.FormattedStringExpression(expression=inner):
            yield from _named(inner)
        case libcst.ConcatenatedString() | libcst.BooleanOperation():
            yield from _names((node.left, node.right))
        case libcst.BinaryOperation(operator=libcst.Add() | libcst.Modulo()):
            yield from _names((node.left, node.right))
        case libcst.IfExp():
            yield from _names((node.body, node.orelse))
        case libcst.List() | libcst.Tuple() | libcst.Set():
            yield from _names(element.value for element in node.elements)
        case libcst.Call():
            yield from _through(node)


def _names(nodes: Iterable[libcst.CSTNode]) -> Iterator[str]:
    for node in nodes:
        yield from _named(node)


def _through(call: libcst.Call) -> Iterator[str]:
    """What a call gives back as it was given."""
    name = _last_name(call.func)
    if name in _LOOKUPS and call.args:
        text = _text(call.args[0].value)
        if text is not None:
            yield text
    elif name in _KEEPERS:
        if isinstance(call.func, libcst.Attribute):
            yield from _named(call.func.value)
        yield from _names(argument.value for argument in call.args)


def _last_name(node: libcst.CSTNode) -> str | None:
    match node:
        case libcst.Name(value=name) | libcst.Attribute(attr=libcst.Name(value=name)):
            return name
    return None


def _text(node: libcst.CSTNode) -> str | None:
    return text_of(node) if isinstance(node, libcst.SimpleString) else None
