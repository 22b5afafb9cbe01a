"""What a session looks like: plain lines for a file or a pipe, a tree that is redrawn in place for a terminal.

Both show the same words (`lines.py`). Left out on purpose: rich, which only the terminal needs (`terminal.py`), and any
decision about what happens next.
"""

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol, TextIO

from thena_cli.dev import lines
from thena_cli.dev.difference import Result, difference_lines
from thena_cli.dev.lines import Line
from thena_cli.dev.linter import Verdict
from thena_cli.dev.messages import Finished, Judged, Outcome, Refused, Spoken
from thena_cli.dev.reach import Touch
from thena_cli.dev.refusal import render_refusal
from thena_cli.dev.tree import Transcript
from thena_runtime.observability.events import Event

TICK = 0.08
"""Seconds between two calls of `tick`."""

# Seconds after which a turn that is still going is written as begun.
_HOLD = 1.0


class Screen(Protocol):
    """What a session tells whoever looks at it, in the order in which it happens."""

    @property
    def is_coloured(self) -> bool:
        """Whether a report may have colours."""

    @property
    def shows_speech(self) -> bool:
        """Whether what models say is shown while they say it."""

    def saved(self, paths: frozenset[Path], *, gone: frozenset[Path] = frozenset()) -> None:
        """Files were saved, of which some are `gone`, and a check begins."""

    def checking(self) -> None:
        """The first check begins."""

    def touched(self, touches: Sequence[Touch]) -> None:
        """The check has ended, and this is what the saved files are to the run."""

    def checked(self, verdict: Verdict) -> None:
        """The check has ended, and its verdict stands."""

    def unchanged(self, *, is_only_linted: bool, missing: Path | None = None) -> None:
        """Nothing is started or stopped: what was saved would run as before, or only the verdict was asked for.

        Or the file of the target is `missing`.
        """

    def refused(self, verdict: Verdict, *, in_flight: bool) -> None:
        """What was saved is not run, because of its faults."""

    def started(self) -> None:
        """A run begins."""

    def noted(self, event: Event) -> None:
        """A node of the run's tree began or ended."""

    def spoken(self, spoken: Spoken) -> None:
        """A model says a piece of its answer."""

    def printed(self, text: str) -> None:
        """The run wrote a line."""

    def reported(self, page: Path) -> None:
        """The report of the run that is about to end is written."""

    def ended(self, outcome: Outcome) -> None:
        """The run is over."""

    def resting(self, *, is_clean: bool) -> None:
        """The next save is awaited."""

    def told(self, *rows: Line) -> None:
        """A key was pressed, and this is what is said to it."""

    def hold(self, is_held: bool) -> None:
        """Somebody begins to type a line, during which nothing is redrawn, or has done so."""

    def clear(self) -> None:
        """A clear screen is wanted."""

    def tick(self) -> None:
        """A moment has passed: bring up to date what changes with time."""

    def close(self) -> None:
        """Leave the terminal as it was."""


def open_screen(
    stream: TextIO,
    *,
    watched: Path,
    folder: Path,
    is_clearing: bool,
    shows_output: bool = True,
    is_redrawn: bool = True,
    has_keys: bool = False,
) -> Screen:
    """The screen that suits the stream: redrawn on a terminal that can do it, plain lines anywhere else."""
    if (
        not is_redrawn
        or not stream.isatty()
        or os.environ.get("TERM") in ("dumb", None)
        or not can_encode_signs(stream.encoding)
    ):
        return PlainScreen(stream, watched=watched, folder=folder, shows_output=shows_output, has_keys=has_keys)
    # Here, because a pipe shall not wait for the import of rich.
    from rich.console import Console

    from thena_cli.dev.terminal import TerminalScreen

    console = Console(file=stream, highlight=False)
    return TerminalScreen(
        console,
        watched=watched,
        folder=folder,
        is_clearing=is_clearing,
        shows_output=shows_output,
        has_keys=has_keys,
    )


class PlainScreen:
    """Lines that are written once: no colours, nothing redrawn, no control characters of its own."""

    def __init__(
        self, stream: TextIO, *, watched: Path, folder: Path, shows_output: bool = True, has_keys: bool = False
    ) -> None:
        self._stream = stream
        self._has_keys = has_keys
        self._watched = watched
        self._folder = folder
        self._shows_output = shows_output
        self._is_ascii = not can_encode_signs(stream.encoding)
        self._transcript = Transcript()
        self._began = time.monotonic()
        self._held_since: float | None = None
        self._is_untouched = True
        self._touches: Sequence[Touch] = ()
        self._last: Result | None = None
        self._report: Path | None = None

    @property
    def shows_speech(self) -> bool:
        """No: a line that is written once is written whole."""
        return False

    @property
    def is_coloured(self) -> bool:
        """No: whoever reads a file or a pipe may not know what to do with colours."""
        return False

    def checking(self) -> None:
        """Say nothing: the verdict follows."""

    def saved(self, paths: frozenset[Path], *, gone: frozenset[Path] = frozenset()) -> None:
        """Write what was saved."""
        self._flush()
        self._write((), *lines.saved_lines(paths, gone, self._folder))

    def touched(self, touches: Sequence[Touch]) -> None:
        """Write the way from each file to the target."""
        self._touches = touches
        self._write(*lines.touch_lines(touches, self._folder))

    def unchanged(self, *, is_only_linted: bool, missing: Path | None = None) -> None:
        """Write why nothing is run, if a save might have been a reason."""
        if missing is not None:
            self._write(lines.missing_line(missing, self._folder))
        elif not is_only_linted:
            self._write(lines.unchanged_line(self._touches, keys=self._has_keys))

    def checked(self, verdict: Verdict) -> None:
        """Write the faults, and below them, where it is seen, how many there are."""
        self._flush()
        if verdict.report:
            self._write_text(verdict.report.removesuffix("\n").split("\n"))
        self._write(lines.lint_line(verdict.summary))

    def refused(self, verdict: Verdict, *, in_flight: bool) -> None:
        """Say that a run goes on, if one does; the faults themselves have been written with the verdict."""
        if in_flight:
            self._write(lines.in_flight_line())

    def started(self) -> None:
        """Begin a new tree."""
        self._transcript = Transcript()
        self._report = None
        self._began = time.monotonic()
        self._held_since = None
        if not self._is_untouched:
            self._write(())

    def noted(self, event: Event) -> None:
        """Write the rows that are ready."""
        if self._held_since is None:
            self._held_since = time.monotonic()
        rows = self._transcript.add(event)
        if rows:
            self._held_since = None
        self._write(*map(lines.row_line, rows))

    def spoken(self, spoken: Spoken) -> None:
        """Do nothing: a run isn't asked to speak for this."""

    def told(self, *rows: Line) -> None:
        """Write it."""
        self._flush()
        self._write(*rows)

    def hold(self, is_held: bool) -> None:
        """Do nothing: nothing is redrawn."""

    def clear(self) -> None:
        """Do nothing: what can't be redrawn can't be cleared."""

    def printed(self, text: str) -> None:
        """Write the line as it is, below what was open when it came."""
        self._flush()
        self._write_text([text])

    def reported(self, page: Path) -> None:
        """Keep it for the end."""
        self._report = page

    def ended(self, outcome: Outcome) -> None:
        """Write the output and how the run ended."""
        self._flush()
        tree = self._transcript.tree
        taken = tree.seconds(time.time())
        seconds = time.monotonic() - self._began if taken is None else taken
        if tree.roots:
            self._write(())
        if self._shows_output and isinstance(outcome, Finished):
            text = [*map(lines.shown, lines.output_lines(outcome.output))]
            if text:
                self._write_text([*text, ""])
        if isinstance(outcome, Refused | Judged) and outcome.faults:
            report = render_refusal(outcome.faults, folder=self._folder, is_coloured=False)
            self._write_text(report.removesuffix("\n").split("\n"))
        stopped_at = tree.cancelled_at
        self._write(*lines.outcome_lines(outcome, seconds, stopped_at=stopped_at, folder=self._folder))
        self._write(*lines.spending_lines(tree.spending), *lines.report_lines(self._report, self._folder))
        if isinstance(outcome, Finished):
            result = Result.of(tree, seconds, outcome.output)
            if self._last is not None:
                self._write(*difference_lines(self._last, result))
            self._last = result

    def resting(self, *, is_clean: bool) -> None:
        """Write what is waited for."""
        self._write((), lines.resting_line(self._watched, self._folder, is_clean=is_clean, keys=self._has_keys))

    def tick(self) -> None:
        """Write what has been held back for too long."""
        if self._held_since is not None and time.monotonic() - self._held_since > _HOLD:
            self._flush()

    def close(self) -> None:
        """Do nothing: nothing was changed."""

    def _flush(self) -> None:
        self._held_since = None
        self._write(*map(lines.row_line, self._transcript.flush()))

    def _write(self, *rows: Line) -> None:
        texts = [lines.text_of(row) for row in rows]
        self._write_text([text.translate(lines.ASCII) for text in texts] if self._is_ascii else texts)

    def _write_text(self, texts: Iterable[str]) -> None:
        text = "".join(f"{text}\n" for text in texts)
        encoding = self._stream.encoding or "utf-8"
        self._is_untouched = self._is_untouched and not text
        try:
            self._stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
            self._stream.flush()
        except OSError:
            # Where the output goes elsewhere, these lines only accompany it.
            if self._shows_output:
                raise


def can_encode_signs(encoding: str | None) -> bool:
    """Whether a stream of that encoding can show the signs."""
    try:
        "".join(map(chr, lines.ASCII)).encode(encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
