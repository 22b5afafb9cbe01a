"""What the last run rested on, and whether what was saved since changes any of it.

Left out on purpose: watching (`watch.py`), what means the same (`meaning.py`), and which files the code imports, which
the linter says.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from thena_cli.dev.meaning import is_same
from thena_cli.dev.messages import Used
from thena_cli.dev.reach import Reach
from thena_cli.dev.watch import Contents, is_below


class Grounds:
    """Kept by a session, of the contents that it watches; `near` are the folders in which its user works."""

    def __init__(self, contents: Contents, *, near: Iterable[Path]) -> None:
        self._contents = contents
        self._near = tuple(near)
        # What everything held when it was last checked, and when what runs or ran last was; `None` where what is on
        # disk has never run.
        self._checked: Mapping[Path, bytes] = {}
        self._ran: Mapping[Path, bytes] | None = None
        # What runs told of themselves.
        self._used: frozenset[Path] = frozenset()
        self._written: frozenset[Path] = frozenset()

    def completed(self, seen: Reach) -> Reach:
        """What the text shows, with what runs told."""
        return replace(seen, used=self._used)

    def own(self, saved: frozenset[Path], reach: Reach) -> frozenset[Path]:
        """Which of the saved files runs have written themselves; one that is code or a prompt is anybody's."""
        return (saved & self._written) - reach.importers.keys() - reach.prompts.keys()

    def check(self) -> Mapping[Path, bytes]:
        """A check begins: what everything holds now is what may run, and what is to be judged."""
        self._checked = self._contents.now()
        return self._checked

    def is_due(self, before: Reach, now: Reach) -> bool:
        """Say whether what was checked would run otherwise than what ran last. It parses what has changed."""
        return self._ran is None or not is_same(self._ran, self._checked, before.files | now.files)

    def run(self) -> None:
        """A run of what was checked begins."""
        # What the check had watched anew is taken for what it is now.
        self._ran = {**self._contents.now(), **self._checked}

    def forget_run(self) -> None:
        """Whatever comes next is due: faults were saved, or somebody wants to see a run."""
        self._ran = None

    def use(self, files: Used) -> None:
        """Watch what a run read, but nothing that a run wrote."""
        self._written |= frozenset(files.written)
        found = frozenset(path for path in (*files.imported, *files.read) if self._is_near(path))
        new = found - self._used - self._written
        self._used = (self._used | new) - self._written
        if not new:
            return
        self._contents.also(new)
        if self._ran is not None:
            # What wasn't watched when the run began is taken for what it is now.
            self._ran = {**self._contents.now(), **self._ran}

    def _is_near(self, path: Path) -> bool:
        """Whether a file lies where the user works, and not among caches and what is installed."""
        return any(is_below(path, folder) for folder in self._near)
