"""The calls that make an app, as far as they are certainly carried out: at import, or whenever a function is called.

Left out on purpose: what stands on a condition, in a `try` or inside a `with`, where a refused app may be what is
wanted; and calls in functions that use names of the function's own.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

import libcst

from thena_contract import vocabulary
from thena_lint.summary.uses import body_of, descend, names_in

_REMEMBERED: Final = 1024
_ON_A_CONDITION: Final = (
    libcst.Lambda,
    libcst.BaseComp,
    libcst.IfExp,
    libcst.BooleanOperation,
)

_LEAVING: Final = (libcst.Return, libcst.Raise)


@lru_cache(maxsize=_REMEMBERED)
def app_calls(statement: libcst.CSTNode, names: frozenset[str]) -> tuple[libcst.Call, ...]:
    """The calls in a top-level statement of what one of these names, or an attribute `Thena`, stands for."""
    return tuple(_in_statements((statement,), names, frozenset()))


def is_program(test: libcst.BaseExpression) -> bool:
    """Say whether this is `__name__ == "__main__"`."""
    match test:
        case libcst.Comparison(
            left=libcst.Name(value="__name__"),
            comparisons=[libcst.ComparisonTarget(operator=libcst.Equal(), comparator=libcst.SimpleString() as name)],
        ):
            return name.raw_value == "__main__"
    return False


def _in_statements(
    statements: Iterable[libcst.CSTNode], names: frozenset[str], own: frozenset[str]
) -> Iterator[libcst.Call]:
    for statement in statements:
        match statement:
            case libcst.SimpleStatementLine(body=body):
                yield from _in_statements(body, names, own)
                if isinstance(body[-1], _LEAVING):
                    return
            case libcst.BaseSmallStatement():
                yield from _in_code(statement, names, own)
            case libcst.FunctionDef():
                does = body_of(statement.body)
                if vocabulary.APP in does.attributes or not names.isdisjoint(does.mentioned):
                    yield from _in_statements(statement.body.body, names, own | _bound_in(statement))
            case libcst.ClassDef():
                # What a class body binds isn't seen by its methods.
                methods = [one for one in statement.body.body if isinstance(one, libcst.FunctionDef)]
                yield from _in_statements(methods, names, own)
            case libcst.If(test=test, body=inner) if is_program(test):
                yield from _in_statements(inner.body, names, own)
            case libcst.With(items=items):
                for item in items:
                    yield from _in_code(item.item, names, own)


def _in_code(node: libcst.CSTNode, names: frozenset[str], own: frozenset[str]) -> Iterator[libcst.Call]:
    """The calls in an expression that are made whenever it is evaluated, and that use no name of a function's own."""
    if isinstance(node, _ON_A_CONDITION):
        return
    if isinstance(node, libcst.Call) and _is_of(node.func, names) and own.isdisjoint(names_in(node)):
        yield node
    for child in node.children:
        yield from _in_code(child, names, own)


def _is_of(function: libcst.BaseExpression, names: frozenset[str]) -> bool:
    match function:
        case libcst.Name(value=name):
            return name in names
        case libcst.Attribute(attr=libcst.Name(value=name)):
            return name == vocabulary.APP
        case libcst.Subscript(value=value):
            return _is_of(value, names)
    return False


@lru_cache(maxsize=_REMEMBERED)
def _bound_in(function: libcst.FunctionDef) -> frozenset[str]:
    """Every name that a function binds anywhere in it, or says to be another scope's."""
    found: set[str] = set()
    for node in descend(function):
        match node:
            case libcst.Param(name=target) | libcst.AssignTarget(target=target) | libcst.AnnAssign(target=target):
                found.update(names_in(target))
            case libcst.AugAssign(target=target) | libcst.For(target=target) | libcst.CompFor(target=target):
                found.update(names_in(target))
            case libcst.NamedExpr(target=target) | libcst.AsName(name=target) | libcst.Del(target=target):
                found.update(names_in(target))
            case libcst.ImportAlias(name=name, asname=None):
                found.update(names_in(name))
            case libcst.FunctionDef(name=name) | libcst.ClassDef(name=name) if node is not function:
                found.add(name.value)
            case libcst.MatchAs(name=libcst.Name(value=word)) | libcst.MatchStar(name=libcst.Name(value=word)):
                found.add(word)
            case libcst.MatchMapping(rest=libcst.Name(value=word)):
                found.add(word)
            case libcst.Global(names=items) | libcst.Nonlocal(names=items):
                found.update(item.name.value for item in items)
    return frozenset(found)
