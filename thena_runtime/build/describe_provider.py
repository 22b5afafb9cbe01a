"""What an agent was given as its provider, as far as that is seen without making one."""

from dataclasses import replace
from typing import Final

from thena_contract import vocabulary
from thena_contract.anchor import Anchor
from thena_contract.declarations import UNKNOWN, ProviderDecl, Shape, Thing
from thena_runtime.build.describe_state import shape_of
from thena_runtime.build.signatures import read_method, read_until
from thena_runtime.build.things import thing
from thena_runtime.calls import is_generator
from thena_runtime.providers.provider import Provider

_COMPLETE: Final = "complete"


def describe_provider(value: object, anchor: Anchor) -> ProviderDecl | Thing | None:
    """Describe a provider, or a class or function that makes one; `anchor` is where it is given."""
    if value is None:
        return None
    if isinstance(value, type):
        constructor = read_method(value, vocabulary.CONSTRUCTOR)
        return ProviderDecl(
            thing=thing(value),
            call=UNKNOWN if constructor is None else constructor.signature,
            has_complete=callable(getattr(value, _COMPLETE, None)),
            shape=shape_of(value),
        )
    if isinstance(value, Provider):
        return ProviderDecl(thing=thing(value), call=None, has_complete=True, shape=Shape())
    if callable(value):
        call = read_until(value, anchor)
        if call is not UNKNOWN:
            call = replace(call, is_generator=is_generator(value))
        return ProviderDecl(thing=thing(value), call=call, has_complete=False, shape=Shape())
    return thing(value)
