"""What was worked out before, for as long as all that it was worked out from is the same.

A keystroke in one body changes what rests on that body and nothing else. So each piece of work is done with an index
that takes note of what it is asked, and its result is kept with those notes.
"""

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Final, Self, TypeVar, cast

from thena_contract.frozen import frozen
from thena_lint.index.modules import Modules
from thena_lint.index.project import IndexedFile, ProjectIndex
from thena_lint.summary.body import Body, BodyKey
from thena_lint.summary.expressions import Expression

Result = TypeVar("Result")

_KEPT: Final = 50
"""For how many states what isn't asked for is kept: work that is part of other work is asked for only with that."""


@dataclass(slots=True)
class _Notes:
    """What a piece of work has asked for, with the answers. Owned by that piece of work."""

    files: dict[Path, IndexedFile | None] = field(default_factory=dict)
    bodies: dict[tuple[Path, BodyKey], Body | None] = field(default_factory=dict)
    attributes: dict[tuple[Path, str], Expression | None] = field(default_factory=dict)
    searches: dict[str, bool] = field(default_factory=dict)

    def add(self, inner: "_Notes") -> None:
        """Take over what a part of the work has asked for."""
        self.files.update(inner.files)
        self.bodies.update(inner.bodies)
        self.attributes.update(inner.attributes)
        self.searches.update(inner.searches)


_NO_NOTES: Final = _Notes()


@frozen(kw_only=True, slots=False)
class BodyIndex(ProjectIndex):
    """An index that is also asked what bodies do, and that remembers the work done with it."""

    memory: "Memory" = field(repr=False, compare=False)

    @classmethod
    def of(cls, index: ProjectIndex, memory: "Memory") -> Self:
        """The same files."""
        asked = cls(memory=memory, **{one.name: getattr(index, one.name) for one in fields(ProjectIndex) if one.init})
        asked.__dict__["modules"] = index.modules
        return asked

    def body(self, path: Path, key: BodyKey) -> Body | None:
        """What a function or lambda of a file does; `None` where that isn't known."""
        return _body(self, path, key)

    def attribute(self, path: Path, qualname: str) -> Expression | None:
        """What an attribute of a class is first bound to; `None` where that isn't known."""
        return _attribute(self, path, qualname)

    def says(self, pattern: str) -> bool:
        """Whether any file that mentions the framework says something like this, in code or in a text."""
        return _says(self, pattern)

    def recall(self, key: Hashable, work: Callable[["BodyIndex"], Result]) -> Result:
        """Do a part of the work, unless that was done before."""
        return self.memory.recall(self, key, None, work)


@frozen(kw_only=True, slots=False)
class _Watched(BodyIndex):
    """An index that takes note of what it is asked."""

    notes: _Notes = field(default_factory=_Notes, repr=False, compare=False)

    def file(self, path: Path) -> IndexedFile | None:
        """A file, of which the facts count alone; bodies are asked for one by one."""
        found = super().file(path)
        self.notes.files[path] = found
        return found

    def body(self, path: Path, key: BodyKey) -> Body | None:
        """What a function or lambda of a file does."""
        self.file(path)
        found = super().body(path, key)
        self.notes.bodies[(path, key)] = found
        return found

    def attribute(self, path: Path, qualname: str) -> Expression | None:
        """What an attribute of a class is first bound to."""
        self.file(path)
        found = super().attribute(path, qualname)
        self.notes.attributes[(path, qualname)] = found
        return found

    def says(self, pattern: str) -> bool:
        """Whether any file says something like this."""
        found = super().says(pattern)
        self.notes.searches[pattern] = found
        return found

    def recall(self, key: Hashable, work: Callable[[BodyIndex], Result]) -> Result:
        """Do a part of the work, of which the whole rests on what that rests on."""
        known = self.memory.known(self, key, None, work)
        self.notes.add(known.notes)
        return cast(Result, known.result)


@dataclass(slots=True)
class _Remembered:
    given: object
    result: object
    notes: _Notes
    round: int = 0
    """The state for which it was known to hold last, by its number."""


@dataclass
class Memory:
    """The work done for the last state of a project. Owned by whoever looks at the states one after the other."""

    _known: dict[Hashable, _Remembered] = field(default_factory=dict)
    _used: dict[Hashable, _Remembered] = field(default_factory=dict)
    _same: dict[tuple[Path, int], bool] = field(default_factory=dict)
    _modules: Modules | None = None
    _round: int = 0
    _last: ProjectIndex | None = None
    _changed: frozenset[Path] = frozenset()
    """The files that were read anew since the last state."""

    def begin(self, index: ProjectIndex) -> None:
        """Begin with a state, if it is another one. Now and then what the last ones had no use for is forgotten."""
        if index is self._last:
            return
        self._changed = frozenset() if self._last is None else index.changed_since(self._last)
        self._last = index
        self._round += 1
        if self._modules is not index.modules:
            self._known = {}
        elif self._round % _KEPT:
            self._known |= self._used
        else:
            self._known = self._used
        self._used = {}
        self._modules = index.modules
        self._same = {}

    def recall(self, index: ProjectIndex, key: Hashable, given: object, work: Callable[[BodyIndex], Result]) -> Result:
        """Do a piece of work, unless it was done before with what is given, and with the same answers."""
        return cast(Result, self.known(index, key, given, work).result)

    def known(
        self, index: ProjectIndex, key: Hashable, given: object, work: Callable[[BodyIndex], object]
    ) -> _Remembered:
        """Like `recall`, with the notes on the work."""
        known = self._used.get(key)
        if known is None or known.given is not given:
            known = self._known.get(key)
            if known is None or not self._holds(index, known, given):
                watched = _Watched.of(index, self)
                known = _Remembered(given, work(watched), watched.notes)
            known.round = self._round
            self._used[key] = known
        return known

    def _holds(self, index: ProjectIndex, known: _Remembered, given: object) -> bool:
        notes = known.notes
        if not (known.given is given or known.given == given):
            return False
        if known.round == self._round - 1 and self._changed.isdisjoint(notes.files):
            changed = set[Path]()
        else:
            changed = {path for path, before in notes.files.items() if index.file(path) is not before}
        if changed and not self._does_the_same(index, notes, changed):
            return False
        return all(_says(index, pattern) == found for pattern, found in notes.searches.items())

    def _does_the_same(self, index: ProjectIndex, notes: _Notes, changed: set[Path]) -> bool:
        """Say whether what was asked of files that were read anew has the same answers."""
        for path in changed:
            now, before = index.file(path), notes.files[path]
            # Many pieces of work have asked for the same file.
            compared = (path, id(before))
            if compared not in self._same:
                self._same[compared] = _declares(now) == _declares(before)
            if not self._same[compared]:
                return False
        bodies = all(_body(index, *asked) == one for asked, one in notes.bodies.items() if asked[0] in changed)
        if not bodies:
            return False
        if any(_attribute(index, *asked) != one for asked, one in notes.attributes.items() if asked[0] in changed):
            return False
        notes.files.update({path: index.file(path) for path in changed})
        return True


@dataclass
class Once(Memory):
    """The work done for one state of a project and no other: nothing is noted of what it rests on."""

    _index: BodyIndex | None = None

    def begin(self, index: ProjectIndex) -> None:
        """Begin with the only state. What was found out about it already is known."""
        super().begin(index)
        self._index = BodyIndex.of(index, self)
        self._index.remembered.update(index.remembered)

    def known(
        self, index: ProjectIndex, key: Hashable, given: object, work: Callable[[BodyIndex], object]
    ) -> _Remembered:
        """Do a piece of work once."""
        assert self._index is not None, "work begins with `begin`"
        known = self._used.get(key)
        if known is None or known.given is not given:
            known = self._used[key] = _Remembered(given, work(self._index), _NO_NOTES)
        return known


def _declares(file: IndexedFile | None) -> object:
    return None if file is None else (file.facts, file.lost)


def _body(index: ProjectIndex, path: Path, key: BodyKey) -> Body | None:
    file = index.file(path)
    return None if file is None else file.bodies.functions.get(key)


def _attribute(index: ProjectIndex, path: Path, qualname: str) -> Expression | None:
    file = index.file(path)
    return None if file is None else file.bodies.attributes.get(qualname)


def _says(index: ProjectIndex, pattern: str) -> bool:
    for file in index.speaking:
        if file.source is not None and _found(pattern, file.source.text):
            return True
        if file.remembered and _found(pattern, file.remembered):
            return True
    return False


@lru_cache(maxsize=4096)
def _found(pattern: str, text: str) -> bool:
    return re.search(pattern, text) is not None
