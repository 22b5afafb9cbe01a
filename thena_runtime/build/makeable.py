"""Whether the runtime can make an instance of a user's class, as far as that is seen without making one."""

import inspect
from enum import Enum
from typing import is_typeddict

from thena_contract.declarations import ParamDecl
from thena_runtime.build.draft import Draft, is_required
from thena_runtime.build.signatures import read_method


def check_makeable(draft: Draft, cls: type, subject: str) -> None:
    """Require that a class can be called with the parameters that are filled. Its `__init__` is looked at elsewhere."""
    reason = _why_not(cls)
    if reason is not None:
        draft.problem(f"{subject} {reason}. Use a class that can be made.")
    else:
        check_new(draft, cls, subject)


def check_new(draft: Draft, cls: type, subject: str, filled: tuple[str, ...] = ()) -> None:
    """Require that a class which can be made needs nothing in its `__new__` but what is filled."""
    missing = next((param for param in _given_to_new(cls) if is_required(param) and param.name not in filled), None)
    if missing is not None:
        draft.problem(
            f"{subject} can't be made without `{missing.name}`, which its `__new__` needs. Give it a default."
        )


def _why_not(cls: type) -> str | None:
    if issubclass(cls, Enum):
        return "is an `Enum`, which has its members and no other instances"
    if inspect.isabstract(cls):
        return f"is abstract: it has no `{min(getattr(cls, '__abstractmethods__', ()))}` of its own"
    if getattr(cls, "_is_protocol", False):
        return "is a `Protocol`, which only describes other classes"
    if is_typeddict(cls):
        return "is a `TypedDict`, which only describes dicts"
    return None


def _given_to_new(cls: type) -> tuple[ParamDecl, ...]:
    """The parameters of `__new__` but the class, none where a metaclass decides how instances are made."""
    callee = read_method(cls, "__new__")
    decides = type(cls).__call__ is not type.__call__
    return () if callee is None or decides else callee.params[1:]
