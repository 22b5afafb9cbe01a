"""What a fix is worked out from: a state of the project, what was linked of it, and where each finding comes from."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import libcst

from thena_contract import vocabulary
from thena_contract.anchor import Ref
from thena_contract.fault import Finding
from thena_contract.frozen import frozen
from thena_lint.diagnostic import Diagnostic
from thena_lint.index.modules import ModuleAt
from thena_lint.index.project import IndexedFile, ProjectIndex
from thena_lint.index.resolve import ClassAt, FunctionAt, Scope, is_framework, resolve
from thena_lint.link.assemblies import Linked
from thena_lint.link.classes import declared_as
from thena_lint.rewrite.heads import Function
from thena_lint.rewrite.region import Node, Region, region_at
from thena_lint.source.disk import note_contents, search
from thena_lint.source.notebook import is_notebook
from thena_lint.source.text import SourceText, decode, may_mention
from thena_lint.summary.expressions import Attribute, Name, read
from thena_lint.summary.facts import ClassFacts
from thena_lint.summary.spans import Nodes, Site, node_at, positions_in


@frozen(kw_only=True, slots=False)
class FixContext:
    """A state of a project, and the findings in it with the assemblies that they were found in.

    Made for one round of fixes.
    """

    index: ProjectIndex
    judged: Sequence[tuple[Linked, Finding]]

    @cached_property
    def _homes(self) -> Mapping[Finding, tuple[Linked, ...]]:
        found: dict[Finding, list[Linked]] = {}
        for linked, finding in self.judged:
            found.setdefault(finding, []).append(linked)
        return {finding: tuple(every) for finding, every in found.items()}

    @cached_property
    def _by_last_name(self) -> Mapping[str, Sequence[Path]]:
        """The files whose module may have this name, or one that ends in it."""
        found: dict[str, list[Path]] = {}
        for path in self.index.read:
            for name in {path.stem, path.parent.name}:
                found.setdefault(name, []).append(path)
        return found

    def found_in(self, one: Diagnostic) -> tuple[Linked, ...]:
        """The assemblies in which a finding of this very file was found."""
        every = () if one.finding is None else self._homes.get(one.finding, ())
        return tuple(linked for linked in every if self._is_of(linked, one))

    def _is_of(self, linked: Linked, one: Diagnostic) -> bool:
        site = None if one.finding is None else linked.site(one.finding.anchor)
        return site is not None and site.file == Path(one.place.path)

    def file(self, path: Path) -> IndexedFile | None:
        """A file of the project that may be changed: no notebook, and nothing is wrong with its text."""
        file = self.index.file(path) if path in self.index.read and not is_notebook(path) else None
        return None if file is None or file.problem is not None or file.source is None else file

    def source(self, path: Path) -> SourceText | None:
        """The text of a file that may be changed."""
        file = self.file(path)
        return None if file is None else file.source

    def linked(self, one: Diagnostic) -> Linked | None:
        """The first assembly in which a finding was found."""
        return next(iter(self.found_in(one)), None)

    def at(self, site: Site | None, kind: type[Node]) -> tuple[Region, Node] | None:
        """The node of a site, if it is of this kind, and the statement that it stands in."""
        source = None if site is None else self.source(site.file)
        if site is None or source is None:
            return None
        node, bound = node_at(source, site), positions_in(source).bound(site.owner)
        return (Region(source, bound.statement), node) if bound is not None and isinstance(node, kind) else None

    def bound(self, file: Path, qualname: str, kind: type[Node]) -> tuple[Region, Node] | None:
        """What binds a name, if it is of this kind, and the statement that it stands in."""
        source = self.source(file)
        bound = None if source is None else positions_in(source).bound(qualname)
        if source is None or bound is None or not isinstance(bound.node, kind):
            return None
        return Region(source, bound.statement), bound.node

    def anchored(self, one: Diagnostic, kind: type[Node]) -> tuple[Region, Node] | None:
        """The node at which a finding is anchored, if it is of this kind."""
        return self.at(self._site(one), kind)

    def owner(self, one: Diagnostic, kind: type[Node]) -> tuple[Region, Node] | None:
        """What binds the name that a finding is anchored in: a class, a function, a field."""
        site = self._site(one)
        return None if site is None else self.bound(site.file, site.owner, kind)

    def statement(self, file: Path, qualname: str) -> Region | None:
        """The statement that binds a name."""
        source = self.source(file)
        bound = None if source is None else positions_in(source).bound(qualname)
        return None if source is None or bound is None else Region(source, bound.statement)

    def asking(self, one: Diagnostic) -> Region | None:
        """The statement in which a finding is anchored."""
        site = self._site(one)
        return None if site is None else self.statement(site.file, site.owner)

    def _site(self, one: Diagnostic) -> Site | None:
        linked = self.linked(one)
        return None if linked is None or one.finding is None else linked.site(one.finding.anchor)

    def nodes(self, one: Diagnostic) -> tuple[Region, Nodes] | None:
        """The nodes at which a diagnostic begins."""
        source = self.source(Path(one.place.path))
        return None if source is None or one.place.cell else region_at(source, one.place.line, one.place.column)

    def decorator(self, at: ClassAt) -> tuple[Region, libcst.Call] | None:
        """The call that declares a class."""
        decoration = declared_as(self.index, at)
        site = None if decoration is None else Site(*at.key, ("decorator", decoration.position))
        return self.at(site, libcst.Call)

    def home(self, linked: Linked, ref: Ref) -> ClassAt | None:
        """The class that is called so; of several programs' the one of this program."""
        known = linked.homes.get(ref)
        if known is not None:
            return known if isinstance(known, ClassAt) else None
        index = self.index.naming(linked.names)
        found = [
            ClassAt(path, facts)
            for path in self._by_last_name.get(ref.module.rpartition(".")[2], ())
            if index.ref(path, ref.qualname) == ref and (facts := _class(self.index.file(path), ref.qualname))
        ]
        if len(found) > 1:
            module = self.index.modules.find(ref.module, linked.home)
            found = [one for one in found if isinstance(module, ModuleAt) and one.file == module.file]
        return found[0] if len(found) == 1 else None

    def function(self, region: Region, value: libcst.BaseExpression) -> tuple[Region, Function] | None:
        """The function that an expression names, or the lambda that it is."""
        if isinstance(value, libcst.Lambda):
            return region, value
        expression = read(value)
        what = resolve(self.index, Scope(region.source.path), expression)
        is_named = isinstance(expression, Name | Attribute)
        return self.bound(*what.key, libcst.FunctionDef) if is_named and isinstance(what, FunctionAt) else None

    def mentions(self, word: str) -> Iterator[tuple[str, int]]:
        """Every text of the project that has this word, and where in it."""
        pattern = re.compile(rf"\b{re.escape(word)}\b")
        for path in self.index.read:
            text = self._text(path, word)
            yield from ((text, found.start()) for found in pattern.finditer(text))

    def _text(self, path: Path, word: str) -> str:
        """The text of a file; nothing of one that certainly hasn't the word."""
        known = self.index.read[path]
        if known is not None:
            return "" if known.source is None else known.source.text
        if path in self.index.overlays:
            return self.index.overlays[path]
        words = frozenset({word.encode()})
        try:
            data = search(path, words)
        except OSError:
            return ""
        if data is None or not may_mention(data, words):
            return ""
        note_contents(path, data)
        source = decode(path, data)
        return source.text if isinstance(source, SourceText) else ""


def _class(file: IndexedFile | None, qualname: str) -> ClassFacts | None:
    every = () if file is None or file.facts is None else file.facts.classes()
    return next((one for one in every if one.qualname == qualname and not one.is_conditional), None)


def is_context(context: FixContext, region: Region, param: libcst.Param) -> bool:
    """Say whether a parameter is annotated as the context."""
    if param.annotation is None:
        return False
    annotation = param.annotation.annotation
    name = annotation.value if isinstance(annotation, libcst.Subscript) else annotation
    return is_framework(resolve(context.index, Scope(region.source.path), read(name)), vocabulary.CONTEXT)
