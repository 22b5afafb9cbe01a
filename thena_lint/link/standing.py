"""Position -> what stands there: a declaration, a parameter, `until`, a hook, a marker. For hovers and the like.

Names inside function bodies aren't looked at: what they stand for depends on what the function does.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import libcst

from thena_contract import vocabulary
from thena_contract.anchor import Anchor, Place, Ref
from thena_contract.frozen import frozen
from thena_contract.vocabulary import RequestKind
from thena_lint.index.project import IndexedFile, ProjectIndex
from thena_lint.index.resolve import ClassAt, Framework, Resolved, Scope, resolve
from thena_lint.link.assemblies import Linked
from thena_lint.link.classes import declared_as
from thena_lint.link.signatures import class_ref
from thena_lint.source.text import SourceText
from thena_lint.summary.expressions import Name, read
from thena_lint.summary.facts import Binding, ClassFacts, FileFacts
from thena_lint.summary.spans import Nodes, Positions, place_of, positions_in


@frozen
class DeclaredHere:
    """The name of an agent, tool or workflow, or the decorator that makes it one. `decorator` says which it is."""

    ref: Ref
    decorator: str


@frozen
class ParameterHere:
    """A parameter of a method (`owner` is the class that defines it) or of a plain function (`method` is `None`)."""

    owner: Ref
    method: str | None
    name: str


@frozen
class UntilHere:
    """The `until` of a loop of some workflow."""

    anchor: Anchor


@frozen
class HookHere:
    """The name of a hook where an agent defines it."""

    agent: Ref
    name: str


@frozen
class MarkerHere:
    """A marker, or an alias that the framework gives for one."""

    written: str
    kind: RequestKind


Thing = DeclaredHere | ParameterHere | UntilHere | HookHere | MarkerHere


@frozen
class Standing:
    """What stands at a position, how far it reaches, and the file that declares it.

    Two files may share a name, so it takes both to tell what a `Ref` stands for.
    """

    thing: Thing
    place: Place
    home: Path


def standing_at(index: ProjectIndex, linked: Iterable[Linked], path: Path, line: int, column: int) -> Standing | None:
    """What stands at a position (from 1) of a file; `linked` is what `link` gave for this index."""
    return next(all_standing_at(index, linked, path, line, column), None)


def all_standing_at(
    index: ProjectIndex, linked: Iterable[Linked], path: Path, line: int, column: int
) -> Iterator[Standing]:
    """Everything that stands there, the most telling first: a marker also stands in the parameter that it marks."""
    file = index.file(path)
    if file is None or file.readable is None or file.facts is None:
        return
    positions = positions_in(file.readable)
    nodes = positions.nodes_at(line, column)
    if nodes is None:
        return
    here = _Here(index, file.readable, file.facts, positions, nodes)
    found = (here.parameter(), _until(linked, file, line, column), here.definition(), here.name())
    yield from (one for one in found if one is not None)


def _until(linked: Iterable[Linked], file: IndexedFile, line: int, column: int) -> Standing | None:
    for one in linked:
        for anchor, site in one.untils.items():
            if site.file == file.path and file.shows(site.owner):
                assert file.readable is not None, f"{file.path} was linked and can't be read"
                place = place_of(file.readable, site)
                if (place.line, place.column) <= (line, column) <= (place.end_line, place.end_column):
                    return Standing(UntilHere(anchor), place, one.home)
    return None


@frozen
class _Here:
    index: ProjectIndex
    source: SourceText
    facts: FileFacts
    positions: Positions
    nodes: Nodes

    def parameter(self) -> Standing | None:
        """A parameter, wherever in it the position is."""
        param, function = self.nodes.last(libcst.Param), self.nodes.last(libcst.FunctionDef)
        if param is None or function is None or self._is_inside(libcst.Lambda):
            return None
        classes, functions = self._names_around()
        module = self.index.module_of(self.source.path).dotted
        if len(functions) > 1:
            return None
        is_method = bool(classes)
        owner = Ref(module, ".".join(classes) if is_method else function.name.value)
        thing = ParameterHere(owner, function.name.value if is_method else None, param.name.value)
        last = param.name if param.annotation is None else param.annotation
        return Standing(thing, self.positions.place(self.nodes.statement, param, last), self.source.path)

    def definition(self) -> Standing | None:
        """The name of a class or hook where it is defined."""
        name, owner = self.nodes.path[-1], self.nodes.path[-2:-1]
        at = self._class_around()
        if not isinstance(name, libcst.Name) or at is None:
            return None
        match owner:
            case (libcst.ClassDef(name=libcst.Name() as own),) if own is name:
                return self._declared(at, name)
            case (libcst.FunctionDef(name=libcst.Name() as own),) if own is name and name.value in vocabulary.HOOKS:
                return Standing(HookHere(class_ref(self.index, at), name.value), self._place(name), at.file)
        return None

    def name(self) -> Standing | None:
        """What a name stands for, where it is evaluated at import."""
        if self._is_inside_body():
            return None
        path = self.nodes.path
        name = path[-1]
        if not isinstance(name, libcst.Name):
            return None
        parent = path[-2] if len(path) > 1 else None
        if isinstance(parent, libcst.Arg) and parent.keyword is name:
            return None
        whole: libcst.CSTNode = parent if isinstance(parent, libcst.Attribute) and parent.attr is name else name
        resolved = self._resolve(whole, parent)
        decorated = self._decorated(whole)
        if decorated is not None and isinstance(resolved, Framework) and resolved.name in vocabulary.DECORATORS:
            return self._declared(decorated, whole)
        return self._meaning(resolved, whole)

    def _resolve(self, node: libcst.CSTNode, parent: libcst.CSTNode | None) -> Resolved:
        if isinstance(parent, libcst.ImportAlias):
            local = parent.name if parent.asname is None else parent.asname.name
            return resolve(self.index, Scope(self.source.path), read(local))
        if isinstance(parent, libcst.AsName) and isinstance(parent.name, libcst.Name):
            return resolve(self.index, Scope(self.source.path), Name(parent.name.value))
        return resolve(self.index, self._scope(), read(node))

    def _meaning(self, resolved: Resolved, node: libcst.CSTNode) -> Standing | None:
        match resolved:
            case ClassAt() as at:
                return self._declared(at, node)
            case Framework(name=name):
                for table in (vocabulary.MARKERS, vocabulary.ALIASES, vocabulary.SELF_MARKING):
                    if name in table:
                        return Standing(MarkerHere(name, table[name]), self._place(node), self.source.path)
        return None

    def _declared(self, at: ClassAt, node: libcst.CSTNode) -> Standing | None:
        decoration = declared_as(self.index, at)
        if decoration is None or not isinstance(decoration.what, Framework):
            return None
        thing = DeclaredHere(class_ref(self.index, at), decoration.what.name)
        return Standing(thing, self._place(node), at.file)

    def _place(self, node: libcst.CSTNode) -> Place:
        return self.positions.place(self.nodes.statement, node, node)

    # -- what is around the position

    def _names_around(self) -> tuple[list[str], list[str]]:
        classes = [node.name.value for node in self.nodes.path if isinstance(node, libcst.ClassDef)]
        functions = [node.name.value for node in self.nodes.path if isinstance(node, libcst.FunctionDef)]
        return classes, functions

    def _class_around(self) -> ClassAt | None:
        qualname = ".".join(self._names_around()[0])
        facts = self._class_facts(qualname)
        return None if facts is None else ClassAt(self.source.path, facts)

    def _class_facts(self, qualname: str) -> ClassFacts | None:
        found: Binding | None = None
        names = self.facts.names
        for name in qualname.split("."):
            found = names.get(name)
            names = found.names if isinstance(found, ClassFacts) else {}
        return found if isinstance(found, ClassFacts) else None

    def _scope(self) -> Scope:
        """Where the position's names are read: a class's head belongs to what is around the class."""
        names = []
        for outer, inner in zip(self.nodes.path, self.nodes.path[1:], strict=False):
            if isinstance(outer, libcst.ClassDef) and isinstance(inner, libcst.IndentedBlock):
                names.append(outer.name.value)
        facts = self._class_facts(".".join(names))
        return Scope(self.source.path, facts, frozenset() if facts is None else facts.type_params)

    def _decorated(self, node: libcst.CSTNode) -> ClassAt | None:
        """The class whose decorator this is the name of."""
        for outer, inner in zip(self.nodes.path, self.nodes.path[1:], strict=False):
            if isinstance(outer, libcst.ClassDef) and isinstance(inner, libcst.Decorator):
                called = inner.decorator.func if isinstance(inner.decorator, libcst.Call) else inner.decorator
                return self._class_around() if called is node else None
        return None

    def _is_inside(self, kind: type[libcst.CSTNode]) -> bool:
        return any(isinstance(node, kind) for node in self.nodes.path)

    def _is_inside_body(self) -> bool:
        return any(
            isinstance(outer, libcst.FunctionDef) and isinstance(inner, libcst.BaseSuite)
            for outer, inner in zip(self.nodes.path, self.nodes.path[1:], strict=False)
        )
