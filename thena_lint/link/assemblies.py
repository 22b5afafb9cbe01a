"""Index -> assemblies: one for each workflow, and one for what a file declares and no workflow uses."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from thena_contract import vocabulary
from thena_contract.anchor import Anchor, Ref
from thena_contract.assembly import Assembly
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import ClassAt, FunctionAt, is_framework
from thena_lint.link.classes import Decoration
from thena_lint.link.reader import Reader, classes_declared
from thena_lint.summary.facts import FunctionFacts
from thena_lint.summary.spans import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """An assembly, and where its parts stand.

    Each assembly has its own, since two programs of one project may give the same name to different files.
    """

    assembly: Assembly
    sites: Mapping[Anchor, Site]
    homes: Mapping[Ref, ClassAt | FunctionAt]

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


def link(index: ProjectIndex) -> tuple[Linked, ...]:
    """Link everything that the project's files declare."""
    declared = [found for file in index.speaking for found in classes_declared(index, file.path)]
    linked: list[Linked] = []
    used: set[tuple[Path, str]] = set()
    for at, decoration in declared:
        if is_framework(decoration.what, vocabulary.WORKFLOW):
            reader = Reader(index)
            assembly = Assembly(workflow=reader.workflow(at, decoration))
            linked.append(_linked(reader, assembly))
            used |= reader.agents.keys() | reader.tools.keys()
    for _, found in groupby(declared, key=lambda one: one[0].file):
        linked += _loose(index, [one for one in found if one[0].key not in used], used)
    return tuple(linked)


def _loose(
    index: ProjectIndex, declared: list[tuple[ClassAt, Decoration]], used: set[tuple[Path, str]]
) -> list[Linked]:
    """The agents and tools of a file that no workflow uses; a tool of such an agent counts as used by it."""
    reader = Reader(index)
    agents = [
        reader.agent(at, decoration) for at, decoration in declared if is_framework(decoration.what, vocabulary.AGENT)
    ]
    used |= reader.tools.keys()
    tools = [
        reader.tool(at)
        for at, decoration in declared
        if is_framework(decoration.what, vocabulary.TOOL) and at.key not in used
    ]
    if not agents and not tools:
        return []
    return [_linked(reader, Assembly(agents=tuple(agents), tools=tuple(tools)))]


def _linked(reader: Reader, assembly: Assembly) -> Linked:
    return Linked(assembly=assembly, sites=reader.sites, homes=reader.homes)


def _declaration_site(home: ClassAt | FunctionAt, path: tuple[str | int, ...]) -> Site:
    match path, home:
        case ("method", _, str(parameter)), FunctionAt(facts=facts):
            return Site(home.file, facts.qualname, ("parameter", parameter))
        case ("method", str(method), str(parameter)), ClassAt(facts=owner):
            if isinstance(owner.names.get(method), FunctionFacts):
                return Site(home.file, f"{owner.qualname}.{method}", ("parameter", parameter))
            # A generated constructor: the parameter is a field.
            return Site(home.file, f"{owner.qualname}.{parameter}", ("field",))
    return Site(home.file, home.facts.qualname)
