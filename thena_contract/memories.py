"""Memories by position: which of the app's stores a parameter of an agent's constructor is about.

The first memory without a marker gets the first store. Where nothing at all is marked, required parameters without
annotation count as well, if there is any store.
"""

from collections.abc import Mapping

from thena_contract.declarations import UNKNOWN, AnnotationDecl, ParamDecl, Signature
from thena_contract.vocabulary import RequestKind


def by_position(constructor: Signature, stores: int) -> Mapping[str, int]:
    """The position of each parameter that is filled by it, whether or not there are so many stores.

    A parameter of which it isn't known what it asks for doesn't count.
    """
    takes_untyped = stores > 0 and not has_marker(constructor)
    counted = [param for param in constructor.params if _is_bare(param) or (takes_untyped and _is_untyped(param))]
    return {param.name: position for position, param in enumerate(counted)}


def has_marker(constructor: Signature) -> bool:
    """Say whether any parameter certainly has a marker."""
    return any(request.is_marked for param in constructor.params for request in param.asked())


def is_certain(constructor: Signature) -> bool:
    """Say whether it is known of every parameter whether it counts."""
    return all(param.requests is not UNKNOWN or _is_unresolvable(param) for param in constructor.params)


def _is_unresolvable(param: ParamDecl) -> bool:
    return isinstance(param.annotation, AnnotationDecl) and param.annotation.missing not in (UNKNOWN, ())


def _is_bare(param: ParamDecl) -> bool:
    asked = param.asked()
    return bool(asked) and all(request.kind is RequestKind.MEMORY and not request.is_marked for request in asked)


def _is_untyped(param: ParamDecl) -> bool:
    return param.annotation is None and param.requests == () and param.is_required
