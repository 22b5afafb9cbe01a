"""Any value as the thing that its author would recognise, and what a decorator was given."""

import inspect
from collections.abc import Mapping

from thena_contract import vocabulary
from thena_contract.declarations import Given, OptionDecl, Thing, ThingKind, literal_of
from thena_runtime.decorators import remembered_on
from thena_runtime.steps import LoopBlock, ParallelBlock


def declared_as(thing: object) -> str | None:
    """The name of the decorator that a class carries itself, or `None`."""
    remembered = remembered_on(thing) if isinstance(thing, type) else None
    return None if remembered is None else remembered.decorator


def thing(value: object) -> Thing:
    """A value as its author would recognise it."""
    if isinstance(value, type):
        kinds: dict[str | None, ThingKind] = {
            vocabulary.AGENT: "agent",
            vocabulary.TOOL: "tool",
            vocabulary.WORKFLOW: "workflow",
        }
        return Thing(kind=kinds.get(declared_as(value), "class"), name=value.__name__)
    if inspect.isroutine(value):
        return Thing(kind="function", name=getattr(value, "__name__", "?"))
    if isinstance(value, LoopBlock | ParallelBlock):
        return Thing(kind="block", name=value.builder)
    kind: ThingKind = "value" if type(value).__module__ == "builtins" else "instance"
    return Thing(kind=kind, name=type(value).__name__, literal=literal_of(value))


def given_to(options: Mapping[str, object], *, unnamed: int = 0) -> Given:
    """What a decorator or builder was given: its options by name, and how many arguments by position."""
    return Given(
        options=tuple(OptionDecl(name=name, value=thing(value)) for name, value in options.items()),
        unnamed=unnamed,
    )
