"""What a call of something can really take, which isn't always what `inspect.signature` says.

A wrapper that names what it takes counts as itself. One that hands on whatever it is given (`*args, **kwargs`) takes
what the function takes that it wraps. Left out on purpose: what any of it means.
"""

import functools
import inspect
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, Final, TypeAlias

_Parameters: TypeAlias = tuple[inspect.Parameter, ...]

_CALL: Final = "__call__"
_Kind: Final = inspect.Parameter
_POSITIONAL: Final = (_Kind.POSITIONAL_ONLY, _Kind.POSITIONAL_OR_KEYWORD)
_NAMED: Final = (_Kind.POSITIONAL_OR_KEYWORD, _Kind.KEYWORD_ONLY)


def parameters_of(function: Callable[..., object], *, is_bound: bool = False, by_name: bool) -> _Parameters:
    """The parameters that a call by name, or by position, reaches; of a method that is bound, without the first.

    Raises:
        TypeError, ValueError: Python can't tell.
    """
    if isinstance(function, MethodType):
        return parameters_of(function.__func__, is_bound=True, by_name=by_name)
    if isinstance(function, functools.partial):
        return _of_partial(function, parameters_of(function.func, by_name=by_name))
    if isinstance(function, type):
        return _written(function, is_bound=False)
    wrapped = getattr(function, "__wrapped__", None)
    if callable(wrapped):
        return _of_wrapper(function, wrapped, is_bound=is_bound, by_name=by_name)
    call = getattr(type(function), _CALL, None)
    says_so_itself = inspect.isroutine(function) or getattr(function, "__signature__", None) is not None
    if not says_so_itself and isinstance(call, FunctionType):
        return parameters_of(call, is_bound=True, by_name=by_name)
    return _written(function, is_bound=is_bound)


def _written(function: Callable[..., object], *, is_bound: bool) -> _Parameters:
    """What stands in its own brackets, whatever it wraps."""
    parameters = tuple(inspect.signature(function, follow_wrapped=False).parameters.values())
    if not is_bound:
        return parameters
    if not parameters or parameters[0].kind not in (*_POSITIONAL, _Kind.VAR_POSITIONAL):
        raise ValueError("nothing can be bound")
    return parameters if parameters[0].kind is _Kind.VAR_POSITIONAL else parameters[1:]


def _of_wrapper(
    function: Callable[..., object], wrapped: Callable[..., object], *, is_bound: bool, by_name: bool
) -> _Parameters:
    try:
        own = _written(function, is_bound=is_bound)
    except (TypeError, ValueError):
        # A wrapper that isn't written in Python, such as that of `functools.cache`.
        return parameters_of(wrapped, is_bound=is_bound, by_name=by_name)
    hands_on = _Kind.VAR_KEYWORD if by_name else _Kind.VAR_POSITIONAL
    if all(param.kind is not hands_on for param in own):
        return own
    inner = parameters_of(wrapped, is_bound=is_bound, by_name=by_name)
    needed = [param for param in own if _is_required(param)]
    if by_name:
        # What it needs and can't hand on by the same name is for its caller to give.
        named = {param.name for param in inner if param.kind in _NAMED}
        return inner if all(param.name in named for param in needed) else own
    most = len([param for param in inner if param.kind in _POSITIONAL])
    takes_any = any(param.kind is _Kind.VAR_POSITIONAL for param in inner)
    if any(param.kind is _Kind.KEYWORD_ONLY for param in needed) or (len(needed) > most and not takes_any):
        return own
    # What the wrapper needs, a call needs, whether or not what is wrapped has a default for it.
    return tuple(
        param.replace(default=param.empty) if index < len(needed) and param.kind in _POSITIONAL else param
        for index, param in enumerate(inner)
    )


def _is_required(param: inspect.Parameter) -> bool:
    return param.default is param.empty and param.kind not in (_Kind.VAR_POSITIONAL, _Kind.VAR_KEYWORD)


def _of_partial(function: "functools.partial[Any]", parameters: _Parameters) -> _Parameters:  # of whatever it returns
    def stand_in() -> None: ...

    # `inspect` knows what a partial leaves free of the signature that it is shown.
    setattr(stand_in, "__signature__", inspect.Signature(parameters))  # noqa: B010 - no type says that it may be set
    left = functools.partial(stand_in, *function.args, **function.keywords)
    return tuple(inspect.signature(left).parameters.values())


def is_generator(function: object) -> bool:
    """Say whether a call of this gives a generator, which is true and never awaited, and does nothing by itself."""
    if not inspect.isroutine(function) and not isinstance(function, functools.partial | type):
        function = getattr(type(function), _CALL, None)
    return inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
