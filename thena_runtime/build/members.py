"""What stands in the bodies of a class and of its bases: its methods, and its annotated fields.

Only what a user wrote counts: neither Python's own members nor those of the framework or of pydantic. Left out on
purpose: what any of them asks for.
"""

import functools
import inspect
from collections.abc import Collection, Iterator
from typing import Final

_NOT_THE_USERS: Final = frozenset(
    {"abc", "builtins", "pydantic.main", "thena_runtime.hooks", "typing", "typing_extensions"}
)
"""Modules whose classes are bases of users' classes and hold no hook or method of theirs."""

_METHODS: Final = (staticmethod, classmethod, functools.partialmethod, functools.singledispatchmethod)


def owners(cls: type) -> Iterator[type]:
    """A class and those of its bases that may hold a user's members, in the order in which attributes are found."""
    return (base for base in cls.__mro__ if base is cls or base.__module__ not in _NOT_THE_USERS)


def methods_of(cls: type, by_name: Collection[str]) -> Iterator[tuple[str, type]]:
    """The names of methods, each with the class that defines it; those in `by_name` whatever stands there."""
    seen = set()
    for owner in owners(cls):
        for name, value in vars(owner).items():
            if name in seen or (_is_hidden(name, owner) and name not in by_name):
                continue
            seen.add(name)
            if value is not None and (name in by_name or is_method(value)):
                yield name, owner


def fields_of(cls: type, without: Collection[str]) -> Iterator[tuple[str, type]]:
    """The names that are annotated in class bodies, each with the class that says so."""
    seen = set(without)
    for owner in owners(cls):
        for name in inspect.get_annotations(owner):
            if name not in seen:
                seen.add(name)
                yield name, owner


def is_method(value: object) -> bool:
    """Say whether something in a class body can be called as a method. No descriptor is asked, for that runs code."""
    return isinstance(value, _METHODS) or (callable(value) and not isinstance(value, type))


def _is_hidden(name: str, owner: type) -> bool:
    """Say whether a name is Python's, or one that Python made of a private one."""
    return (name.startswith("__") and name.endswith("__")) or name.startswith(f"_{owner.__name__.lstrip('_')}__")
