"""A session as lines of JSON, for programs: each thing that happens is an object with a `type`.

Left out on purpose: anything that is only of use to eyes.
"""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from thena_cli.dev.lines import Line, shown_path
from thena_cli.dev.linter import Verdict
from thena_cli.dev.messages import Outcome, Spoken
from thena_cli.dev.reach import Touch
from thena_runtime.observability.events import Event


class JsonScreen:
    """Writes one object a line; owned by a session."""

    def __init__(self, stream: TextIO, *, folder: Path) -> None:
        self._stream = stream
        self._folder = folder

    @property
    def shows_speech(self) -> bool:
        """No: an answer stands in the outcome."""
        return False

    @property
    def is_coloured(self) -> bool:
        """Never."""
        return False

    def saved(self, paths: frozenset[Path], *, gone: frozenset[Path] = frozenset()) -> None:
        """`{"type": "saved", "paths": [...], "gone": [...]}`: the paths, and which of them are gone."""
        self._write("saved", paths=sorted(map(self._shown, paths)), gone=sorted(map(self._shown, gone)))

    def checking(self) -> None:
        """Say nothing: the verdict follows."""

    def touched(self, touches: Sequence[Touch]) -> None:
        """`{"type": "touched", "files": [{"path", "part", "way"}]}`."""
        rows = [
            {"path": self._shown(touch.path), "part": touch.part, "way": [self._shown(path) for path in touch.way]}
            for touch in touches
        ]
        if rows:
            self._write("touched", files=rows)

    def checked(self, verdict: Verdict) -> None:
        """`{"type": "lint", "files", "faults", "elsewhere", "is_clean", "seconds", "diagnostics"}`."""
        self._write("lint", **dataclasses.asdict(verdict.summary), diagnostics=list(verdict.rows))

    def unchanged(self, *, is_only_linted: bool, missing: Path | None = None) -> None:
        """`{"type": "unchanged"}`."""
        self._write("unchanged")

    def refused(self, verdict: Verdict, *, in_flight: bool) -> None:
        """`{"type": "refused", "in_flight"}`: whether the run of the last good code goes on."""
        self._write("refused", in_flight=in_flight)

    def started(self) -> None:
        """`{"type": "started"}`."""
        self._write("started")

    def noted(self, event: Event) -> None:
        """`{"type": "event", "event"}`."""
        self._write("event", event=dataclasses.asdict(event))

    def spoken(self, spoken: Spoken) -> None:
        """Say nothing: a run isn't asked to speak for this."""

    def printed(self, text: str) -> None:
        """`{"type": "printed", "text"}`."""
        self._write("printed", text=text)

    def reported(self, page: Path) -> None:
        """`{"type": "reported", "page"}`: where the report of the run is."""
        self._write("reported", page=self._shown(page))

    def ended(self, outcome: Outcome) -> None:
        """`{"type": "ended", "outcome": "finished", ...}`: which way, and what is known of it."""
        self._write("ended", outcome=type(outcome).__name__.lower(), **dataclasses.asdict(outcome))

    def resting(self, *, is_clean: bool) -> None:
        """`{"type": "resting", "is_clean"}`."""
        self._write("resting", is_clean=is_clean)

    def told(self, *rows: Line) -> None:
        """Say nothing: keys are for people."""

    def hold(self, is_held: bool) -> None:
        """Do nothing."""

    def clear(self) -> None:
        """Do nothing."""

    def tick(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""

    def _shown(self, path: Path) -> str:
        return shown_path(path, self._folder)

    def _write(self, type_: str, /, **values: object) -> None:
        said = {"type": type_, **values}
        print(json.dumps(said, separators=(",", ":"), default=str), file=self._stream, flush=True)
