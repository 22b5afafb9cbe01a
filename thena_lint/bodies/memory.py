"""What was worked out before, for as long as all that it was worked out from is the same.

A keystroke in one body changes what rests on that body and nothing else. So each piece of work is done with an index
that takes note of what it is asked: which name of which file, which body. What is different in a file that is read anew
is found out once, and what has asked for none of it holds.
"""

from collections.abc import Callable, Hashable, ItemsView, Iterable, Iterator, Mapping, ValuesView
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Self, TypeVar, cast

from thena_contract.frozen import frozen
from thena_lint.bodies.said import Said
from thena_lint.index.modules import Modules
from thena_lint.index.project import IndexedFile, ProjectIndex
from thena_lint.summary.body import Body, BodyKey
from thena_lint.summary.expressions import Expression
from thena_lint.summary.facts import Binding

Result = TypeVar("Result")

_KEPT: Final = 50
"""For how many states what isn't asked for is kept."""

_ALL: Final = "*"
"""Stands among names for all of them."""


@dataclass(slots=True)
class _Asked:
    """What a piece of work has asked of a file. Owned by that piece of work, until it is done."""

    names: set[str] = field(default_factory=set)
    bodies: set[BodyKey] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)

    def with_more(self, other: "_Asked") -> "_Asked":
        """This and what another piece of work has asked."""
        if other is self:
            return self
        return _Asked(self.names | other.names, self.bodies | other.bodies, self.attributes | other.attributes)


@dataclass(slots=True)
class _Notes:
    """What a piece of work has asked for. Owned by that piece of work.

    Of a search it is noted in which file something was found. `asks_for_files` says that it has gone through all files
    that mention the framework.
    """

    files: dict[Path, _Asked] = field(default_factory=dict)
    searches: dict[Said, Path | None] = field(default_factory=dict)
    asks_for_files: bool = False
    parts: "list[_Remembered]" = field(default_factory=list)
    """The pieces of work that were part of this one."""

    def of(self, path: Path) -> _Asked:
        """What has been asked of a file."""
        asked = self.files.get(path)
        if asked is None:
            asked = self.files[path] = _Asked()
        return asked

    def close(self) -> None:
        """The work is done: take over what its parts have asked for."""
        for part in {id(part): part for part in self.parts}.values():
            self.files = _joined(self.files, part.notes.files)
            self.searches.update(part.notes.searches)
            self.asks_for_files = self.asks_for_files or part.notes.asks_for_files


def _joined(one: dict[Path, _Asked], other: dict[Path, _Asked]) -> dict[Path, _Asked]:
    """What two pieces of work have asked."""
    joined = {**one, **other}
    # A part may have asked something of every file. Sets made of dictionaries don't hash their paths again.
    for path in set(one) & set(other):
        joined[path] = one[path].with_more(other[path])
    return joined


_NO_NOTES: Final = _Notes()


class _NotedNames(Mapping[str, Binding]):
    """The names of a file, which take note of those that are asked for. They live as long as one piece of work."""

    def __init__(self, names: Mapping[str, Binding], asked: set[str]) -> None:
        self._names = names
        self._asked = asked

    def __getitem__(self, name: str) -> Binding:
        self._asked.add(name)
        return self._names[name]

    def get(self, name: str, default: object = None) -> Binding | None:  # type: ignore[override]
        """What a name is bound to, if it is."""
        self._asked.add(name)
        return self._names.get(name)

    def __contains__(self, name: object) -> bool:
        self._asked.add(cast(str, name))
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        self._asked.add(_ALL)
        return iter(self._names)

    def __len__(self) -> int:
        self._asked.add(_ALL)
        return len(self._names)

    def items(self) -> ItemsView[str, Binding]:
        """All names with what they are bound to."""
        self._asked.add(_ALL)
        return self._names.items()

    def values(self) -> ValuesView[Binding]:
        """All that names are bound to."""
        self._asked.add(_ALL)
        return self._names.values()


@frozen(kw_only=True, slots=False)
class BodyIndex(ProjectIndex):
    """An index that is also asked what bodies do, and that remembers the work done with it."""

    memory: "Memory" = field(repr=False, compare=False)

    @classmethod
    # Fields of any type: those of the class that is made.
    def of(cls, index: ProjectIndex, **own: Any) -> Self:
        """The same files, with what is this index's own."""
        asked = cls(**own, **{one.name: getattr(index, one.name) for one in _FIELDS})
        asked.__dict__["modules"] = index.modules
        return asked

    def body(self, path: Path, key: BodyKey) -> Body | None:
        """What a function or lambda of a file does; `None` where that isn't known."""
        file = self.file(path)
        return None if file is None else file.bodies.functions.get(key)

    def attribute(self, path: Path, qualname: str) -> Expression | None:
        """What an attribute of a class is first bound to; `None` where that isn't known."""
        file = self.file(path)
        return None if file is None else file.bodies.attributes.get(qualname)

    def says(self, said: Said) -> bool:
        """Whether any file that mentions the framework says this of a word."""
        return _where_said(self.speaking, said) is not None

    def recall(self, key: Hashable, given: object, work: Callable[["BodyIndex"], Result]) -> Result:
        """Do a part of the work, unless that was done before with what is given."""
        return self.memory.recall(self, key, given, work)


_FIELDS: Final = tuple(one for one in fields(ProjectIndex) if one.init)


@frozen(kw_only=True, slots=False)
class _Watched(BodyIndex):
    """An index that takes note of what it is asked."""

    base: ProjectIndex = field(repr=False, compare=False)
    notes: _Notes = field(default_factory=_Notes, repr=False, compare=False)
    _shown: dict[Path, IndexedFile] = field(default_factory=dict, repr=False, compare=False)
    """The files with names that take note."""

    @cached_property
    def speaking(self) -> tuple[IndexedFile, ...]:
        """The files that mention the framework, and what those import that isn't Python, in a fixed order."""
        self.notes.asks_for_files = True
        return tuple(self._noting(one) for one in self.base.speaking)

    def file(self, path: Path) -> IndexedFile | None:
        """A file, whose names and bodies are noted one by one."""
        shown = self._shown.get(path)
        if shown is not None:
            return shown
        found = self.base.file(path)
        if found is None:
            self.notes.of(path)
            return None
        return self._noting(found)

    def _noting(self, file: IndexedFile) -> IndexedFile:
        asked = self.notes.of(file.path)
        if file.facts is None:
            return file
        facts = replace(file.facts, names=_NotedNames(file.facts.names, asked.names))
        shown = self._shown[file.path] = replace(file, facts=facts)
        return shown

    def body(self, path: Path, key: BodyKey) -> Body | None:
        """What a function or lambda of a file does."""
        self.notes.of(path).bodies.add(key)
        return super().body(path, key)

    def attribute(self, path: Path, qualname: str) -> Expression | None:
        """What an attribute of a class is first bound to."""
        self.notes.of(path).attributes.add(qualname)
        return super().attribute(path, qualname)

    def says(self, said: Said) -> bool:
        """Whether any file says this of a word."""
        where = self.notes.searches[said] = _where_said(self.base.speaking, said)
        return where is not None

    def recall(self, key: Hashable, given: object, work: Callable[[BodyIndex], Result]) -> Result:
        """Do a part of the work, of which the whole rests on what that rests on."""
        known = self.memory.known(self.base, key, given, work)
        self.notes.parts.append(known)
        return cast(Result, known.result)


@dataclass(slots=True)
class _Remembered:
    given: object
    result: object
    notes: _Notes
    round: int
    """The last state for which it is known to hold, by its number."""


@frozen
class _Difference:
    """What isn't as it was in a file that was read anew: some names, bodies and attributes, or more than these."""

    names: frozenset[str] = frozenset()
    bodies: frozenset[BodyKey] = frozenset()
    attributes: frozenset[str] = frozenset()
    is_more: bool = False

    def concerns(self, asked: _Asked) -> bool:
        """Say whether anything of it was asked for."""
        return (
            self.is_more
            or not self.names.isdisjoint(asked.names)
            or not self.bodies.isdisjoint(asked.bodies)
            or not self.attributes.isdisjoint(asked.attributes)
        )


@frozen
class _Step:
    """From one state to the next: what was read anew, and whether other files mention the framework now."""

    files: Mapping[Path, _Difference]
    has_other_files: bool

    def concerns(self, notes: _Notes) -> bool:
        """Say whether anything of it was asked for."""
        if self.has_other_files and notes.asks_for_files:
            return True
        for path, difference in self.files.items():
            asked = notes.files.get(path)
            if asked is not None and difference.concerns(asked):
                return True
        return False


@dataclass
class Memory:
    """The work done for the last state of a project. Owned by whoever looks at the states one after the other."""

    _known: dict[Hashable, _Remembered] = field(default_factory=dict)
    _steps: list[_Step] = field(default_factory=list)
    """How the last states came about, the newest step last."""

    _round: int = 0
    _last: ProjectIndex | None = None
    _modules: Modules | None = None

    def begin(self, index: ProjectIndex) -> None:
        """Begin with a state, if it is another one. Now and then what the last ones had no use for is forgotten."""
        if index is self._last:
            return
        if self._last is None or self._modules is not index.modules:
            self._known.clear()
            self._steps.clear()
        else:
            self._steps.append(_step(self._last, index))
        self._modules, self._last = index.modules, index
        if len(self._steps) > 2 * _KEPT:
            self._forget()
        self._round += 1

    def _forget(self) -> None:
        """Forget what neither the last states had a use for, nor what they had a use for."""
        waiting = [one for one in self._known.values() if one.round == self._round]
        while waiting:
            for part in waiting.pop().notes.parts:
                # What a whole rests on holds as long as that.
                if part.round < self._round:
                    part.round = self._round
                    waiting.append(part)
        del self._steps[:-_KEPT]
        oldest = self._round + 1 - _KEPT
        self._known = {key: one for key, one in self._known.items() if one.round >= oldest}

    def recall(self, index: ProjectIndex, key: Hashable, given: object, work: Callable[[BodyIndex], Result]) -> Result:
        """Do a piece of work, unless it was done before with what is given, and with the same answers."""
        return cast(Result, self.known(index, key, given, work).result)

    def known(
        self, index: ProjectIndex, key: Hashable, given: object, work: Callable[[BodyIndex], object]
    ) -> _Remembered:
        """Like `recall`, with the notes on the work."""
        known = self._known.get(key)
        if known is not None and (known.given is given or known.given == given) and self._holds(index, known):
            known.round = self._round
            return known
        watched = _Watched.of(index, memory=self, base=index)
        result = work(watched)
        watched.notes.close()
        known = self._known[key] = _Remembered(given, result, watched.notes, self._round)
        return known

    def _holds(self, index: ProjectIndex, known: _Remembered) -> bool:
        """Say whether all that a piece of work has asked for is as it was when it was last known to hold."""
        if known.round == self._round:
            return True
        steps = self._steps[known.round - self._round :]
        if any(step.concerns(known.notes) for step in steps):
            return False
        return not known.notes.searches or _finds_the_same(index, known.notes.searches, steps)


@dataclass
class Once(Memory):
    """The work done for one state of a project and no other: nothing is noted of what it rests on."""

    _index: BodyIndex | None = None

    def begin(self, index: ProjectIndex) -> None:
        """Begin with the only state. What was found out about it already is known."""
        super().begin(index)
        self._index = BodyIndex.of(index, memory=self)
        self._index.remembered.update(index.remembered)

    def known(
        self, index: ProjectIndex, key: Hashable, given: object, work: Callable[[BodyIndex], object]
    ) -> _Remembered:
        """Do a piece of work once."""
        assert self._index is not None, "work begins with `begin`"
        known = self._known.get(key)
        if known is None or not (known.given is given or known.given == given):
            known = self._known[key] = _Remembered(given, work(self._index), _NO_NOTES, self._round)
        return known


def _step(before: ProjectIndex, now: ProjectIndex) -> _Step:
    files = {
        # What wasn't known hasn't been asked for, and needn't be read.
        path: _MORE if then is None else _difference(then, now.file(path))
        for path, then in now.changed_since(before).items()
    }
    one, other = now.speaking, before.speaking
    return _Step(files, [file.path for file in one] != [file.path for file in other])


_MORE: Final = _Difference(is_more=True)


def _difference(before: IndexedFile, now: IndexedFile | None) -> _Difference:
    if now is None or before.facts is None or now.facts is None or before.lost != now.lost:
        return _MORE
    if replace(before.facts, names=now.facts.names) != now.facts:
        return _MORE
    names = _unlike(before.facts.names, now.facts.names)
    return _Difference(
        names=names | {_ALL} if names else names,
        bodies=_unlike(before.bodies.functions, now.bodies.functions),
        attributes=_unlike(before.bodies.attributes, now.bodies.attributes),
    )


Key = TypeVar("Key")
_ABSENT: Final = object()


def _unlike(before: Mapping[Key, object], now: Mapping[Key, object]) -> frozenset[Key]:
    """The keys that don't stand for the same in both."""
    if before is now:
        return frozenset()
    other = {key for key, one in now.items() if (then := before.get(key, _ABSENT)) is not one and then != one}
    return frozenset(other | (before.keys() - now.keys()))


def _finds_the_same(index: ProjectIndex, searches: Mapping[Said, Path | None], steps: list[_Step]) -> bool:
    """Say whether searches find something, or nothing, as before."""
    changed = {path for step in steps for path in step.files}
    if not changed and not any(step.has_other_files for step in steps):
        return True
    speaking = {file.path: file for file in index.speaking}
    is_same_list = not any(step.has_other_files for step in steps)
    new = [speaking[path] for path in changed if path in speaking] if is_same_list else index.speaking
    for said, where in searches.items():
        if where is None:
            if _where_said(new, said) is not None:
                return False
        elif (where in changed or where not in speaking) and _where_said(index.speaking, said) is None:
            return False
    return True


def _where_said(files: Iterable[IndexedFile], said: Said) -> Path | None:
    """A file that says this of a word."""
    for file in files:
        texts = (file.remembered,) if file.source is None else (file.source.text, file.remembered)
        if any(map(said.is_in, texts)):
            return file.path
    return None
