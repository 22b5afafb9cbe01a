"""The whole pipeline on one page: files -> facts -> index -> assemblies -> findings -> diagnostics."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from thena_contract.anchor import Anchor, Place
from thena_contract.fault import Finding
from thena_contract.judge import judge
from thena_lint.diagnostic import Diagnostic, RelatedPlace, diagnostic
from thena_lint.index.project import IndexedFile, ProjectIndex
from thena_lint.link.assemblies import Linked, link
from thena_lint.source.faults import FileUnreadable, SyntaxFault
from thena_lint.source.parse import SyntaxProblem
from thena_lint.source.suppress import suppressions_in
from thena_lint.source.text import Unreadable
from thena_lint.summary.spans import place_of

Judged = tuple[tuple[Linked, Finding], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """What a run found, in order of place, and the index that it rests on."""

    index: ProjectIndex
    diagnostics: tuple[Diagnostic, ...]


def analyze(paths: Sequence[Path]) -> Analysis:
    """Read everything under these paths and judge it.

    Raises:
        PathError: for a path that doesn't exist, or a file that isn't Python.
    """
    index = ProjectIndex.load(paths)
    found = diagnose(index)
    return Analysis(index=index, diagnostics=tuple(one for file in found.values() for one in file))


def diagnose(index: ProjectIndex) -> Mapping[Path, tuple[Diagnostic, ...]]:
    """Every file with something to report, and what. Files and diagnostics are in order."""
    return place_all(index, judge_all(link(index)))


def judge_all(linked: Iterable[Linked]) -> Judged:
    """Every finding, beside what knows where its parts stand. It holds as long as the declarations do."""
    return tuple((one, finding) for one in linked for finding in judge([one.assembly]))


def place_all(index: ProjectIndex, judged: Judged) -> Mapping[Path, tuple[Diagnostic, ...]]:
    """Put findings where they stand in the texts of this index, with what is wrong with the texts themselves."""
    found = [
        *_unreadable(index.speaking),
        *(placed for linked, finding in judged for placed in _placed(index, linked, finding)),
    ]
    return _by_file(_kept(index, found))


def _unreadable(files: Iterable[IndexedFile]) -> Iterator[Diagnostic]:
    for file in files:
        path = str(file.path)
        match file.problem:
            case SyntaxProblem(reason=reason, line=line, column=column):
                place = Place(path, line, column, line, column + 1)
                yield diagnostic(SyntaxFault(reason=reason), place)
            case Unreadable(reason=reason, line=line):
                yield diagnostic(FileUnreadable(reason=reason), Place(path, line, 1, line, 1))


def _placed(index: ProjectIndex, linked: Linked, finding: Finding) -> Iterator[Diagnostic]:
    """The finding at its place; nothing if that is in a statement that doesn't parse."""
    place = _place(index, linked, finding.anchor)
    if place is not None:
        related = tuple(
            RelatedPlace(message=one.message, place=where)
            for one in finding.related
            if (where := _place(index, linked, one.anchor)) is not None
        )
        yield diagnostic(finding.fault, place, related, finding)


def _place(index: ProjectIndex, linked: Linked, anchor: Anchor) -> Place | None:
    site = linked.site(anchor)
    assert site is not None, f"nothing was linked that holds {anchor}"
    file = index.file(site.file)
    assert file is not None and file.readable is not None, f"{site.file} was linked and can't be read"
    return None if file.has_lost(site.owner) else place_of(file.readable, site)


def _kept(index: ProjectIndex, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Without what a comment says to ignore, and without what two workflows found alike."""
    seen = set()
    for one in found:
        same = (one.place, one.code, one.message)
        if same not in seen and not _is_suppressed(index, one):
            seen.add(same)
            yield one


def _is_suppressed(index: ProjectIndex, one: Diagnostic) -> bool:
    file = index.file(Path(one.place.path))
    if one.finding is None or file is None or file.readable is None:
        return False
    return suppressions_in(file.readable).cover(one.code, one.place.line)


def _by_file(found: Iterable[Diagnostic]) -> dict[Path, tuple[Diagnostic, ...]]:
    ordered = sorted(found, key=lambda one: one.sort_key)
    return {Path(path): tuple(group) for path, group in groupby(ordered, key=lambda one: one.place.path)}
