"""Markers that are written where they ask for nothing: as a default, as the whole annotation, inside another type."""

from collections.abc import Iterator
from typing import Annotated, Literal, get_args, get_origin

from thena_contract.declarations import StrayMarker
from thena_runtime.build.annotations import Annotation
from thena_runtime.markers import Marker


def stray_marker(annotation: Annotation, default: object) -> StrayMarker | None:
    """The stray marker of a parameter; one inside a type counts where the parameter asks for nothing."""
    if isinstance(default, Marker):
        return StrayMarker(kind=default.kind, where="default")
    if isinstance(annotation.value, Marker):
        return StrayMarker(kind=annotation.value.kind, where="annotation")
    inside = next(_inside(annotation.value), None) if annotation.requests == () else None
    return None if inside is None else StrayMarker(kind=inside.kind, where="inside")


def _inside(value: object) -> Iterator[Marker]:
    origin = get_origin(value)
    if isinstance(value, list):  # the parameters of a `Callable`
        for each in value:
            yield from _inside(each)
    elif origin is Annotated:
        inner, *metadata = get_args(value)
        yield from (mark for mark in metadata if isinstance(mark, Marker))
        yield from _inside(inner)
    elif origin is not Literal:
        for each in get_args(value):
            yield from _inside(each)
