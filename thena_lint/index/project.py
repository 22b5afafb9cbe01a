"""All files of a project, immutable: what is asked of a whole is asked here.

Only files that mention the framework are read up front, or a file that hands its decorators on; others when a name
leads to them. An index remembers what it read, so it shows one state of the disk for as long as it lives.

In all other files no more is done than looking for a word in their bytes. Those that are imported by a file that
mentions the framework are asked whether they are Python, since that import would fail if not. Python's own parser is
asked, in a tenth of the time that libcst takes; only where that says no, libcst decides, which knows newer syntax.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Final, ParamSpec, TypeVar, cast

import libcst

from thena_contract import vocabulary
from thena_contract.anchor import Ref
from thena_contract.declarations import UNKNOWN
from thena_contract.frozen import frozen
from thena_lint.index.modules import ModuleName, Modules, is_stub
from thena_lint.source.discover import MODULES, absolute, discover, is_source
from thena_lint.source.disk import CLOSED, FILE, kind_of, note_contents, search
from thena_lint.source.failure import Failure
from thena_lint.source.mend import Mended, mend
from thena_lint.source.notebook import decode_notebook, is_notebook, read_notebook
from thena_lint.source.parse import Problem, parse, parses
from thena_lint.source.side_by_side import Both, in_turn
from thena_lint.source.suppress import NONE, Suppressions, suppressions_in
from thena_lint.source.text import (
    LARGEST,
    SourceText,
    Unreadable,
    decode,
    may_mention,
    read_source,
)
from thena_lint.summary.body import NO_BODIES, Bodies
from thena_lint.summary.cells import settle
from thena_lint.summary.collect import collect_all
from thena_lint.summary.expressions import Call, Expression, Name
from thena_lint.summary.facts import ClassFacts, FileFacts, FunctionFacts, Import
from thena_lint.summary.gaps import bodies_with_memory, settled, with_memory, without_lost
from thena_lint.summary.spans import positions_in

Found = TypeVar("Found")
Known = TypeVar("Known")
P = ParamSpec("P")

_MENTION: Final = "thena"
_WORTH_A_HALF: Final = 3_000
"""How many files there are at least, where looking through half of them takes longer than to begin another process."""


@frozen(kw_only=True, slots=False)
class IndexedFile:
    """One file that was read. `problem` says what is wrong with it; `facts` is `None` where nothing is known of it.

    `readable` is the text that the facts come from: the source, or what is left of it when the statements that don't
    parse are blanked. The names that those would bind are `lost`; of a class that is still there it is the head.
    """

    path: Path
    source: SourceText | None
    facts: FileFacts | None
    problem: Problem | Unreadable | Failure | None = None
    readable: SourceText | None = None
    lost: frozenset[str] = frozenset()
    bodies: Bodies = NO_BODIES
    """What its functions do; nothing of one in a statement that never parsed."""

    remembered: str = ""
    """The text with which it was whole, if what is lost counts as what it was then."""

    @cached_property
    def door(self) -> str | None:
        """What an import of this file must mention, if the file hands on a decorator that it doesn't use itself."""
        if self.facts is None or not _hands_on(self.facts):
            return None
        return self.path.parent.name if self.path.stem == "__init__" else self.path.stem

    @cached_property
    def suppressions(self) -> Suppressions:
        """The comments that silence something in the text that the facts come from."""
        return NONE if self.readable is None else suppressions_in(self.readable)

    def has_lost(self, qualname: str) -> bool:
        """Say whether what this names stands in a statement that doesn't parse."""
        return qualname.partition("+")[0] in self.lost

    def shows(self, qualname: str) -> bool:
        """Say whether what this names can be found in the text that the facts come from."""
        if self.readable is None or self.has_lost(qualname):
            return False
        return self.problem is None or positions_in(self.readable).bound(qualname) is not None


@frozen(kw_only=True, slots=False)
class ProjectIndex:
    """The files under some roots. Make one with `load`, and the next one with `with_text`."""

    roots: tuple[Path, ...]
    overlays: Mapping[Path, str]
    read: Mapping[Path, IndexedFile | None]
    """Every file of the project; `None` for one that is Python and doesn't mention the framework."""

    closed: tuple[Unreadable, ...] = ()
    """The folders that couldn't be read."""

    names: Mapping[Path, str] = field(default_factory=dict)
    """What files are called that can't have their own module's name, since another one has it."""

    remembered: dict[Hashable, tuple[object, object]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """What was found out by asking this index, beside what it was found out for: the same is asked again and again."""

    _reached: dict[Path, IndexedFile | None] = field(default_factory=dict, repr=False, compare=False)
    _asked: dict[Path, IndexedFile | None] = field(default_factory=dict, repr=False, compare=False)
    """What was asked whether it is Python; `None` for what is."""

    _before: dict[Path, IndexedFile] = field(default_factory=dict, repr=False, compare=False)
    """What was read of files before they were changed, where that still counts."""

    _step: tuple[Mapping[Path, IndexedFile | None], Set[Path]] | None = field(default=None, repr=False, compare=False)
    """What had been read when this index was made, and the only files of which it is something else now."""

    @staticmethod
    def load(
        roots: Sequence[Path],
        overlays: Mapping[Path, str] | None = None,
        *,
        kinds: tuple[str, ...] = MODULES,
        both: Both = in_turn,
    ) -> "ProjectIndex":
        """Read all files of some kinds under these files and folders.

        Args:
            roots: the files and folders.
            overlays: texts of files as an editor would save them.
            kinds: how the names of the files end.
            both: how the two halves of many files are read.

        Raises:
            PathError: for a path that doesn't exist, or a file that isn't Python.
        """
        texts = {absolute(path): text for path, text in (overlays or {}).items() if is_source(path)}
        discovered = discover(roots, kinds)
        files = tuple(dict.fromkeys((*discovered.files, *texts)))
        named = frozenset(map(absolute, roots))
        read = _read_each(files, texts, named, both)
        _read_behind_doors(read, texts, set())
        return ProjectIndex(roots=tuple(map(absolute, roots)), overlays=texts, read=read, closed=discovered.closed)

    def with_text(self, path: Path, text: str | None, *, remember: bool = False) -> "ProjectIndex":
        """This index with one file changed; see `with_texts`."""
        return self.with_texts({path: text}, remember=remember)

    def with_texts(
        self, texts: Mapping[Path, str | None], *, gone: Collection[Path] = (), remember: bool = False
    ) -> "ProjectIndex":
        """This index with files changed: their texts in an editor, or with `None` what is on disk now, if anything.

        Those that are `gone` belong to it no more, whether they are on disk or not.

        With `remember`, what a statement of a text declared before it was broken still counts, as in an editor, where
        a statement is broken while it is typed. Without, nothing is known of it.
        """
        changes = {absolute(path): text for path, text in texts.items() if is_source(path)}
        replaced = {*changes, *map(absolute, gone)}
        if not replaced:
            return self
        typed = {path: text for path, text in changes.items() if text is not None}
        overlays, read = _without(self.overlays, replaced) | typed, dict(self.read)
        for path in replaced:
            # Those that stay also stay where they are among the others.
            if path in changes and path in read:
                read[path] = None
            else:
                read.pop(path, None)
        known = {path: file for path in typed if (file := self._known(path)) is not None} if remember else {}
        shut = _doors(self.read.get(path) for path in replaced)
        # Only where one may have gone are all files asked.
        doors = _doors(read.values()) if shut else set(self.doors)
        for path, text in changes.items():
            if text is not None or kind_of(path) in (FILE, CLOSED):
                read[path] = _read_if_mentions(path, text, {_MENTION, *doors}, before=known.get(path))
            else:
                read.pop(path, None)
        opened = _doors(read.get(path) for path in replaced) - doors
        closed = shut - doors - opened
        if closed:
            # What was read only since it mentions the door that is closed now counts as any other file.
            _forget_what_is_silent(read)
            _read_behind_doors(read, overlays, set())
        elif opened:
            _read_behind_doors(read, overlays, doors)
        changed = replace(
            self,
            overlays=overlays,
            read=read,
            _reached=_without(self._reached, replaced),
            _asked=_without(self._asked, replaced),
            _before=_without(self._before, replaced) | known,
            _step=None if opened or closed else (self.read, replaced),
        )
        if not closed:
            changed.__dict__["doors"] = frozenset(doors)
        if all((path in read) == (path in self.read) for path in replaced):
            # No file came or went, so every module is where it was.
            changed.__dict__.update(modules=self.modules, paths=self.paths)
            if changed._step is not None and all(_imports_as(self.read.get(path), read.get(path)) for path in replaced):
                changed.__dict__["speaking"] = tuple(read[file.path] or file for file in self.speaking)
        return changed

    def with_files(self, paths: Iterable[Path]) -> "ProjectIndex":
        """This index with more files, read from disk. A large project can be read in slices this way."""
        words = {_MENTION, *self.doors}
        new = {path: _read_if_mentions(path, None, words) for path in paths if path not in self.read}
        read, doors = {**self.read, **new}, set(self.doors)
        if not _doors(new.values()) <= doors:
            _read_behind_doors(read, self.overlays, doors)
        changed = replace(self, read=read, _reached={}, _asked={}, _step=None)
        # Not looked for in all files once more: that would take longer with each slice.
        changed.__dict__["doors"] = frozenset(doors)
        return changed

    def with_roots(self, roots: Iterable[Path]) -> "ProjectIndex":
        """This index of what it has read, under other roots. What is under none of them is for the caller to remove."""
        return replace(self, roots=tuple(map(absolute, roots)), _reached={}, _asked={})

    def changed_since(self, before: "ProjectIndex") -> Mapping[Path, IndexedFile | None]:
        """The files that aren't what they were in an index of the same files, with what was known of each."""
        changed: set[Path]
        if self._step is not None and self._step[0] is before.read:
            changed = {path for path in self._step[1] if self.read.get(path) is not before.read.get(path)}
        else:
            pairs = zip(self.read.items(), before.read.items(), strict=True)
            changed = {path for (path, file), (_, then) in pairs if file is not then}
        for now, then in ((self._reached, before._reached), (self._asked, before._asked)):
            changed |= {path for path, file in then.items() if file is not now.get(path, self)}
        return {path: before.read.get(path) or before._reached.get(path) for path in changed}

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file of the project, in a fixed order."""
        return tuple(sorted(self.read))

    @cached_property
    def paths(self) -> frozenset[Path]:
        """Every file of the project; the very same object as long as none comes or goes."""
        return frozenset(self.read)

    @cached_property
    def doors(self) -> frozenset[str]:
        """What an import of one of the files that hand on a decorator must mention."""
        return frozenset(_doors(self.read.values()))

    @cached_property
    def speaking(self) -> tuple[IndexedFile, ...]:
        """The files that mention the framework, and what those import that isn't Python, in a fixed order."""
        files = [file for file in self.read.values() if file is not None]
        silent = {path for file in files for path in self._imported_by(file) if self.read.get(path, file) is None}
        broken = (self._broken(path) for path in silent)
        return tuple(sorted([*files, *(file for file in broken if file is not None)], key=lambda file: file.path))

    @cached_property
    def modules(self) -> Modules:
        """Where modules are found."""
        folders = [root if root.suffix != ".py" else root.parent for root in self.roots]
        return Modules(folders, self.read)

    def module_of(self, path: Path) -> ModuleName:
        """What importing a file would call it."""
        return self.modules.name_of(path)

    def ref(self, path: Path, qualname: str) -> Ref:
        """The identity of a class or function of a file."""
        return Ref(self.names.get(path) or self.module_of(path).dotted, qualname)

    def naming(self, names: Mapping[Path, str]) -> "ProjectIndex":
        """This index, in which some files are called otherwise."""
        if not names:
            return self
        named = replace(self, names=names)
        named.__dict__["modules"] = self.modules
        return named

    def file(self, path: Path) -> IndexedFile | None:
        """A file's facts, read now if they weren't yet; `None` if there is no such file."""
        known = self.read.get(path)
        if known is not None:
            return known
        if path not in self._reached:
            self._reached[path] = _read(path, self.overlays.get(path), self._before.get(path))
        return self._reached[path]

    def once(self, key: Hashable, of: object, find: Callable[P, Found], *given: P.args, **named: P.kwargs) -> Found:
        """What is found of what is `given`: once under this key, as long as it is `of` the same object."""
        known = self.remembered.get(key)
        if known is None or known[0] is not of:
            known = self.remembered[key] = (of, find(*given, **named))
        return cast(Found, known[1])

    def _imported_by(self, file: IndexedFile) -> tuple[Path, ...]:
        """The files that an import at the top of a file may mean."""
        if file.facts is None:
            return ()
        return self.modules.imported(file.path, file.facts)

    def _broken(self, path: Path) -> IndexedFile | None:
        """A file that isn't Python, with what is known of it; `None` for one that is."""
        if path not in self._asked:
            source = _source(path, self.overlays.get(path))
            is_fine = _is_large(source) or (isinstance(source, SourceText) and _is_python(source))
            self._asked[path] = None if is_fine else _understood(source, self._before.get(path))
        return self._asked[path]

    def _known(self, path: Path) -> IndexedFile | None:
        """What was read of a file, if it was."""
        return self.read.get(path) or self._reached.get(path) or self._before.get(path)


def _read_each(
    files: Sequence[Path], texts: Mapping[Path, str], named: Set[Path], both: Both
) -> dict[Path, IndexedFile | None]:
    """Read what mentions the framework. The second half of many files is looked through beside that."""

    def read(some: Iterable[Path]) -> dict[Path, IndexedFile | None]:
        return {path: _read_if_mentions(path, texts.get(path), {_MENTION}, is_named=path in named) for path in some}

    if len(files) < _WORTH_A_HALF:
        return read(files)
    half = len(files) // 2
    found, silent = both(partial(read, files[:half]), partial(_silent, files[half:]))
    others = (path for number, path in enumerate(files[half:]) if number in silent)
    left_out = {path for path in others if path not in named and path not in texts}
    for path in files[half:]:
        found |= {path: None} if path in left_out else read((path,))
    return found


def _silent(files: Sequence[Path]) -> frozenset[int]:
    """Which of some files certainly don't mention the framework, by their numbers."""
    return frozenset(number for number, path in enumerate(files) if _is_silent(path))


def _is_silent(path: Path) -> bool:
    """Say whether a file certainly doesn't mention the framework."""
    if is_notebook(path):
        return False
    wanted = frozenset({_MENTION.encode()})
    try:
        data = search(path, wanted)
    except OSError:
        return False
    return data is None or not may_mention(data, wanted)


def _without(files: Mapping[Path, Known], gone: Iterable[Path]) -> dict[Path, Known]:
    left = dict(files)
    for path in gone:
        left.pop(path, None)
    return left


def _imports_as(before: IndexedFile | None, now: IndexedFile | None) -> bool:
    """Say whether a file mentions the framework, as it did, and imports what it imported."""
    if before is None or now is None or before.facts is None or now.facts is None:
        return False
    return before.facts.imports == now.facts.imports


def _hands_on(facts: FileFacts) -> bool:
    """Say whether a file imports a decorator only for others to import it from there."""
    if any(star.module == vocabulary.PACKAGE for star in facts.stars):
        return True
    imported = {
        name
        for name, binding in facts.names.items()
        if isinstance(binding, Import) and binding.name in vocabulary.DECORATORS
    }
    for one in facts.classes() if imported else ():
        imported.difference_update(map(_called, one.decorators))
        if not imported:
            return False
    return bool(imported)


def _called(decorator: Expression) -> str | None:
    name = decorator.function if isinstance(decorator, Call) else decorator
    return name.id if isinstance(name, Name) else None


def _doors(files: Iterable[IndexedFile | None]) -> set[str]:
    return {door for file in files if file is not None and (door := file.door) is not None}


def _read_behind_doors(read: dict[Path, IndexedFile | None], overlays: Mapping[Path, str], opened: set[str]) -> None:
    """Read the files that may import a decorator from another file of the project; one of them may be a door too."""
    while doors := _doors(read.values()) - opened:
        opened |= doors
        for path in [path for path, file in read.items() if file is None]:
            read[path] = _read_if_mentions(path, overlays.get(path), doors)


def _forget_what_is_silent(read: dict[Path, IndexedFile | None]) -> None:
    """Let go of the files that don't mention the framework themselves."""
    for path, file in read.items():
        if file is not None and file.source is not None and not _mentions(file.source, {_MENTION}):
            read[path] = None


def _read_if_mentions(
    path: Path,
    text: str | None,
    words: Collection[str],
    *,
    is_named: bool = False,
    before: IndexedFile | None = None,
) -> IndexedFile | None:
    """A file that mentions one of these words; no large one that nobody asked for.

    A file that is named is also read where it isn't Python. What of it doesn't parse is as it was before.
    """
    if text is None and not is_named:
        source = _mentioning(path, words)
        return None if source is None or _is_large(source) else _understood(source, before)
    source = _source(path, text)
    if isinstance(source, SourceText) and not _mentions(source, words) and (not is_named or _is_python(source)):
        return None
    return _understood(source, before)


def _mentioning(path: Path, words: Collection[str]) -> SourceText | Unreadable | None:
    """The text of a file that mentions one of these words, or why there is none."""
    if is_notebook(path):
        source = read_notebook(path)
    else:
        wanted = frozenset(word.encode() for word in words)
        try:
            data = search(path, wanted)
        except OSError as error:
            return Unreadable.of(path, error)
        if data is None or not may_mention(data, wanted):
            return None
        note_contents(path, data)
        source = decode(path, data)
    return None if isinstance(source, SourceText) and not _mentions(source, words) else source


def _mentions(source: SourceText, words: Collection[str]) -> bool:
    return any(word in source.text for word in words)


def _is_large(source: SourceText | Unreadable) -> bool:
    return isinstance(source, SourceText) and len(source.text) > LARGEST


def _source(path: Path, text: str | None) -> SourceText | Unreadable:
    if is_notebook(path):
        return read_notebook(path) if text is None else decode_notebook(path, text.encode("utf-8", "surrogatepass"))
    return read_source(path) if text is None else SourceText(path, text)


def _is_python(source: SourceText) -> bool:
    try:
        # Nobody imports a notebook, and what has no cells to be run at all may be anything.
        return is_notebook(source.path) or parses(source.text)
    except Exception:
        # Whatever it is, it is told where the file is read.
        return False


def _read(path: Path, text: str | None, before: IndexedFile | None = None) -> IndexedFile | None:
    source = _source(path, text)
    if isinstance(source, Unreadable) and source.is_closed:
        return None
    file = _understood(source, before)
    return file if file.facts is None or not is_stub(path) else replace(file, facts=_of_stub(file.facts))


def _of_stub(facts: FileFacts) -> FileFacts:
    """What a stub tells of a module whose code isn't there: how its functions are called, and nothing more."""
    known = {
        name: binding if isinstance(binding, FunctionFacts | Import) else UNKNOWN
        for name, binding in facts.names.items()
    }
    return replace(facts, names=known)


def _understood(source: SourceText | Unreadable, before: IndexedFile | None = None) -> IndexedFile:
    if isinstance(source, Unreadable):
        return IndexedFile(path=source.path, source=None, facts=None, problem=source)
    try:
        if source.cells:
            return _mended(source, *settle(source), before)
        tree = parse(source.text)
        if not isinstance(tree, libcst.Module):
            return _mended(source, mend(source.text, tree, _classes(before)), tree, before)
        facts, bodies = collect_all(tree)
        return IndexedFile(path=source.path, source=source, facts=facts, bodies=bodies, readable=source)
    except Exception as error:
        return IndexedFile(path=source.path, source=source, facts=None, problem=Failure.of(error))


def _classes(before: IndexedFile | None) -> tuple[str, ...]:
    """The classes that a file had at its top level."""
    if before is None or before.facts is None:
        return ()
    return tuple(name for name, binding in before.facts.names.items() if isinstance(binding, ClassFacts))


def _mended(
    source: SourceText, mended: Mended | None, problem: Problem | None, before: IndexedFile | None
) -> IndexedFile:
    """What is known of a file of which not all is read; with what is lost as it was before, if that counts."""
    tree = problem if mended is None else parse(mended.text)
    if mended is None or not isinstance(tree, libcst.Module):
        return IndexedFile(path=source.path, source=source, facts=None, problem=problem)
    facts, bodies = collect_all(tree)
    file = IndexedFile(
        path=source.path,
        source=source,
        facts=facts,
        bodies=bodies,
        problem=problem,
        readable=replace(source, text=mended.text),
        lost=mended.lost,
    )
    if problem is None or before is None or before.facts is None:
        return replace(file, facts=without_lost(facts, mended), lost=mended.lost | mended.doubtful)
    mended = settled(mended, facts, before.facts)
    return replace(
        file,
        facts=with_memory(facts, before.facts, mended),
        bodies=bodies_with_memory(bodies, before.bodies),
        lost=mended.lost,
        remembered=before.remembered or ("" if before.source is None else before.source.text),
    )
