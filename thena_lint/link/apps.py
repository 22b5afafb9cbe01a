"""Calls of `Thena(...)` -> what the app of a workflow gives to its runs.

A workflow that is a step of another runs in the other's app. The runtime's twin is `thena_runtime.build.describe_app`.
"""

import builtins
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from thena_contract import vocabulary
from thena_contract.anchor import Anchor, Ref
from thena_contract.declarations import UNKNOWN, AppDecl, ClassDecl, Given, Unknown
from thena_contract.frozen import frozen
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import ClassAt, External, Scope, ValueAt, is_framework, resolve
from thena_lint.link.annotations import ref_of
from thena_lint.link.classes import keeps_its_name, makes_instances
from thena_lint.link.sequences import Item, UnknownItems, items_of
from thena_lint.link.states import bases_of
from thena_lint.link.things import given_to
from thena_lint.summary.collect import app_name
from thena_lint.summary.expressions import NONE, Attribute, Call, Expression, Name, Subscript
from thena_lint.summary.spans import Site

Key = tuple[Path, str]

APP: Final = ("app",)
"""The part of a workflow that is the call of `Thena` which starts it."""


@frozen
class AppAt:
    """An app that some file makes. `site` is that of the call."""

    scope: Scope
    call: Call
    site: Site


def by_workflow(apps: Iterable[tuple[Key, AppAt]], nested: Mapping[Key, frozenset[Key]]) -> Mapping[Key, list[AppAt]]:
    """The apps of each workflow, those of the workflows that it is a step of included."""
    found: dict[Key, list[AppAt]] = {}
    for started, app in apps:
        waiting, seen = [started], {started}
        while waiting:
            key = waiting.pop()
            found.setdefault(key, []).append(app)
            new = nested.get(key, frozenset()) - seen
            seen |= new
            waiting += new
    return found


def apps_made(index: ProjectIndex, path: Path) -> Iterator[tuple[Key, AppAt]]:
    """Every app that a file makes of a workflow that it names, with that."""
    file = index.file(path)
    for number, call in enumerate(() if file is None or file.facts is None else file.facts.apps):
        scope = Scope(path)
        function = call.function.value if isinstance(call.function, Subscript) else call.function
        if is_framework(resolve(index, scope, function), vocabulary.APP):
            workflow = _argument(call, 0, "workflow")
            what = None if workflow is None or workflow is UNKNOWN else resolve(index, scope, workflow[1])
            if isinstance(what, ClassAt) and keeps_its_name(index, what):
                yield what.key, AppAt(scope, call, Site(path, app_name(number)))


def read_apps(index: ProjectIndex, apps: Iterable[AppAt], ref: Ref) -> dict[AppDecl, list[Mapping[Anchor, Site]]]:
    """What apps give to a workflow's runs, and where each does that gives the same."""
    found: dict[AppDecl, list[Mapping[Anchor, Site]]] = {}
    for app in apps:
        decl, sites = _read(index, app, Anchor(ref, APP))
        found.setdefault(decl, []).append(sites)
    return found


def _read(index: ProjectIndex, app: AppAt, anchor: Anchor) -> tuple[AppDecl, Mapping[Anchor, Site]]:
    stores, given, sites = _config(index, app, anchor)
    data = _argument(app.call, None, "data")
    return (
        AppDecl(stores=stores, data=_data(index, app.scope, data), config=given),
        {anchor: app.site, **sites},
    )


def _config(
    index: ProjectIndex, app: AppAt, anchor: Anchor
) -> tuple[tuple[ClassDecl | Unknown, ...] | Unknown, Given | Unknown, Mapping[Anchor, Site]]:
    """The stores and settings of an app, and where each setting stands, by its name or its position."""
    given = _argument(app.call, 1, "config")
    if given is None or (given is not UNKNOWN and given[1] == NONE):
        return (), Given(), {}
    if given is UNKNOWN:
        return UNKNOWN, UNKNOWN, {}
    position, expression = given
    scope, site = app.scope, app.site.at(position)
    if isinstance(expression, Name | Attribute):
        what = resolve(index, scope, expression)
        if not isinstance(what, ValueAt):
            return UNKNOWN, UNKNOWN, {}
        scope, expression, site = what.scope, what.value.expression, what.site
    if not isinstance(expression, Call) or not is_framework(
        resolve(index, scope, expression.function), vocabulary.CONFIG
    ):
        return UNKNOWN, UNKNOWN, {}
    sites = {
        anchor.at(number - 1 if one.keyword is None else one.keyword): site.argument(number)
        for number, one in enumerate(expression.arguments, start=1)
    }
    memory = _argument(expression, None, "memory")
    stores = () if memory is None else _stores(index, scope, memory, site)
    return stores, given_to(index, scope, expression), sites


def _stores(
    index: ProjectIndex, scope: Scope, memory: tuple[int, Expression] | Unknown, site: Site
) -> tuple[ClassDecl | Unknown, ...] | Unknown:
    if memory is UNKNOWN:
        return UNKNOWN
    position, expression = memory
    found: list[ClassDecl | Unknown] = []
    for item in items_of(index, Item(scope, expression, site.at(position))):
        if isinstance(item, UnknownItems):
            return UNKNOWN
        found.append(_store(index, item.scope, item.expression))
    return tuple(found)


def _store(index: ProjectIndex, scope: Scope, expression: Expression) -> ClassDecl | Unknown:
    """The class of a store, given as such or as an object of it."""
    match expression:
        case Name() | Attribute():
            what = resolve(index, scope, expression)
            if isinstance(what, ValueAt) and isinstance(what.value.expression, Call):
                return _store(index, what.scope, what.value.expression)
            return _class(index, what) if isinstance(what, ClassAt) else UNKNOWN
        case Call(function=function):
            what = resolve(index, scope, function)
            return _class(index, what) if isinstance(what, ClassAt) and makes_instances(index, what) else UNKNOWN
    return UNKNOWN


def _class(index: ProjectIndex, at: ClassAt) -> ClassDecl | Unknown:
    return ClassDecl(ref=index.ref(*at.key), bases=bases_of(index, at)) if keeps_its_name(index, at) else UNKNOWN


def _data(
    index: ProjectIndex, scope: Scope, given: tuple[int, Expression] | Unknown | None
) -> ClassDecl | Unknown | None:
    if given is None or given is UNKNOWN:
        return given
    _, expression = given
    if expression == NONE:
        return None
    match resolve(index, scope, expression):
        case ClassAt() as at:
            return _class(index, at)
        case External(dotted=dotted) as external if (ref := ref_of(index, external)) is not UNKNOWN:
            cls: type = getattr(builtins, dotted.rpartition(".")[2])
            return ClassDecl(ref=ref, bases=tuple(Ref("builtins", one.__name__) for one in cls.__mro__[1:-1]))
    return UNKNOWN


def _argument(call: Call, position: int | None, name: str) -> tuple[int, Expression] | Unknown | None:
    """An argument by its name or position, with the number of its part; `UNKNOWN` where it may be among spread ones."""
    given = call.keyword(name)
    if given is not None:
        return given
    by_position = call.positional
    if position is not None and position < len(by_position):
        return position + 1, by_position[position]
    return UNKNOWN if call.spreads_keywords or (position is not None and call.spreads_positional) else None
