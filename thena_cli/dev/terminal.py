"""The screen of a session on a terminal: the tree redrawn in place, one run a page.

The finished part of a page is printed once and stays in the scrollback; only what still changes is redrawn. Left out on
purpose: the wording (`lines.py`), and refreshing by itself: the session calls `tick`.
"""

import time
from collections.abc import Sequence
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.live import Live
from rich.text import Text

from thena_cli.dev import lines
from thena_cli.dev.difference import Result, difference_lines
from thena_cli.dev.lines import Line, Role
from thena_cli.dev.linter import Verdict
from thena_cli.dev.messages import Cancelled, Failed, Finished, Judged, Outcome, Refused, Spoken
from thena_cli.dev.reach import Touch
from thena_cli.dev.refusal import render_refusal
from thena_cli.dev.tree import RunTree
from thena_cli.paragraph import breaks
from thena_runtime.observability.events import Event

_STYLES: dict[Role, str] = {
    "good": "bold green",
    "bad": "bold red",
    "stopped": "bold yellow",
    "busy": "cyan",
    "strong": "bold",
    "quiet": "dim",
    "plain": "",
}
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_FRAMES_A_SECOND = 12
_KEPT_RESULT = 10
_KEPT_SPEECH = 400
_SHOWN_SPEECH = 3

# A program may print faster than a terminal shows: what stands below is redrawn each time that something is printed.
_KEPT_PRINTED = 1000


class TerminalScreen:
    """A page a run; owned by a session, which closes it so that the cursor comes back."""

    def __init__(
        self,
        console: Console,
        *,
        watched: Path,
        folder: Path,
        is_clearing: bool,
        shows_output: bool = True,
        has_keys: bool = False,
    ) -> None:
        self._console = console
        self._watched = watched
        self._folder = folder
        self._is_clearing = is_clearing
        self._shows_output = shows_output
        self._live: Live | None = None
        self._tree: RunTree | None = None
        self._began = time.monotonic()
        # What heads the next page: why it is there, what it ended, what the linter said of it.
        self._head: list[Line] = []
        self._verdict: Verdict | None = None
        self._is_first_page = True
        self._last_good: tuple[Line, list[str]] | None = None
        self._touches: Sequence[Touch] = ()
        self._has_keys = has_keys
        self._is_held = False
        self._last: Result | None = None
        self._report: Path | None = None
        self._printed: list[str] = []
        # The end of what each model has said that speaks at the moment, by turn.
        self._speech: dict[int, tuple[str, str]] = {}

    @property
    def shows_speech(self) -> bool:
        """Its end is redrawn while it is said."""
        return True

    @property
    def is_coloured(self) -> bool:
        """Unless `NO_COLOR` says otherwise."""
        return not self._console.no_color

    def checking(self) -> None:
        """Show that the check is under way."""
        if self._tree is None:
            self._began = time.monotonic()
        self._begin_live()

    def saved(self, paths: frozenset[Path], *, gone: frozenset[Path] = frozenset()) -> None:
        """Keep the reason for the next page."""
        self._head = lines.saved_lines(paths, gone, self._folder)

    def touched(self, touches: Sequence[Touch]) -> None:
        """Keep the ways from the saved files to the target for the next page."""
        self._touches = touches
        self._head += lines.touch_lines(touches, self._folder)

    def unchanged(self, *, is_only_linted: bool, missing: Path | None = None) -> None:
        """Say so below what stands there: the page is still that of the last run."""
        self._print((), *self._head)
        self._head = []
        if self._verdict is not None and (self._verdict.summary.faults or is_only_linted):
            self._print_verdict()
        if missing is not None:
            self._print(lines.missing_line(missing, self._folder))
        elif not is_only_linted:
            self._print(lines.unchanged_line(self._touches, keys=self._has_keys))

    def checked(self, verdict: Verdict) -> None:
        """Keep the verdict for the next page."""
        if self._tree is None:
            self._end_live()
        self._verdict = verdict

    def refused(self, verdict: Verdict, *, in_flight: bool) -> None:
        """Show the faults: on their own page, or above the run that goes on."""
        if in_flight:
            self._print((), *self._head, ())
            self._head = []
            self._print_verdict()
            self._print(lines.in_flight_line(), ())
            return
        self._turn_page()
        self._print_last_good()
        self._print_verdict()

    def started(self) -> None:
        """Begin a page with an empty tree."""
        self._turn_page()
        self._print_verdict()
        self._print(())
        self._tree = RunTree()
        self._report = None
        self._began = time.monotonic()
        self._begin_live()

    def noted(self, event: Event) -> None:
        """Let the tree grow; the next tick shows it."""
        if self._tree is not None:
            node = self._tree.add(event)
            if event.kind == "chat" and event.phase == "end":
                agent = "" if node.parent is None else node.parent.opened.name
                self._speech = {turn: said for turn, said in self._speech.items() if said[0] != agent}

    def spoken(self, spoken: Spoken) -> None:
        """Keep the end of what is said; the next tick shows it."""
        if spoken.kind == "text":
            said = self._speech.get(spoken.turn, ("", ""))[1] + spoken.text
            self._speech[spoken.turn] = (spoken.agent, said[-_KEPT_SPEECH:])

    def told(self, *rows: Line) -> None:
        """Print it, above what is redrawn."""
        self._print(*rows)

    def hold(self, is_held: bool) -> None:
        """Redraw nothing meanwhile, so that what is typed stands where it is typed."""
        if is_held == self._is_held:
            return
        self._flush()
        self._is_held = is_held
        if self._live is not None:
            if is_held:
                self._live.stop()
            else:
                self._live.start()

    def clear(self) -> None:
        """Clear what is visible; what stood there is in the scrollback."""
        was_held = self._is_held
        self.hold(True)
        self._clear()
        self.hold(was_held)

    def printed(self, text: str) -> None:
        """Keep the line for the next tick, which prints all of them at once above what is redrawn."""
        self._printed.append(text)
        if len(self._printed) >= _KEPT_PRINTED:
            self._flush()

    def reported(self, page: Path) -> None:
        """Keep it for the end."""
        self._report = page

    def ended(self, outcome: Outcome) -> None:
        """Print the whole tree, the output, and how the run ended."""
        tree = self._tree or RunTree()
        now = time.time()
        taken = tree.seconds(now)
        seconds = time.monotonic() - self._began if taken is None else taken
        self._tree, self._speech = None, {}
        self._end_live()
        ended = lines.outcome_lines(outcome, seconds, stopped_at=tree.cancelled_at, folder=self._folder)
        rows = tree.rows(now, told=outcome.error if isinstance(outcome, Failed) else None)
        if rows:
            self._print(*map(lines.row_line, rows), ())
        if isinstance(outcome, Cancelled):
            # A page that is turned at once would take this away unread.
            self._head += ended
        elif isinstance(outcome, Finished):
            self._print_output(outcome.output, seconds)
        else:
            self._print_last_good()
        if isinstance(outcome, Refused | Judged) and outcome.faults:
            self._print_report(render_refusal(outcome.faults, folder=self._folder, is_coloured=self.is_coloured))
        self._print(*ended, *lines.spending_lines(tree.spending), *lines.report_lines(self._report, self._folder))
        if isinstance(outcome, Finished):
            result = Result.of(tree, seconds, outcome.output)
            if self._last is not None:
                self._print(*difference_lines(self._last, result))
            self._last = result

    def resting(self, *, is_clean: bool) -> None:
        """Print what is waited for."""
        self._print((), lines.resting_line(self._watched, self._folder, is_clean=is_clean, keys=self._has_keys))

    def tick(self) -> None:
        """Redraw."""
        self._flush()
        if self._live is not None and not self._is_held:
            self._live.refresh()

    def close(self) -> None:
        """Give the cursor back."""
        self._end_live()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw what still changes: the end of the tree that fits, or that the linter or the child is at work."""
        if self._live is None:
            return
        frame = int(time.monotonic() * _FRAMES_A_SECOND) % len(_SPINNER)
        spinner: lines.Span = (_SPINNER[frame], "busy")
        rows = [] if self._tree is None else self._tree.rows(time.time())
        if not rows:
            text = " lint" if self._tree is None else " starting"
            taken = lines.duration(time.monotonic() - self._began)
            yield _painted((spinner, (text, "strong"), (f"  {taken}", "quiet")))
            return
        room = max(3, console.size.height - 2)
        drawn = [lines.row_line(row, spinner if row.status is None else None) for row in rows]
        drawn += lines.speech_lines(list(self._speech.values())[:_SHOWN_SPEECH], width=console.size.width)
        if len(drawn) > room:
            hidden: Line = ((f"… {lines.counted(len(drawn) - room + 1, 'line')} above", "quiet"),)
            drawn = [hidden, *drawn[len(drawn) - room + 1 :]]
        yield Group(*(_painted(line, is_cut=True) for line in drawn))

    def _flush(self) -> None:
        """Print what was printed."""
        printed, self._printed = self._printed, []
        if printed:
            self._console.print(Text("\n").join(map(Text.from_ansi, printed)), soft_wrap=True)

    def _begin_live(self) -> None:
        self._end_live()
        self._live = Live(
            self,
            console=self._console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        if not self._is_held:
            self._live.start()

    def _end_live(self) -> None:
        self._flush()
        live, self._live = self._live, None
        if live is not None:
            # It is drawn once more as it stops; with nothing to draw it only takes back what was there.
            live.stop()

    def _turn_page(self) -> None:
        if self._is_clearing and not self._is_first_page:
            self._clear()
        self._is_first_page = False
        self._print(*self._head)
        self._head = []

    def _clear(self) -> None:
        # The old page moves into the scrollback; only what is visible is cleared.
        self._console.file.write("\n" * (self._console.size.height - 1) + "\x1b[H\x1b[J")

    def _print_verdict(self) -> None:
        if self._verdict is not None:
            self._print_report(self._verdict.report)
            self._print(lines.lint_line(self._verdict.summary))

    def _print_report(self, report: str) -> None:
        for line in report.splitlines():
            self._print_broken(Text.from_ansi(line), indent=0)

    def _print_output(self, output: object, seconds: float) -> None:
        text = lines.output_lines(output)
        self._last_good = (_when(seconds), text)
        if text and self._shows_output:
            self._print(*(((each, "plain"),) for each in text), (), indent=0)

    def _print_last_good(self) -> None:
        if self._last_good is None:
            return
        head, text = self._last_good
        kept = text[: min(_KEPT_RESULT, max(1, self._console.size.height // 3))]
        self._print(head, *(((f"│ {each}", "quiet"),) for each in kept))
        if len(kept) < len(text):
            self._print(((f"│ … {lines.counted(len(text) - len(kept), 'line')} more", "quiet"),))
        self._print(())

    def _print(self, *rows: Line, indent: int = 2) -> None:
        for row in rows:
            self._print_broken(_painted(row), indent=indent)

    def _print_broken(self, text: Text, *, indent: int) -> None:
        self._flush()
        for part in _broken(text, self._console.width, indent):
            self._console.print(part, soft_wrap=True)


def _when(seconds: float) -> Line:
    return (("│ last good result", "quiet"), (f"  {time.strftime('%H:%M:%S')}, {lines.duration(seconds)}", "quiet"))


def _painted(line: Line, *, is_cut: bool = False) -> Text:
    text = Text.assemble(*((lines.shown(span), _STYLES[role]) for span, role in line))
    if is_cut:
        text.no_wrap = True
        text.overflow = "ellipsis"
    return text


def _broken(text: Text, width: int, indent: int) -> Sequence[Text]:
    """The line in parts that fit, of which all but the first are indented further than it is."""
    before = " " * (len(text.plain) - len(text.plain.lstrip()) + indent)
    parts = text.divide(breaks(text.plain, max(width - len(before), width // 2), cell_len))
    for part in parts:
        part.rstrip()
    return [parts[0], *(Text(before).append_text(part) for part in parts[1:])]
