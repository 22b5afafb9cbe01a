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
_CONSTRUCTOR: Final = "__init__"
_Kind: Final = inspect.Parameter
_POSITIONAL: Final = (_Kind.POSITIONAL_ONLY, _Kind.POSITIONAL_OR_KEYWORD)
_NAMED: Final = (_Kind.POSITIONAL_OR_KEYWORD, _Kind.KEYWORD_ONLY)


def parameters_of(function: Callable[..., object], *, is_bound: bool = False, by_name: bool) -> _Parameters:
    """The parameters that a call by name, or by position, reaches; of a method that is bound, without the first.

    Raises:
        TypeError, ValueError: Python can't tell.
    """
    if isinstance(function, MethodType):
        own = parameters_of(function.__func__, is_bound=True, by_name=by_name)
        return _without_first(own) if is_bound else own
    if isinstance(function, functools.partial):
        left = _of_partial(function, parameters_of(function.func, by_name=by_name))
        return _without_first(left) if is_bound else left
    if isinstance(function, type):
        return _written(function, is_bound=is_bound)
    wrapped = getattr(function, "__wrapped__", None)
    if callable(wrapped):
        return _of_wrapper(function, wrapped, is_bound=is_bound, by_name=by_name)
    call = getattr(type(function), _CALL, None)
    says_so_itself = inspect.isroutine(function) or getattr(function, "__signature__", None) is not None
    if not says_so_itself and isinstance(call, FunctionType):
        own = parameters_of(call, is_bound=True, by_name=by_name)
        return _without_first(own) if is_bound else own
    return _written(function, is_bound=is_bound)


def _written(function: Callable[..., object], *, is_bound: bool) -> _Parameters:
    """What stands in its own brackets, whatever it wraps."""
    parameters = tuple(inspect.signature(function, follow_wrapped=False).parameters.values())
    return _without_first(parameters) if is_bound else parameters


def _without_first(parameters: _Parameters) -> _Parameters:
    """What is left when something has been bound to the first."""
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


def arguments_taken(function: Callable[..., object], given: int) -> int:
    """How many of so many arguments by position a call can take: all of them where Python can't tell."""
    try:
        parameters = parameters_of(function, by_name=False)
    except (TypeError, ValueError):
        return given
    takes_any = any(param.kind is _Kind.VAR_POSITIONAL for param in parameters)
    return given if takes_any else min(given, len([param for param in parameters if param.kind in _POSITIONAL]))


def attribute_of_objects(found: object, *, by_name: bool) -> tuple[object, bool]:
    """What objects of a class call by the name of this, and whether they themselves are its first argument.

    No descriptor is asked, for that runs code: of any but Python's own it isn't known what it gives.
    """
    match found:
        case staticmethod():
            return found.__func__, False
        case classmethod():
            return found.__func__, True
        case functools.partialmethod():
            function, _ = attribute_of_objects(found.func, by_name=by_name)
            if not callable(function):
                return function, False
            # The object comes before what was given, even to what has no `__get__`.
            first = () if isinstance(found.func, staticmethod) else (None,)
            return functools.partial(function, *first, *found.args, **found.keywords), False
        case functools.singledispatchmethod() if not by_name:
            # It looks at its first argument by position, and can't be called without one.
            return attribute_of_objects(found.func, by_name=by_name)
    return found, not isinstance(found, MethodType) and hasattr(type(found), "__get__")


def written_under(function: object) -> tuple[object, type | None]:
    """The function that something callable runs in the end, and the class in which that stands, if it tells."""
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, MethodType):
        of = function.__self__
        return function.__func__, of if isinstance(of, type) else type(of)
    if isinstance(function, type):
        return vars(function).get(_CONSTRUCTOR), function
    if inspect.isroutine(function) or callable(getattr(function, "__wrapped__", None)):
        return function, None
    return getattr(type(function), _CALL, None), type(function)


def is_generator(function: object) -> bool:
    """Say whether a call of this gives a generator, which is true and never awaited, and does nothing by itself."""
    if not inspect.isroutine(function) and not isinstance(function, functools.partial | type):
        function = getattr(type(function), _CALL, None)
    return inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
