"""What a run rests on, and by which way: the files that it imports, its prompts, and what it reads.

Pure data, made by the linter from the text and completed with what a run told of itself. Left out on purpose: how a
way is shown (`lines.py`).
"""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Literal

from thena_contract.frozen import frozen
from thena_lint.source.table import FILES


@frozen
class Touch:
    """One saved file and what it is to the run.

    `way` leads from the file to that of the target: each file is imported by the next one, and a prompt belongs to
    it. A file that the run reads, and one that is no part of it, has no way.
    """

    path: Path
    part: Literal["code", "prompt", "data", "settings", "none"]
    way: tuple[Path, ...] = ()


@frozen(kw_only=True)
class Reach:
    """Every file that a run of the target may rest on.

    `importers` has each imported file with the one that imports it, and `prompts` each prompt with the file of its
    agent. `used` are the files that earlier runs imported in a way that no text shows, or read.
    """

    target: Path
    importers: Mapping[Path, Path | None] = field(default_factory=dict)
    prompts: Mapping[Path, Path] = field(default_factory=dict)
    used: frozenset[Path] = frozenset()

    @property
    def files(self) -> frozenset[Path]:
        """All of them: what decides whether a save is a reason to run again."""
        return frozenset({self.target, *self.importers, *self.prompts, *self.used})

    def touch(self, path: Path) -> Touch:
        """What a file is to the run."""
        if path == self.target or path in self.importers:
            return Touch(path, "code", self._way(path))
        if path in self.prompts:
            return Touch(path, "prompt", (path, *self._way(self.prompts[path])))
        if path in self.used:
            return Touch(path, "data")
        return Touch(path, "settings" if path.name in FILES else "none")

    def _way(self, path: Path) -> tuple[Path, ...]:
        way = [path]
        while (importer := self.importers.get(way[-1])) is not None:
            way.append(importer)
        return tuple(way)


def touches(saved: frozenset[Path], before: Reach, now: Reach) -> tuple[Touch, ...]:
    """What saved files are to the run: as they are now, or where they are no part of it any more, as they were."""
    return tuple(_stronger(now.touch(path), before.touch(path)) for path in sorted(saved))


def _stronger(now: Touch, before: Touch) -> Touch:
    return before if now.part == "none" else now
