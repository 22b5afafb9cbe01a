"""The whole pipeline on one page: files -> facts -> index -> assemblies -> findings -> diagnostics."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Final

from thena_contract.anchor import Anchor, Place
from thena_contract.assembly import Assembly
from thena_contract.fault import Finding
from thena_contract.frozen import frozen
from thena_contract.judge import judge
from thena_contract.rules import RULES
from thena_lint.bodies.memory import Once
from thena_lint.bodies.spotted import Spotted
from thena_lint.diagnostic import Diagnostic, RelatedPlace, diagnostic
from thena_lint.index.project import IndexedFile, ProjectIndex
from thena_lint.index.resolve import ClassAt
from thena_lint.link.apps import Key
from thena_lint.link.assemblies import Declared, Linked, declared_in, link, link_loose, link_workflows
from thena_lint.link.classes import Decoration
from thena_lint.look import look, look_at_files, look_at_workflows
from thena_lint.policy import Policy
from thena_lint.silence import remarks_on, silence
from thena_lint.source.depth import LIMIT
from thena_lint.source.discover import MODULES_AND_NOTEBOOKS
from thena_lint.source.failure import Failure
from thena_lint.source.faults import FileUnreadable, LinterFailed, SyntaxFault, TooDeeplyNested
from thena_lint.source.notebook import in_cell, is_notebook
from thena_lint.source.parse import SyntaxProblem, TooDeep
from thena_lint.source.side_by_side import Both, in_turn
from thena_lint.source.text import Unreadable
from thena_lint.summary.spans import Site, place_of

_NOTHING: Final = "nothing is known of what this file declares"
_NOT_THIS: Final = "nothing is known of what this statement declares"
_WORTH_A_HALF: Final = 24
"""How many workflows there are at least, where half of them takes longer than to begin another process."""

Judged = tuple[tuple[Linked, Finding], ...]


@frozen(kw_only=True)
class Analysis:
    """What a run found, in order of place, and the index, the verdict and the settings that it rests on."""

    index: ProjectIndex
    policy: Policy
    judged: Judged
    """The findings of the one verdict, of which the diagnostics are those that are told."""

    diagnostics: tuple[Diagnostic, ...]

    @property
    def is_complete(self) -> bool:
        """Say whether everything could be read, the settings too, and nothing of the linter's own failed."""
        is_failed = any(one.code == LinterFailed.code for one in self.diagnostics)
        is_closed = any(isinstance(file.problem, Unreadable) and file.problem.is_closed for file in self.index.speaking)
        return not (is_failed or is_closed or self.index.closed or self.policy.mistakes(self.index.paths))


@frozen(kw_only=True)
class _Part:
    """What was found in some of the workflows and files."""

    failed: tuple[Linked, ...]
    judged: Judged
    in_files: tuple[Spotted, ...]
    in_workflows: tuple[Spotted, ...]
    used: frozenset[Key]
    """The agents and tools of these workflows."""


def analyze(
    paths: Sequence[Path],
    policy: Policy | None = None,
    *,
    overlays: Mapping[Path, str] | None = None,
    both: Both = in_turn,
) -> Analysis:
    """Read everything under these paths and judge it.

    Args:
        paths: the files and folders.
        policy: what is told; without one it is what the settings on disk say now.
        overlays: the texts of files that count instead of what is on disk.
        both: how the two halves of a large project's work are done.

    Raises:
        PathError: for a path that doesn't exist, or a file that isn't Python.
    """
    index = ProjectIndex.load(paths, overlays, kinds=MODULES_AND_NOTEBOOKS, both=both)
    return analyze_index(index, policy or Policy(), both=both)


def analyze_index(index: ProjectIndex, policy: Policy, *, both: Both = in_turn) -> Analysis:
    """Judge what has been read."""
    declared = declared_in(index)
    parts = _in_parts(index, declared, both)
    loose = link_loose(index, declared, frozenset(key for part in parts for key in part.used))
    judged = (
        *judge_all(declared.failed),
        *(one for part in parts for one in part.judged),
        *judge_all(loose),
    )
    spotted = (*(one for part in parts for one in part.in_files), *(one for part in parts for one in part.in_workflows))
    unsettled = (*declared.failed, *(one for part in parts for one in part.failed), *loose)
    found = place_all(index, judged, spotted, linked=unsettled, policy=policy)
    diagnostics = tuple(one for file in found.values() for one in file)
    return Analysis(index=index, policy=policy, judged=judged, diagnostics=diagnostics)


def _in_parts(index: ProjectIndex, declared: Declared, both: Both) -> tuple[_Part, ...]:
    """Judge all workflows, and look at all files: at once, or, where there are many, half of them beside the others."""
    workflows, files = declared.workflows, index.speaking
    if len(workflows) < _WORTH_A_HALF:
        return (_part(index, declared, workflows, files),)
    workflow, file = len(workflows) // 2, len(files) // 2
    return both(
        partial(_part, index, declared, workflows[:workflow], files[:file]),
        partial(_part, index, declared, workflows[workflow:], files[file:]),
    )


def _part(
    index: ProjectIndex,
    declared: Declared,
    workflows: Sequence[tuple[ClassAt, Decoration]],
    files: Sequence[IndexedFile],
) -> _Part:
    linked, used = link_workflows(index, declared, workflows)
    memory = Once()
    memory.begin(index)
    return _Part(
        failed=tuple(one for one in linked if one.failed is not None),
        judged=judge_all(linked),
        in_files=look_at_files(index, files, memory),
        in_workflows=look_at_workflows(index, linked, memory),
        used=used,
    )


def diagnose(index: ProjectIndex, policy: Policy | None = None) -> Mapping[Path, tuple[Diagnostic, ...]]:
    """Every file with something to report, and what, in order."""
    linked = link(index)
    return place_all(index, judge_all(linked), look(index, linked, Once()), linked=linked, policy=policy)


def judge_all(linked: Iterable[Linked]) -> Judged:
    """Every finding, beside what knows where its parts stand. It holds as long as the declarations do."""
    return tuple((one, finding) for one in linked for finding in judge_one(one))


def judge_one(linked: Linked) -> Sequence[Finding]:
    """What is wrong with what was linked."""
    if linked.failed is not None:
        return (linked.failed,)
    try:
        return judge([linked.assembly])
    except Exception as error:
        return [*_judged_rule_by_rule(linked.assembly), linked.failure(error)]


def _judged_rule_by_rule(assembly: Assembly) -> Iterator[Finding]:
    """What those rules find that don't fail."""
    for rule in RULES:
        try:
            yield from list(rule(assembly))
        except Exception:
            continue


def place_all(
    index: ProjectIndex,
    judged: Judged,
    spotted: Iterable[Spotted],
    *,
    linked: Iterable[Linked] | None = None,
    policy: Policy | None = None,
) -> Mapping[Path, tuple[Diagnostic, ...]]:
    """Put findings where they stand in the texts of this index, with what is wrong with the texts themselves.

    With all that is `linked` it is also told which comments silence nothing; if not all was judged, nobody can know.
    What is told, and how bad it is, is the `policy`'s; without one it is what the settings on disk say now.
    """
    policy = policy or Policy()
    found = [
        *(placed for one, finding in judged for placed in _placed(index, one, finding)),
        *(placed for one in spotted for placed in _placed_in_source(index, one)),
    ]
    silenced = silence(index, found)
    remarks = remarks_on(index, silenced.used, None if linked is None else tuple(linked), policy)
    told = dict.fromkeys((*_problems(index.speaking), *silenced.left, *remarks, *policy.mistakes(index.paths)))
    return _by_file(_in_its_cell(index, one) for one in policy.apply(told))


def _problems(files: Iterable[IndexedFile]) -> Iterator[Diagnostic]:
    for file in files:
        path = str(file.path)
        match file.problem:
            case SyntaxProblem(reason=reason, line=line, column=column):
                ended = reason if reason.endswith((".", "?", "!")) else f"{reason}."
                lost = _NOTHING if file.facts is None else _NOT_THIS
                place = Place(path, line, column, line, column + 1)
                yield diagnostic(SyntaxFault(reason=ended, lost=lost), place)
            case TooDeep(line=line):
                yield diagnostic(TooDeeplyNested(limit=LIMIT), Place(path, line, 1, line, 1))
            case Unreadable(reason=reason, line=line, repair=repair):
                fault = FileUnreadable(reason=reason, repair=repair)
                yield diagnostic(fault, Place(path, line, 1, line, 1))
            case Failure(error=error):
                yield diagnostic(LinterFailed(subject="this file", error=error), Place(path, 1, 1, 1, 1))


def _placed(index: ProjectIndex, linked: Linked, finding: Finding) -> Iterator[Diagnostic]:
    """The finding at its place; nothing if that is in a statement that doesn't parse."""
    try:
        place = _place(index, linked, finding.anchor)
        if place is not None:
            related = tuple(
                RelatedPlace(message=one.message, place=where)
                for one in finding.related
                if (where := _place(index, linked, one.anchor)) is not None
            )
            yield diagnostic(finding.fault, place, related, finding)
    except Exception as error:
        failed = LinterFailed(subject=f"the place of {finding.fault.code}", error=Failure.of(error).error)
        yield diagnostic(failed, Place(str(linked.home), 1, 1, 1, 1))


def _placed_in_source(index: ProjectIndex, one: Spotted) -> Iterator[Diagnostic]:
    place = _place_of_site(index, one.site)
    if place is not None:
        related = tuple(
            RelatedPlace(message=message, place=where)
            for message, site in one.related
            if (where := _place_of_site(index, site)) is not None
        )
        yield diagnostic(one.fault, place, related)


def _place(index: ProjectIndex, linked: Linked, anchor: Anchor) -> Place | None:
    site = linked.site(anchor)
    assert site is not None, f"nothing was linked that holds {anchor}"
    return _place_of_site(index, site)


def _place_of_site(index: ProjectIndex, site: Site) -> Place | None:
    file = index.file(site.file)
    assert file is not None and file.readable is not None, f"{site.file} was linked and can't be read"
    return place_of(file.readable, site) if file.shows(site.owner) else None


def _in_its_cell(index: ProjectIndex, one: Diagnostic) -> Diagnostic:
    """A diagnostic whose places in notebooks are counted from the first line of their cell."""
    related = tuple(replace(other, place=_cell_place(index, other.place)) for other in one.related)
    return replace(one, place=_cell_place(index, one.place), related=related)


def _cell_place(index: ProjectIndex, place: Place) -> Place:
    file = index.file(Path(place.path)) if is_notebook(Path(place.path)) else None
    return place if file is None or file.source is None else in_cell(place, file.source)


def _by_file(found: Iterable[Diagnostic]) -> dict[Path, tuple[Diagnostic, ...]]:
    ordered = sorted(found, key=lambda one: one.sort_key)
    return {Path(path): tuple(group) for path, group in groupby(ordered, key=lambda one: one.place.path)}
