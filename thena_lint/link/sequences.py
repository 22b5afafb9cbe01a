"""Lists of steps and tools as they are written: literals, constants behind names, `A + B`, `[*A, x]`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from thena_contract.declarations import UNKNOWN, Thing
from thena_contract.frozen import frozen
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import External, FunctionAt, Resolved, Scope, ValueAt, resolve
from thena_lint.link.things import thing_of
from thena_lint.summary.expressions import Attribute, Binary, Call, Expression, Name, Sequence, Spread
from thena_lint.summary.spans import Site

_NO_LISTS: Final = frozenset(
    {"NoneType", "bool", "int", "float", "complex", "str", "bytes", "set", "frozenset", "dict", "generator", "ellipsis"}
)
_COPIERS: Final = (External("builtins.list"), External("builtins.tuple"))


@frozen
class Item:
    """One entry: the expression, where it is read, and where it stands."""

    scope: Scope
    expression: Expression
    site: Site


@frozen
class UnknownItems:
    """Any number of entries that can't be seen."""

    site: Site


def no_list(index: ProjectIndex, whole: Item) -> Thing | None:
    """What stands in the place of a list and certainly is none."""
    thing = thing_of(index, whole.scope, whole.expression)
    if thing is UNKNOWN or thing.kind == "instance":
        return None
    return thing if thing.kind != "value" or thing.name in _NO_LISTS else None


def items_of(index: ProjectIndex, whole: Item) -> Iterator[Item | UnknownItems]:
    """The entries of a list, in order."""
    return _items(index, whole, frozenset())


def _items(index: ProjectIndex, whole: Item, seen: frozenset[tuple[Path, str]]) -> Iterator[Item | UnknownItems]:
    scope, site = whole.scope, whole.site
    match whole.expression:
        case Sequence(items=items):
            for position, item in enumerate(items):
                if isinstance(item, Spread):
                    yield from _items(index, Item(scope, item.value, site.at(position, 0)), seen)
                else:
                    yield Item(scope, item, site.at(position))
        case Binary(operator="+", left=left, right=right):
            yield from _items(index, Item(scope, left, site.at(0)), seen)
            yield from _items(index, Item(scope, right, site.at(1)), seen)
        case Call(function=function) as call if (
            len(call.positional) == len(call.arguments) == 1 and resolve(index, scope, function) in _COPIERS
        ):
            yield from _items(index, Item(scope, call.positional[0], site.at(1)), seen)
        case Call(arguments=(), function=function):
            yield from _returned(index, resolve(index, scope, function), site, seen)
        case Name() | Attribute():
            what = resolve(index, scope, whole.expression)
            if isinstance(what, ValueAt) and (key := (what.site.file, what.site.owner)) not in seen:
                yield from _with_added(index, what, seen | {key})
            else:
                yield UnknownItems(site)
        case _:
            yield UnknownItems(site)


def _returned(
    index: ProjectIndex, function: Resolved, site: Site, seen: frozenset[tuple[Path, str]]
) -> Iterator[Item | UnknownItems]:
    """The entries of the list that a plain function returns, which is handed to nothing that may change it."""
    match function:
        case FunctionAt(facts=facts, owner=None, file=file) if (
            facts.returns is not None
            and not (facts.parameters or facts.decorators or facts.is_async)
            and function.key not in seen
            and not _is_passed_on(index, function)
        ):
            inside = Item(Scope(file), facts.returns, Site(file, facts.qualname, ("return",)))
            yield from _items(index, inside, seen | {function.key})
        case _:
            yield UnknownItems(site)


def _is_passed_on(index: ProjectIndex, function: FunctionAt) -> bool:
    file = index.file(function.file)
    return file is None or file.facts is None or function.facts.qualname in file.facts.uses.passed


def _with_added(index: ProjectIndex, at: ValueAt, seen: frozenset[tuple[Path, str]]) -> Iterator[Item | UnknownItems]:
    """The entries of a list behind a name, with what is added to it further down."""
    found = list(_items(index, Item(at.scope, at.value.expression, at.site), seen))
    for number, added in enumerate(at.value.added):
        one = Item(at.scope, added.expression, Site(at.site.file, f"{at.site.owner}+{number}"))
        if added.is_many:
            found += _items(index, one, seen)
        elif added.at is None:
            found.append(one)
        elif any(isinstance(item, UnknownItems) for item in found):
            # Nobody knows between which entries it comes.
            found = [UnknownItems(at.site)]
        else:
            found.insert(added.at, one)
    yield from found
