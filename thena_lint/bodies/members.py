"""Which attributes an object of a class has, as far as its class and the classes around it say."""

from functools import partial
from pathlib import Path
from typing import Final

from thena_contract import vocabulary
from thena_contract.declarations import UNKNOWN
from thena_lint.bodies.memory import BodyIndex
from thena_lint.index.resolve import ClassAt, External, is_framework, resolve
from thena_lint.link.classes import is_plain, mro, scope_around, scope_inside
from thena_lint.link.reader import classes_declared
from thena_lint.summary.expressions import NONE
from thena_lint.summary.facts import FunctionFacts

_HIDERS: Final = frozenset({"__getattr__", "__getattribute__", "__setattr__", "__slots__", "__new__", "__dict__"})
_STATE: Final = "state"
_STATIC: Final = External("builtins.staticmethod")
_ALL: Final = frozenset(dir(object)) | {"__dict__", "__annotations__", "__module__", "__match_args__"}


def members_of(index: BodyIndex, at: ClassAt) -> frozenset[str] | None:
    """Every attribute that an object has, its methods included; `None` where there may be others."""
    found = set(_ALL)
    for one in mro(index, at):
        if not isinstance(one, ClassAt) or not is_plain(index, one) or one.facts.has_keywords:
            return None
        own = _own(index, one)
        if own is None:
            return None
        found |= own
    return frozenset(found)


def states_like(index: BodyIndex, at: ClassAt) -> tuple[ClassAt, ...] | None:
    """The classes that workflows of the project make their state of and that are this one or derived from it.

    `None` if one of the project's states can't be seen, as that may be anything.
    """
    states = index.recall("states", None, _all_states)
    if states is None:
        return None
    return tuple(one for one in states if any(base is UNKNOWN or base.key == at.key for base in mro(index, one)))


def _all_states(index: BodyIndex) -> tuple[ClassAt, ...] | None:
    """The classes that workflows of the project make their state of."""
    found: list[ClassAt] = []
    for file in index.speaking:
        states = index.recall(("states", file.path), None, partial(_states, file.path))
        if states is None:
            return None
        found += states
    return tuple(found)


def _states(path: Path, index: BodyIndex) -> tuple[ClassAt, ...] | None:
    """The classes that a file's workflows make their state of."""
    found = []
    for at, decoration in classes_declared(index, path):
        if not is_framework(decoration.what, vocabulary.WORKFLOW) or decoration.call is None:
            continue
        given = decoration.call.keyword(_STATE)
        if given is None and not decoration.call.spreads_keywords:
            continue
        what = UNKNOWN if given is None else resolve(index, scope_around(at), given[1])
        if isinstance(what, ClassAt):
            found.append(what)
        elif given is None or given[1] != NONE:
            return None
    return tuple(found)


def _own(index: BodyIndex, at: ClassAt) -> set[str] | None:
    facts = at.facts
    is_opaque = bool(facts.names) and all(
        binding is UNKNOWN and index.attribute(at.file, f"{facts.qualname}.{name}") is None
        for name, binding in facts.names.items()
    )
    if facts.is_open or facts.fields is UNKNOWN or is_opaque or not _HIDERS.isdisjoint(facts.names):
        return None
    found = {*facts.names, *facts.for_types, *(field.name for field in facts.fields)}
    for binding in facts.names.values():
        if isinstance(binding, FunctionFacts):
            set_there = _set_by(index, at, binding)
            if set_there is None:
                return None
            found |= set_there
    return found


def _set_by(index: BodyIndex, at: ClassAt, method: FunctionFacts) -> set[str] | None:
    """The attributes of the object that a method mentions; `None` where it hands the object on."""
    if any(resolve(index, scope_inside(at), one) == _STATIC for one in method.decorators) or not method.parameters:
        return set()
    body = index.body(at.file, (method.qualname, (), ()))
    if body is None:
        return None
    first = method.parameters[0].name
    own = [use.chain.attributes for _, use in body.uses() if use.chain.root == first]
    # What is handed the object, or reads its dictionary, may give it anything.
    is_handed_on = () in own or any(names[0] == "__dict__" for names in own)
    return None if is_handed_on else {names[0] for names in own}
