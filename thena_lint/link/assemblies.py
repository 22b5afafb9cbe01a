"""Index -> assemblies: one for each workflow, and one for what a file declares and no workflow uses.

Where the linter itself fails at one of them, that is what is found there, and the others are linked all the same.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Protocol, TypeVar

from thena_contract import vocabulary
from thena_contract.anchor import Anchor, Ref
from thena_contract.assembly import Assembly
from thena_contract.declarations import UNKNOWN, BareDecl, NestedStep, ToolDecl
from thena_contract.fault import Finding
from thena_contract.frozen import frozen
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import ClassAt, FunctionAt, is_framework
from thena_lint.link.apps import APP, AppAt, Key, apps_made, by_workflow, read_apps
from thena_lint.link.bare import bare_declared
from thena_lint.link.classes import Decoration, has_heirs, is_abstract
from thena_lint.link.naming import longer_names
from thena_lint.link.nesting import contained_in
from thena_lint.link.reader import Reader, classes_declared
from thena_lint.source.failure import Failure
from thena_lint.source.faults import LinterFailed
from thena_lint.summary.facts import FunctionFacts
from thena_lint.summary.spans import Site

_Declared = tuple[ClassAt, Decoration]
_Bare = tuple[ClassAt | FunctionAt, BareDecl]


@frozen(kw_only=True, slots=False)
class Linked:
    """An assembly, the file that declares it, and where its parts stand.

    Each assembly has its own, since two programs of one project may give the same name to different files. `failed` is
    set where the linter itself failed, so that there is nothing to be judged.
    """

    home: Path
    assembly: Assembly
    sites: Mapping[Anchor, Site]
    homes: Mapping[Ref, ClassAt | FunctionAt]
    names: Mapping[Path, str] = field(default_factory=dict)
    """What files are called in it that are called otherwise in the index."""

    alike: tuple[Site, ...] = ()
    """Where further apps are made that give the workflow what its app does."""

    failed: Finding | None = None

    def site(self, anchor: Anchor) -> Site | None:
        """Where an anchor stands: the nearest part around it that is known."""
        while True:
            if anchor in self.sites:
                return self.sites[anchor]
            if anchor.path[:1] != ("option",) or len(anchor.path) <= 2:
                break
            anchor = Anchor(anchor.declaration, anchor.path[:-1])
        home = self.homes.get(anchor.declaration)
        return None if home is None else _declaration_site(home, anchor.path)

    def key(self, ref: Ref) -> tuple[Path, str] | None:
        """What makes a class or function this one and no other: its file, and its name in there."""
        home = self.homes.get(ref)
        return None if home is None else home.key

    @cached_property
    def refs(self) -> Mapping[Key, Ref]:
        """What each class and function is called here."""
        return {home.key: ref for ref, home in self.homes.items()}

    @cached_property
    def untils(self) -> Mapping[Anchor, Site]:
        """Where the `until` of each loop stands."""
        return {anchor: site for anchor, site in self.sites.items() if anchor.path[-1:] == ("until",)}

    def failure(self, error: Exception) -> Finding:
        """What is found where the linter failed while this was judged."""
        workflow = self.assembly.workflow
        subject = "what no workflow uses" if workflow is None else f"`{workflow.ref.name}`"
        anchor = Anchor(next(iter(self.homes)) if workflow is None else workflow.ref)
        return Finding(LinterFailed(subject=subject, error=Failure.of(error).error), anchor)


Result = TypeVar("Result")


class Recall(Protocol):
    """Does a piece of work with an index, unless it was done before with what is given, and rests on the same."""

    def __call__(
        self, index: ProjectIndex, key: Hashable, given: object, work: Callable[[ProjectIndex], Result]
    ) -> Result:
        """Do it, or give what it gave."""
        ...


def anew(index: ProjectIndex, key: Hashable, given: object, work: Callable[[ProjectIndex], Result]) -> Result:
    """Do a piece of work, whatever was done before."""
    return work(index)


@frozen(kw_only=True)
class Declared:
    """What the files of a project declare, before any of it is linked, in their order."""

    workflows: tuple[_Declared, ...]
    others: tuple[_Declared, ...]
    """The agents and tools."""

    bare: tuple[_Bare, ...]
    apps: tuple[tuple[Key, AppAt], ...]
    failed: tuple[Linked, ...]
    """What stands for files at which the linter failed."""


def link(index: ProjectIndex, recall: Recall = anew) -> tuple[Linked, ...]:
    """Link everything that the project's files declare."""
    declared = declared_in(index, recall)
    linked, used = link_workflows(index, declared, declared.workflows, recall)
    return (*declared.failed, *linked, *link_loose(index, declared, used))


def declared_in(index: ProjectIndex, recall: Recall = anew) -> Declared:
    """Find everything that the project's files declare."""
    declared: list[_Declared] = []
    bare: list[_Bare] = []
    apps: list[tuple[Key, AppAt]] = []
    failed: list[Linked] = []
    for file in index.speaking:
        try:
            found = recall(index, ("in file", file.path), None, partial(_in_file, file.path))
        except Exception as error:
            failed.append(_failed(file.path, index.ref(file.path, ""), "this file", error))
            continue
        declared += found[0]
        bare += found[1]
        apps += found[2]
    judged = [(at, decoration) for at, decoration in declared if not at.facts.is_conditional]
    return Declared(
        workflows=tuple(one for one in judged if is_framework(one[1].what, vocabulary.WORKFLOW)),
        others=tuple(one for one in judged if _is_loose(one[1])),
        bare=tuple(bare),
        apps=tuple(apps),
        failed=tuple(failed),
    )


def link_workflows(
    index: ProjectIndex, declared: Declared, workflows: Sequence[_Declared], recall: Recall = anew
) -> tuple[tuple[Linked, ...], frozenset[Key]]:
    """Link some of the workflows, each for every app of it, and give the agents and tools that they use."""
    linked = {at.key: _recalled(index, at, decoration, recall) for at, decoration in workflows}
    around = _in_apps_of_others(index, declared) if len(workflows) < len(declared.workflows) else {}
    others = [_recalled(index, *one, recall)[0] for key, one in around.items() if key not in linked]
    every = [*(one for one, _ in linked.values()), *others]
    of_workflow = by_workflow(declared.apps, dict(pair for one in every for pair in _nested(one)))
    in_apps = tuple(each for one, _ in linked.values() for each in _in_apps(index, one, of_workflow, recall))
    return in_apps, frozenset(key for _, keys in linked.values() for key in keys)


def _recalled(
    index: ProjectIndex, at: ClassAt, decoration: Decoration, recall: Recall
) -> tuple[Linked, frozenset[Key]]:
    return recall(index, ("linked", at.key), (at, decoration), partial(_workflow, at, decoration))


def _in_apps_of_others(index: ProjectIndex, declared: Declared) -> dict[Key, _Declared]:
    """The workflows that are steps of one for which an app is made, and those around them."""
    started = {key for key, _ in declared.apps}
    found: set[Key] = set()
    for at, _ in declared.workflows:
        contained = contained_in(index, at) if at.key in started else ()
        found.update(one.key for one in (at, *contained) if contained)
    return {one[0].key: one for one in declared.workflows if one[0].key in found}


def link_loose(index: ProjectIndex, declared: Declared, used: Set[Key]) -> tuple[Linked, ...]:
    """Link the agents and tools that no workflow uses, file by file, where `used` are those that one does."""
    loose: dict[Path, _Loose] = {}
    for one in declared.others:
        if one[0].key not in used:
            loose.setdefault(one[0].file, _Loose()).declared.append(one)
    for decorated, decl in declared.bare:
        if decorated.key not in used:
            loose.setdefault(decorated.file, _Loose()).bare.append((decorated, decl))
    so_far = set(used)
    return tuple(_linked(index, each.first, partial(_loose, each, so_far)) for each in loose.values())


def _in_file(path: Path, index: ProjectIndex) -> tuple[list[_Declared], list[_Bare], list[tuple[Key, AppAt]]]:
    """What a file declares, what it decorates and doesn't declare, and the apps that it makes."""
    return list(classes_declared(index, path)), list(bare_declared(index, path)), list(apps_made(index, path))


def _nested(linked: Linked) -> Iterator[tuple[Key, frozenset[Key]]]:
    """A workflow, and those that are steps of it."""
    workflow = linked.assembly.workflow
    key = None if workflow is None else linked.key(workflow.ref)
    if key is not None:
        steps = [step for step in linked.assembly.steps() if isinstance(step, NestedStep)]
        yield key, frozenset(each for step in steps if (each := linked.key(step.workflow)) is not None)


def _in_apps(index: ProjectIndex, linked: Linked, apps: Mapping[Key, list[AppAt]], recall: Recall) -> Sequence[Linked]:
    """A workflow once for every app that gives it something else than the others do."""
    workflow = linked.assembly.workflow
    key = None if workflow is None else linked.key(workflow.ref)
    if workflow is None or key is None or key not in apps:
        return (linked,)
    given = (linked, tuple(apps[key]))
    return recall(index, ("in apps", key), given, partial(_in_each_app, linked, workflow.ref, apps[key]))


def _in_each_app(linked: Linked, workflow: Ref, apps: Sequence[AppAt], index: ProjectIndex) -> Sequence[Linked]:
    try:
        read = read_apps(index.naming(linked.names), apps, workflow)
    except Exception as error:
        return _failed(linked.home, workflow, f"an app of `{workflow.name}`", error), linked
    return tuple(
        replace(
            linked,
            assembly=replace(linked.assembly, app=app),
            sites={**linked.sites, **sites[0]},
            alike=tuple(one[Anchor(workflow, APP)] for one in sites[1:]),
        )
        for app, sites in read.items()
    )


def _linked(index: ProjectIndex, first: ClassAt | FunctionAt, assemble: Callable[[Reader], Assembly]) -> Linked:
    """Read an assembly; once more, with longer names, where two of its files would be called the same."""
    names: dict[Path, str] = {}
    try:
        while True:
            reader = Reader(index.naming(names))
            assembly = assemble(reader)
            longer = longer_names(reader.index, reader.files)
            if longer.items() <= names.items():
                return Linked(home=first.file, assembly=assembly, sites=reader.sites, homes=reader.homes, names=names)
            names |= longer
    except Exception as error:
        return _failed(first.file, index.ref(*first.key), f"`{first.facts.qualname.rpartition('.')[2]}`", error)


def _workflow(at: ClassAt, decoration: Decoration, index: ProjectIndex) -> tuple[Linked, frozenset[Key]]:
    """A workflow, and the agents and tools that it uses."""
    used: set[Key] = set()

    def assemble(reader: Reader) -> Assembly:
        assembly = Assembly(workflow=reader.workflow(at, decoration))
        used.update(reader.used)
        return assembly

    return _linked(index, at, assemble), frozenset(used)


def _is_loose(decoration: Decoration) -> bool:
    return is_framework(decoration.what, vocabulary.AGENT) or is_framework(decoration.what, vocabulary.TOOL)


@dataclass(slots=True)
class _Loose:
    """What a file declares and no workflow uses. Collected while everything is linked."""

    declared: list[_Declared] = field(default_factory=list)
    bare: list[_Bare] = field(default_factory=list)

    @property
    def first(self) -> ClassAt | FunctionAt:
        return (*self.declared, *self.bare)[0][0]


def _loose(loose: _Loose, used: set[tuple[Path, str]], reader: Reader) -> Assembly:
    """The agents and tools of a file that no workflow uses; a tool of such an agent counts as used by it.

    How another tool is made nobody knows: by hand, for all that is seen.
    """
    agents = [
        reader.agent(at, decoration)
        for at, decoration in loose.declared
        if is_framework(decoration.what, vocabulary.AGENT)
    ]
    used |= reader.used
    tools = [
        _made_by_hand(reader, at)
        for at, decoration in loose.declared
        if is_framework(decoration.what, vocabulary.TOOL) and at.key not in used
    ]
    bare = [reader.bare(at, decl) for at, decl in loose.bare if at.key not in used]
    return Assembly(agents=tuple(agents), tools=tuple(tools), bare=tuple(bare))


def _made_by_hand(reader: Reader, at: ClassAt) -> ToolDecl:
    """A tool that nobody is seen to use. One that others derive from may leave `execute` to them."""
    tool = reader.tool(at, is_made=True)
    is_open = tool.execute is None and (is_abstract(reader.index, at) or has_heirs(reader.index, at))
    return replace(tool, execute=UNKNOWN) if is_open else tool


def _failed(file: Path, ref: Ref, subject: str, error: Exception) -> Linked:
    fault = LinterFailed(subject=subject, error=Failure.of(error).error)
    site = Site(file, ref.qualname)
    failed = Finding(fault, Anchor(ref))
    return Linked(home=file, assembly=Assembly(), sites={failed.anchor: site}, homes={}, failed=failed)


def _declaration_site(home: ClassAt | FunctionAt, path: tuple[str | int, ...]) -> Site:
    match path, home:
        case ("method", _, str(parameter)), FunctionAt(facts=facts):
            return Site(home.file, facts.qualname, ("parameter", parameter))
        case ("method", str(method), str(parameter)), ClassAt(facts=owner):
            if isinstance(owner.names.get(method), FunctionFacts):
                return Site(home.file, f"{owner.qualname}.{method}", ("parameter", parameter))
            # A generated constructor: the parameter is a field, which attrs lets be private.
            fields = () if owner.fields is UNKNOWN else owner.fields
            name = next((one.name for one in fields if one.name.lstrip("_") == parameter.lstrip("_")), parameter)
            return Site(home.file, f"{owner.qualname}.{name}", ("field",))
        case ("method", str(method)), ClassAt(facts=owner) if method in owner.names:
            return Site(home.file, f"{owner.qualname}.{method}")
        case ("field", str(field)), ClassAt(facts=owner):
            return Site(home.file, f"{owner.qualname}.{field}", ("field",))
    return Site(home.file, home.facts.qualname)
