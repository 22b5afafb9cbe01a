"""From an analysis to its fixes: which faults have one, and what the project is when they are applied.

Nothing is written here. Fixes are applied in rounds, each to what the last one left, until nothing more can be done.
Those of one round don't touch each other. One that leaves its own fault, or text that is no Python, isn't applied.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from thena_contract.frozen import frozen
from thena_lint.analyze import Analysis
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Edit, FileCreation, Fix, Rewrite, edited
from thena_lint.fixes import FIXES
from thena_lint.index.project import ProjectIndex
from thena_lint.rewrite.context import FixContext
from thena_lint.source.changed import parses_with

_MOST_ROUNDS: Final = 50
SAFE: Final = frozenset({Applicability.SAFE})
SAFE_AND_UNSAFE: Final = SAFE | {Applicability.UNSAFE}

_Key = tuple[str, str, str]
_Chosen = tuple[Diagnostic, Fix]


@frozen(kw_only=True)
class Applied:
    """What is left when fixes are applied, how many faults are gone, and which files are others."""

    analysis: Analysis
    fixed: int
    rewrites: tuple[Rewrite, ...]
    created: tuple[FileCreation, ...]


def fixes_of(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Every way to repair a fault that leaves Python behind, the best first; none where working it out fails."""
    for fixer in FIXES.get(one.code, ()):
        try:
            yield from [fix for fix in fixer(context, one) if _leaves_python(context, fix)]
        except Exception:
            # The fault is told all the same, and nobody is told to use what isn't there.
            continue


def _leaves_python(context: FixContext, fix: Fix) -> bool:
    return all(_parses(context, fix, path) for path in fix.paths)


def _parses(context: FixContext, fix: Fix, path: Path) -> bool:
    source = context.source(path)
    return source is not None and parses_with(source.text, [one for one in fix.edits if one.path == path])


def mark(analysis: Analysis) -> Analysis:
    """This analysis, where each fault tells whether it can be fixed, and who may decide that."""
    if not any(one.code in FIXES for one in analysis.diagnostics):
        return analysis
    context = context_of(analysis)
    return replace(analysis, diagnostics=tuple(_marked(context, one) for one in analysis.diagnostics))


def _marked(context: FixContext, one: Diagnostic) -> Diagnostic:
    offered = {fix.applicability for fix in fixes_of(context, one)}
    return replace(one, fixable=next((each for each in Applicability if each in offered), None))


def context_of(analysis: Analysis) -> FixContext:
    """What the fixes of an analysis are worked out from."""
    return FixContext(index=analysis.index, judged=analysis.judged)


@dataclass(slots=True)
class _Progress:
    """What has been done so far. Owned by one call of `apply_fixes`."""

    analysis: Analysis
    again: Callable[[ProjectIndex], Analysis]
    allowed: Collection[Applicability]
    only: Path | None
    fixed: int = 0
    texts: dict[Path, str] = field(default_factory=dict)
    created: dict[Path, FileCreation] = field(default_factory=dict)
    answered: set[_Key] = field(default_factory=set)
    """Faults that are gone as soon as a file is there."""

    refused: set[tuple[_Key, str]] = field(default_factory=set)
    """Fixes that were tried in vain: by their fault and title."""

    @property
    def left(self) -> tuple[Diagnostic, ...]:
        return tuple(one for one in self.analysis.diagnostics if _key(one) not in self.answered)


def apply_fixes(
    analysis: Analysis,
    *,
    again: Callable[[ProjectIndex], Analysis],
    allowed: Collection[Applicability] = SAFE,
    only: Path | None = None,
) -> Applied:
    """Apply of each fault the first fix that is allowed, until none is left that can be.

    Args:
        analysis: The faults, and what they rest on.
        again: How another state of the project is judged.
        allowed: Which fixes are applied.
        only: The one file that may be changed.
    """
    progress = _Progress(analysis, again, allowed, only)
    for _ in range(_MOST_ROUNDS):
        chosen = _chosen(progress)
        if not chosen:
            break
        if _advance(progress, chosen):
            continue
        # At least one of them does no good. Of several, which one shows when each is tried alone.
        for diagnostic, fix in chosen:
            if len(chosen) > 1 and _advance(progress, [(diagnostic, fix)]):
                break
            progress.refused.add((_key(diagnostic), fix.title))
    left = progress.left
    return Applied(
        analysis=replace(progress.analysis, diagnostics=left),
        fixed=max(progress.fixed, len(analysis.diagnostics) - len(left)),
        rewrites=tuple(_rewrites(analysis, progress.texts)),
        created=tuple(progress.created.values()),
    )


def _rewrites(analysis: Analysis, texts: dict[Path, str]) -> Iterator[Rewrite]:
    for path, after in sorted(texts.items()):
        file = analysis.index.file(path)
        assert file is not None and file.source is not None, "only what was read is changed"
        if file.source.text != after:
            yield Rewrite(path=path, before=file.source.text, after=after)


def _chosen(progress: _Progress) -> Sequence[_Chosen]:
    """The fixes of a round: of each fault the first that is allowed, unless it touches another one."""
    candidates = [one for one in progress.left if one.code in FIXES]
    if not candidates:
        return ()
    context = context_of(progress.analysis)
    chosen: list[_Chosen] = []
    edits: set[Edit] = set()
    for one in candidates:
        fix = next((fix for fix in fixes_of(context, one) if _is_wanted(progress, one, fix)), None)
        if fix is not None and not _meet(edits, fix.edits):
            chosen.append((one, fix))
            edits |= set(fix.edits)
    return chosen


def _is_wanted(progress: _Progress, one: Diagnostic, fix: Fix) -> bool:
    is_inside = progress.only is None or fix.is_inside(progress.only)
    return is_inside and fix.applicability in progress.allowed and (_key(one), fix.title) not in progress.refused


def _meet(edits: Iterable[Edit], others: Iterable[Edit]) -> bool:
    """Say whether some edits touch others; what both want alike is one edit."""
    return any(one != other and one.meets(other) for one in edits for other in others)


def _advance(progress: _Progress, chosen: Sequence[_Chosen]) -> bool:
    """Apply these fixes, if that is of use: each fault is gone, and all is still Python."""
    edits = {edit for _, fix in chosen for edit in fix.edits}
    index = progress.analysis.index
    texts: dict[Path, str] = {}
    for path in sorted({edit.path for edit in edits}):
        file = index.file(path)
        assert file is not None and file.source is not None, "only what was read is changed"
        texts[path] = edited(file.source.text, (edit for edit in edits if edit.path == path))
        index = index.with_text(path, texts[path])
    after = progress.again(index) if texts else progress.analysis
    answered = {_key(one) for one, fix in chosen if fix.created}
    before, now = _counted(progress.analysis.diagnostics), _counted(after.diagnostics)
    wanted = Counter(_key(one) for one, _ in chosen)
    is_of_use = all(key in answered or now[key] <= before[key] - times for key, times in wanted.items())
    if not is_of_use or any(_is_broken(after, path) for path in texts):
        return False
    progress.analysis = after
    progress.fixed += len(chosen)
    progress.texts |= texts
    progress.created |= {one.path: one for _, fix in chosen for one in fix.created}
    progress.answered |= answered
    return True


def _is_broken(analysis: Analysis, path: Path) -> bool:
    file = analysis.index.file(path)
    return file is None or file.problem is not None


def _counted(diagnostics: Iterable[Diagnostic]) -> Counter[_Key]:
    return Counter(map(_key, diagnostics))


def _key(one: Diagnostic) -> _Key:
    return one.place.path, one.code, one.message
