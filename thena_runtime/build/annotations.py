"""What a parameter asks for, out of its annotation: evaluated alone, and only as far as that can be seen.

A name that can't be evaluated (imported only for type checkers, say) becomes a stand-in, so that `State[Missing]` still
asks for the state. Left out on purpose: whether the runtime can give what is asked for.
"""

import builtins
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ForwardRef, Literal, TypeVar, Union, get_args, get_origin, is_typeddict

from thena_contract.anchor import Ref
from thena_contract.declarations import UNKNOWN, AnnotationDecl, Request, Unknown
from thena_contract.frozen import frozen
from thena_contract.vocabulary import RequestKind
from thena_runtime.build.identity import ref_of
from thena_runtime.markers import Marker, MemoryMarker
from thena_runtime.memory.vector import VectorMemory
from thena_runtime.run_context import Context
from thena_runtime.workflow_runtime import WorkflowRuntime


class _StandIn(type):
    """The class of a name that can't be evaluated: it may be subscripted, and anything be read from it."""

    def __getitem__(cls, item: object) -> "_StandIn":
        return cls

    def __getattr__(cls, name: str) -> "_StandIn":
        if name.startswith("__"):
            raise AttributeError(name)
        return cls

    def __call__(cls, *args: object, **options: object) -> "_StandIn":
        return cls


def _stand_in(name: str) -> _StandIn:
    return type.__new__(_StandIn, name, (), {})


@frozen
class Names:
    """Where the names of an annotation come from, the nearest first."""

    spaces: tuple[Mapping[str, object], ...]
    module: dict[str, Any]  # the globals of a user's module

    def evaluate(self, source: str) -> object:
        """Evaluate an annotation; what it can't be evaluated with is a stand-in, and wholly so if nothing can be."""
        try:
            # Every name is looked up in the locals first; the globals are for lambdas inside the annotation.
            return eval(source, self.module, _Lookup((*self.spaces, self.module)))
        except Exception:
            return _stand_in(source)


class _Lookup(dict[str, object]):
    def __init__(self, spaces: Sequence[Mapping[str, object]]) -> None:
        super().__init__()
        self._spaces = (*spaces, vars(builtins))

    def __missing__(self, name: str) -> object:
        for space in self._spaces:
            if name in space:
                return space[name]
        return _stand_in(name)


@frozen
class Annotation:
    """An annotation that was evaluated. `requests` is `UNKNOWN` where the whole of it couldn't be.

    `markers` are those that are written in it; a type that means a request by itself has none. `declared` is what the
    contract judges; `None` where there is no annotation.
    """

    value: object
    requests: tuple[Request, ...] | Unknown
    markers: tuple[Marker, ...] = ()
    declared: AnnotationDecl | None = None


def read_annotation(annotation: object, names: Names) -> Annotation:
    """Evaluate an annotation and read what it asks for."""
    value = _resolved(names.evaluate(annotation) if isinstance(annotation, str) else annotation, names)
    declared = AnnotationDecl(of=_class_in(value, names), missing=tuple(dict.fromkeys(_missing(value))))
    if isinstance(value, _StandIn):
        return Annotation(value, UNKNOWN, declared=declared)
    return Annotation(value, tuple(dict.fromkeys(_requests(value, names))), tuple(_markers(value, names)), declared)


def _resolved(value: object, names: Names) -> object:
    """Evaluate a reference that is still a string: `"T"`, or `T` inside `State["T"]`."""
    if isinstance(value, ForwardRef):
        return _resolved(names.evaluate(value.__forward_arg__), names)
    if isinstance(value, str):
        return _resolved(names.evaluate(value), names)
    origin, args = get_origin(value), get_args(value)
    if origin is Annotated:
        inner = _resolved(args[0], names)
        return value if inner is args[0] else Annotated[(inner, *args[1:])]
    if origin is Literal or not args:
        return value
    new = tuple(arg if isinstance(arg, list) else _resolved(arg, names) for arg in args)
    if all(ours is theirs for ours, theirs in zip(new, args, strict=True)):
        return value
    if _is_union(value):
        return Union[new]  # noqa: UP007 - the arms are known only now
    return value.copy_with(new) if hasattr(value, "copy_with") else origin[new] if origin is not None else value


def _requests(value: object, names: Names) -> Iterator[Request]:
    alias = _alias_value(value, names)
    if alias is not None:
        yield from _requests(alias, names)
    elif get_origin(value) is Annotated:
        inner, *metadata = get_args(value)
        markers = [mark for mark in metadata if isinstance(mark, Marker)]
        yield from (Request(mark.kind, _of(mark, inner, names)) for mark in markers)
        marked = {mark.kind for mark in markers}
        yield from (request for request in _requests(inner, names) if request.kind not in marked)
    elif _is_union(value):
        arms = [arm for arm in get_args(value) if arm is not type(None)]
        if len(arms) == 1:
            yield from _requests(_resolved(arms[0], names), names)
    elif value is Context or get_origin(value) is Context:
        yield Request(RequestKind.CONTEXT, _data_of(value, names), is_marked=False)
    elif value is VectorMemory:
        yield Request(RequestKind.MEMORY, is_marked=False)
    elif value is WorkflowRuntime:
        yield Request(RequestKind.RUNTIME, is_marked=False)


def _markers(value: object, names: Names) -> Iterator[Marker]:
    alias = _alias_value(value, names)
    if alias is not None:
        yield from _markers(alias, names)
    elif get_origin(value) is Annotated:
        inner, *metadata = get_args(value)
        yield from (mark for mark in metadata if isinstance(mark, Marker))
        yield from _markers(inner, names)
    elif _is_union(value):
        for arm in get_args(value):
            yield from _markers(_resolved(arm, names), names)


def _of(marker: Marker, inner: object, names: Names) -> Ref | Unknown | None:
    if isinstance(marker, MemoryMarker):
        # Whatever is no class is no store, and is told of where the plan is made.
        store = marker.store
        return None if store is None else ref_of(store) if isinstance(store, type) else UNKNOWN
    return _data_of(inner, names) if marker.kind is RequestKind.CONTEXT else _class_in(inner, names)


def _data_of(context: object, names: Names) -> Ref | Unknown | None:
    """What a `Context[...]` says that the data is; `None` where it says nothing."""
    return _class_in(get_args(context)[0], names) if get_origin(context) is Context else None


def _class_in(value: object, names: Names) -> Ref | Unknown:
    """The class that a type names, alone or beside `None`, if another can be compared with it by its bases."""
    alias = _alias_value(value, names)
    if alias is not None:
        return _class_in(alias, names)
    if get_origin(value) is Annotated:
        return _class_in(get_args(value)[0], names)
    if _is_union(value):
        arms = [arm for arm in get_args(value) if arm is not type(None)]
        return _class_in(_resolved(arms[0], names), names) if len(arms) == 1 else UNKNOWN
    named = get_origin(value) or value
    return ref_of(named) if isinstance(named, type) and is_comparable(named) else UNKNOWN


def is_comparable(cls: type) -> bool:
    """Say whether nothing but its bases decides what counts as derived from a class."""
    if isinstance(cls, _StandIn) or cls is Any or is_typeddict(cls):
        return False
    # A pydantic model is an ABC only by its metaclass, with which nobody registers other classes.
    is_model = "__pydantic_fields__" in vars(cls)
    return is_model or type(cls).__subclasscheck__ is type.__subclasscheck__


def _alias_value(value: object, names: Names) -> object | None:
    """What a `type X[T] = ...` statement stands for, with its arguments put in."""
    origin = get_origin(value) or value
    if isinstance(origin, type) or not hasattr(origin, "__value__") or not hasattr(origin, "__type_params__"):
        return None
    try:
        meant: object = _resolved(origin.__value__, names)
    except Exception:
        return _stand_in(str(origin))
    parameters = getattr(meant, "__parameters__", ())
    if not parameters or origin is value:
        return meant
    given = dict(zip(origin.__type_params__, get_args(value), strict=False))
    wanted = tuple(given.get(parameter, Any) for parameter in parameters)
    filled: object = getattr(meant, "__getitem__")(wanted)  # noqa: B009 - no type says that it can be subscripted
    return filled


def _is_union(value: object) -> bool:
    return get_origin(value) in (Union, types.UnionType)


def _missing(value: object) -> Iterator[str]:
    if isinstance(value, _StandIn):
        yield value.__name__
    elif not isinstance(value, TypeVar):
        for arg in get_args(value):
            yield from _missing(arg)


def names_around(function: object, owner: type | None, captured: Mapping[str, object]) -> Names:
    """The names that an annotation of this function may use."""
    spaces: list[Mapping[str, object]] = []
    if owner is not None:
        spaces.append({param.__name__: param for param in getattr(owner, "__type_params__", ())})
        spaces.append(vars(owner))
    spaces.append({param.__name__: param for param in getattr(function, "__type_params__", ())})
    spaces.append(captured)
    spaces.append(_closure(function))
    module = getattr(function, "__globals__", None)
    if not isinstance(module, dict):
        module = vars(sys.modules.get("" if owner is None else owner.__module__, builtins))
    return Names(tuple(spaces), module)


def _closure(function: object) -> dict[str, object]:
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None)
    if code is None or cells is None:
        return {}
    found = {}
    for name, cell in zip(code.co_freevars, cells, strict=True):
        # A cell is empty while the enclosing function hasn't reached the assignment.
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue
    return found
