"""What is added to a list of a file's top level further down: `STEPS.append(Flow)`, `STEPS += [A]`.

An addition counts only where nothing can have looked at the list, or made anything of it, before it was complete:
between the list and the addition it is mentioned by other additions, and as the `steps=` of declarations, which look at
it only once an app is made. Everything else is a change that can't be followed.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import libcst

from thena_contract import vocabulary
from thena_lint.summary.expressions import Constant, read
from thena_lint.summary.facts import Addition
from thena_lint.summary.uses import dotted, names_in

_STEPS: Final = "steps"


def addition_of(statement: libcst.CSTNode) -> tuple[str, Addition, libcst.BaseExpression] | None:
    """The list, what is added to it, and the node of that, if this is all that the statement does."""
    match statement:
        case libcst.SimpleStatementLine(
            body=[libcst.AugAssign(target=libcst.Name(value=name), operator=libcst.AddAssign(), value=value)]
        ):
            return name, Addition(expression=read(value), is_many=True), value
        case libcst.SimpleStatementLine(
            body=[
                libcst.Expr(
                    value=libcst.Call(func=libcst.Attribute(value=libcst.Name(value=name), attr=attr), args=args)
                )
            ]
        ) if all(argument.keyword is None and argument.star == "" for argument in args):
            return _by_method(name, attr.value, [argument.value for argument in args])
    return None


def _by_method(
    name: str, method: str, values: Sequence[libcst.BaseExpression]
) -> tuple[str, Addition, libcst.BaseExpression] | None:
    match method, values:
        case "append", [value]:
            return name, Addition(expression=read(value)), value
        case "extend", [value]:
            return name, Addition(expression=read(value), is_many=True), value
        case "insert", [position, value]:
            match read(position):
                case Constant(type="int", value=int(index)):
                    return name, Addition(expression=read(value), at=index), value
    return None


def is_unseen_between(name: str, between: Sequence[libcst.CSTNode]) -> bool:
    """Say whether nothing in these statements can have looked at the list, so that what is added now counts for all."""
    is_held = False
    for statement in between:
        found = addition_of(statement)
        if found is not None and found[0] == name and name not in names_in(found[2]):
            continue
        mentions = list(names_in(statement)).count(name)
        if not mentions:
            # Once a declaration holds the list, anything that runs may have made an app of it.
            if is_held and found is None and not _is_quiet(statement):
                return False
            continue
        if mentions != _held_by(name, statement) or not _is_quiet(statement):
            return False
        is_held = True
    return True


def _held_by(name: str, statement: libcst.CSTNode) -> int:
    """How often the list is the `steps=` of this class's decorator, as it is."""
    calls = [one.decorator for one in statement.decorators] if isinstance(statement, libcst.ClassDef) else []
    arguments = (argument for call in calls if isinstance(call, libcst.Call) for argument in call.args)
    return sum(
        argument.keyword is not None and argument.keyword.value == _STEPS and dotted(argument.value) == name
        for argument in arguments
    )


def _is_quiet(statement: libcst.CSTNode) -> bool:
    """Say whether a statement calls nothing but our decorators."""
    if isinstance(statement, libcst.FunctionDef):
        return not statement.decorators and not any(_calls(statement.params))
    if not isinstance(statement, libcst.ClassDef):
        return isinstance(statement, libcst.SimpleStatementLine) and not any(_calls(statement))
    known = [
        isinstance(one.decorator, libcst.Call)
        and (dotted(one.decorator.func) or "").rpartition(".")[2] in vocabulary.DECORATORS
        for one in statement.decorators
    ]
    return all(known) and not any(_calls(statement.body))


def _calls(node: libcst.CSTNode) -> Iterator[libcst.CSTNode]:
    """The calls that are carried out when this is, and imports, which run what they import."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, libcst.Call | libcst.Import | libcst.ImportFrom):
            yield one
        elif isinstance(one, libcst.FunctionDef):
            waiting += [one.params, *one.decorators]
        elif not isinstance(one, libcst.Lambda):
            waiting.extend(one.children)
