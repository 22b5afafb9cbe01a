"""What comments silence, and what is wrong with the comments themselves."""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import partial
from pathlib import Path

from thena_contract.anchor import Place
from thena_contract.frozen import frozen
from thena_lint.bodies.remarks import Remark
from thena_lint.diagnostic import Diagnostic, diagnostic
from thena_lint.index.project import IndexedFile, ProjectIndex
from thena_lint.link.assemblies import Linked
from thena_lint.policy import Policy
from thena_lint.rules import unknown_code, unused_suppression
from thena_lint.source.faults import LinterFailed
from thena_lint.source.suppress import Ignored, Suppressions

Used = tuple[Path, Ignored]


@frozen
class Silenced:
    """What is left to be told, each once, and which comments something was found for."""

    left: tuple[Diagnostic, ...]
    used: frozenset[Used]


def silence(index: ProjectIndex, found: Iterable[Diagnostic]) -> Silenced:
    """Leave out what a comment says to ignore, and what two workflows found alike."""
    left: dict[object, Diagnostic] = {}
    used: set[Used] = set()
    for one in found:
        path = Path(one.place.path)
        ignored = _covering(index, path, one)
        used.update((path, comment) for comment in ignored)
        if not ignored:
            left.setdefault((one.place, one.code, one.message), one)
    return Silenced(tuple(left.values()), frozenset(used))


def _covering(index: ProjectIndex, path: Path, one: Diagnostic) -> tuple[Ignored, ...]:
    file = index.file(path)
    if one.code == LinterFailed.code or file is None:
        return ()
    return file.suppressions.covering(one.code, one.place.line)


def remarks_on(
    index: ProjectIndex, used: Set[Used], linked: Sequence[Linked] | None, policy: Policy
) -> Iterator[Diagnostic]:
    """What is wrong with comments; where not all is `linked`, nothing is said of those that silence nothing."""
    for file in index.speaking:
        if file.suppressions.comments:
            here = {ignored for path, ignored in used if path == file.path}
            is_settled = linked is not None and _is_settled(index, file, linked)
            is_told = partial(policy.is_told, path=file.path)
            for remark in _remarks(file.suppressions, here, is_told if is_settled else None):
                yield _placed(file.path, remark)


def _remarks(suppressions: Suppressions, used: set[Ignored], is_told: Callable[[str], bool] | None) -> Iterator[Remark]:
    """Of a file's comments; those for the whole file come last, since they silence what is wrong with the others."""
    for comment in sorted(suppressions.comments, key=lambda one: one.is_of_file):
        for remark in (
            *unknown_code.check(comment),
            *(() if is_told is None else unused_suppression.check(comment, used, is_told)),
        ):
            covering = () if comment.is_of_file else suppressions.covering_file(remark.fault.code)
            used.update(covering)
            if not covering:
                yield remark


def _is_settled(index: ProjectIndex, file: IndexedFile, linked: Sequence[Linked]) -> bool:
    """Say whether all that could be found in a file was looked for.

    Of agents and tools that no workflow uses it isn't known what a workflow would make of them. One that is linted
    without the folder around it may be used anywhere.
    """
    is_inside = any(root in file.path.parents for root in index.roots)
    is_open = any(one.failed is not None or (one.assembly.workflow is None and one.home == file.path) for one in linked)
    return is_inside and file.problem is None and not file.lost and not is_open


def _placed(path: Path, remark: Remark) -> Diagnostic:
    end = remark.column + remark.length
    return diagnostic(remark.fault, Place(str(path), remark.line, remark.column, remark.line, end))
