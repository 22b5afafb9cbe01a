"""What a function is as a decorator, as far as its last words say: it gives back what it is given, or a wrapper of it.

Only the plainest forms count: a `return` of the parameter that is never bound again, and a wrapper that is made by the
statement before and takes anything.
"""

from typing import TypeVar

import libcst

from thena_lint.summary.expressions import Expression, read
from thena_lint.summary.uses import descend

_Node = TypeVar("_Node", bound=libcst.CSTNode)


def returns_its_argument(node: libcst.FunctionDef) -> bool:
    """Say whether a function can only give back the one thing that it is called with."""
    given, returned = _parameter(node), _returned(node)
    if given is None or returned != given or node.asynchronous is not None:
        return False
    return all(_is_name(one.value, given) for one in _inside(node, libcst.Return)) and not _binds(node, given)


def wraps_with(node: libcst.FunctionDef) -> Expression | None:
    """What `@wraps(function)` is called in a function that gives back a wrapper of its argument; else `None`.

    Whoever calls the wrapper may call it as what it wraps: it takes any arguments.
    """
    given, returned = _parameter(node), _returned(node)
    if (
        given is None
        or returned is None
        or node.asynchronous is not None
        or not isinstance(node.body, libcst.IndentedBlock)
    ):
        return None
    if len(node.body.body) not in (2, 3):
        return None
    *before, wrapper, _ = node.body.body
    if not isinstance(wrapper, libcst.FunctionDef) or wrapper.name.value != returned or _binds(node, given):
        return None
    if any(not _is_docstring(one) for one in before):
        return None
    match [one.decorator for one in wrapper.decorators], wrapper.params:
        case (
            [libcst.Call(func=function, args=[libcst.Arg(value=libcst.Name(value=wrapped), keyword=None, star="")])],
            libcst.Parameters(params=[], posonly_params=[], kwonly_params=[], star_arg=libcst.Param()) as taken,
        ) if wrapped == given and taken.star_kwarg is not None and not _inside(wrapper, libcst.Yield):
            return read(function)
    return None


def _parameter(node: libcst.FunctionDef) -> str | None:
    """The name of the only parameter, if there is just one and it is required."""
    match node.params:
        case libcst.Parameters(params=[libcst.Param(name=name, default=None)], posonly_params=[], kwonly_params=[]):
            is_alone = not isinstance(node.params.star_arg, libcst.Param) and node.params.star_kwarg is None
            return name.value if is_alone else None
    return None


def _returned(node: libcst.FunctionDef) -> str | None:
    """The name that the last statement of a body returns."""
    match node.body:
        case libcst.IndentedBlock(
            body=[*_, libcst.SimpleStatementLine(body=[libcst.Return(value=libcst.Name() as it)])]
        ):
            return it.value
    return None


def _inside(node: libcst.FunctionDef, kind: type[_Node]) -> list[_Node]:
    """The nodes of a kind in a body, inner functions left out."""
    found: list[_Node] = []
    waiting: list[libcst.CSTNode] = list(node.body.body)
    while waiting:
        one = waiting.pop()
        if isinstance(one, kind):
            found.append(one)
        if not isinstance(one, libcst.FunctionDef | libcst.ClassDef | libcst.Lambda):
            waiting += one.children
    return found


def _binds(node: libcst.FunctionDef, name: str) -> bool:
    """Say whether the body may let a name stand for something else."""
    for one in descend(node.body):
        match one:
            case libcst.AssignTarget(target=target) | libcst.For(target=target) | libcst.NamedExpr(target=target):
                pass
            case libcst.AugAssign(target=target) | libcst.AnnAssign(target=target) | libcst.AsName(name=target):
                pass
            case libcst.Del(target=target) | libcst.CompFor(target=target):
                pass
            case libcst.ImportAlias() | libcst.Global() | libcst.Nonlocal() | libcst.MatchAs() | libcst.ImportStar():
                return True
            case _:
                continue
        if any(_is_name(part, name) for part in descend(target)):
            return True
    return False


def _is_name(node: libcst.CSTNode | None, name: str) -> bool:
    return isinstance(node, libcst.Name) and node.value == name


def _is_docstring(node: libcst.CSTNode) -> bool:
    match node:
        case libcst.SimpleStatementLine(body=[libcst.Expr(value=libcst.SimpleString() | libcst.ConcatenatedString())]):
            return True
    return False
