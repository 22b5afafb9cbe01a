"""Which names the code of a class speaks of: attributes, functions, texts such as those that `getattr` is given.

Only code that stands in the class counts, under whatever its decorators made of it. None of it is run.
"""

import functools
from collections.abc import Iterator
from types import CodeType, FunctionType

from thena_runtime.build.members import owners


def names_spoken_of(cls: type) -> frozenset[str]:
    """The names in the methods of a class and of its bases; what a method says of its own name doesn't count."""
    return frozenset(
        name for owner in owners(cls) for code in _methods_in(owner) for name in _names_in(code) if name != code.co_name
    )


def _methods_in(owner: type) -> Iterator[CodeType]:
    """The code that stands in the body of one class."""
    seen = set[int]()
    waiting = list(vars(owner).values())
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        match one:
            case FunctionType():
                if one.__code__.co_qualname.startswith(f"{owner.__qualname__}."):
                    yield one.__code__
                waiting += [*_cells_of(one), getattr(one, "__wrapped__", None)]
            case staticmethod() | classmethod():
                waiting.append(one.__func__)
            case property():
                waiting += [one.fget, one.fset, one.fdel]
            case functools.partial() | functools.partialmethod() | functools.cached_property():
                waiting.append(one.func)
            case _ if not isinstance(one, type) and "__wrapped__" in getattr(one, "__dict__", ()):
                waiting.append(one.__wrapped__)


def _cells_of(function: FunctionType) -> Iterator[object]:
    """What a function uses of the one around it, where a decorator keeps what it was given."""
    for cell in function.__closure__ or ():
        # A cell is empty while the enclosing function hasn't reached the assignment.
        try:
            yield cell.cell_contents
        except ValueError:
            continue


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    waiting: list[object] = list(code.co_consts)
    while waiting:
        match waiting.pop():
            case str() as text:
                yield text
            case tuple() | frozenset() as several:
                waiting += several
            case CodeType() as inner:
                yield from _names_in(inner)
