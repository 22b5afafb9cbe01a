"""The linter kept warm for a session: one index, brought up to date file by file.

What the target imports decides twice: its faults alone keep it from running, and its files are what is watched beside
the folder that it stands in. Left out on purpose: any judgement, and any output but the linter's own report.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from thena_cli.dev.lines import LintSummary
from thena_cli.dev.reach import Reach
from thena_cli.dev.watch import Watched
from thena_contract.fault import Severity
from thena_contract.frozen import frozen
from thena_contract.source_faults.unused_suppression import UnusedSuppression
from thena_lint.analyze import judge_all, place_all
from thena_lint.bodies.memory import Memory
from thena_lint.diagnostic import Diagnostic
from thena_lint.index.project import ProjectIndex
from thena_lint.index.reach import importers_from
from thena_lint.link.assemblies import Linked, link
from thena_lint.link.prompts import prompt_files
from thena_lint.look import look
from thena_lint.policy import Policy
from thena_lint.report.row import row
from thena_lint.report.text import COLOURED, PLAIN, render_blocks
from thena_lint.source.table import FILES
from thena_lint.source.text import SourceText, decode
from thena_lint.target import Target


@frozen(kw_only=True)
class Verdict:
    """What one check found: how much, and every fault that the target reaches, with its source line and as a row."""

    summary: LintSummary
    report: str
    rows: tuple[Mapping[str, object], ...] = ()


Saved = Mapping[Path, bytes | None]
"""What was saved, and what is in it now; `None` for what is gone."""


class Linter:
    """The warm index; owned by a session, which never has two checks at a time.

    `before_reading` is told what is to be watched from now on before any of it is read, so that no save falls between.
    """

    def __init__(
        self, target: Target, *, folder: Path, is_coloured: bool, before_reading: Callable[[Watched], None]
    ) -> None:
        self._target = target
        self._folder = folder
        self._palette = COLOURED if is_coloured else PLAIN
        self._before_reading = before_reading
        self._watched = Watched(frozenset({target.watch}))
        self.reach = Reach(target=target.file)
        """What a run rests on, as far as the text shows, since the last check."""
        self._index: ProjectIndex | None = None
        self._memory = Memory()

    def check(self, saved: Saved) -> Verdict:
        """Judge the project as it is on disk, of which only what was saved is read again."""
        began = time.monotonic()
        index, linked = self._brought_up_to_date(saved)
        reached = self.reach.importers
        judged = judge_all(linked)
        spotted = look(index, linked, self._memory)
        policy = Policy()
        everything = _listed(place_all(index, judged, spotted, linked=linked, policy=policy))
        ours = [(one, finding) for one, finding in judged if one.home in reached]
        found = [
            one
            for one in _listed(place_all(index, tuple(ours), spotted, policy=policy))
            if one.finding is not None or Path(one.place.path) in reached
        ]
        # What a comment silences may be found by a workflow elsewhere, so it takes everything to tell.
        found += [one for one in everything if one.code == UnusedSuppression.code and Path(one.place.path) in reached]
        found.sort(key=lambda one: one.sort_key)
        report = render_blocks(
            found, lines=lambda place: _lines(index, place.path), cwd=self._folder, palette=self._palette
        )
        return Verdict(
            summary=LintSummary(
                files=len(index.files),
                faults=len(found),
                elsewhere=len(everything) - len(found),
                is_clean=all(one.severity is not Severity.ERROR for one in found),
                seconds=time.monotonic() - began,
            ),
            report=report,
            rows=tuple(row(one, self._folder) for one in found),
        )

    def look(self, saved: Saved) -> None:
        """Find out what is to be watched, and judge nothing."""
        self._brought_up_to_date(saved)

    def _brought_up_to_date(self, saved: Saved) -> tuple[ProjectIndex, tuple[Linked, ...]]:
        # Whoever watches tells of other content than this, and of no other: what is on disk may be different already,
        # and the same again before anybody looks.
        texts = {path: _text(path, saved[path]) for path in sorted(saved)}
        index = self._index
        while True:
            index = index or ProjectIndex.load([root for root in self._watched.roots if root.exists()])
            index = index.with_texts(texts)
            linked = link(index)
            importers = importers_from(index, self._target.file, self._target.root)
            self.reach = Reach(
                target=self._target.file, importers=importers, prompts=dict(prompt_files(linked, importers))
            )
            watched = self._watched_for(index)
            if watched != self._watched:
                self._before_reading(watched)
            # What is no longer reached may stay in the index; what is reached anew must be read with the rest.
            is_read = set(watched.roots) <= set(self._watched.roots)
            self._watched = watched
            if is_read:
                self._index = index
                return index, linked
            index = None

    def _watched_for(self, index: ProjectIndex) -> Watched:
        """The folder of the target, the packages that it reaches, and single files of all that is in no package."""
        folders = {self._target.watch}
        files = {*self.reach.prompts, *self._settings()}
        for path in self.reach.importers:
            module = index.module_of(path)
            if index.modules.is_file(path.parent / "__init__.py"):
                folders.add(module.root / module.first)
            else:
                files.add(path)
        return Watched(frozenset(folders), frozenset(files))

    def _settings(self) -> Iterator[Path]:
        """Where settings are, and where somebody who stands in the folder or near the target would put some."""
        for folder in (self._target.watch, *self._target.watch.parents):
            for path in (folder / name for name in FILES):
                if folder in (self._target.watch, self._target.root, self._folder) or path.exists():
                    yield path


def _text(path: Path, held: bytes | None) -> str | None:
    """The text of a Python file; `None` for what isn't there or can't be decoded: then it is asked of the disk."""
    source = None if held is None or path.suffix != ".py" else decode(path, held)
    return source.text if isinstance(source, SourceText) else None


def _listed(found: Mapping[Path, tuple[Diagnostic, ...]]) -> list[Diagnostic]:
    return [one for of_file in found.values() for one in of_file]


def _lines(index: ProjectIndex, path: str) -> Sequence[str]:
    file = index.file(Path(path))
    return () if file is None or file.source is None else file.source.lines
