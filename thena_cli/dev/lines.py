"""What the screens say, as lines of text with roles: the wording, in one place and free of terminals.

Left out on purpose: colours (a screen paints roles), and the linter's own report of a fault.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, assert_never

from thena_cli.dev.messages import Cancelled, Died, Drawn, Failed, Finished, Judged, Outcome, Refused
from thena_cli.dev.reach import Touch
from thena_cli.dev.tree import Row, Spending, dollars
from thena_contract.frozen import frozen
from thena_contract.run_faults.provider_failed import ProviderFailed
from thena_runtime.observability.console import printable
from thena_runtime.observability.events import Status

Role = Literal["good", "bad", "stopped", "busy", "strong", "quiet", "plain"]
Span = tuple[str, Role]
Line = tuple[Span, ...]

GOOD, WARNED, BAD, STOPPED, OPEN, SKIPPED, WATCHING = "✓", "!", "✗", "■", "▸", "·", "●"
ASCII = str.maketrans(
    {GOOD: "+", BAD: "x", STOPPED: "#", OPEN: ">", SKIPPED: "-", WATCHING: "*"}
    | {"│": "|", "├": "|", "└": "`", "─": "-", "…": ".", "→": "->"}
)
"""What stands for each sign on a stream that cannot encode it."""

_SIGNS: dict[Status | None, Span] = {
    None: (OPEN, "busy"),
    "ok": (GOOD, "good"),
    "error": (BAD, "bad"),
    "cancelled": (STOPPED, "stopped"),
    "skipped": (SKIPPED, "quiet"),
}
_STOPPED_BY = {None: "every step ran", "stop": "the code asked to stop"}


@frozen(kw_only=True)
class LintSummary:
    """The verdict of one check, counted. `is_clean` means that nothing stops the code from running.

    `elsewhere` counts the faults in files that the code doesn't import.
    """

    files: int
    faults: int
    elsewhere: int = 0
    is_clean: bool
    seconds: float


def lint_line(summary: LintSummary) -> Line:
    """`✓ lint  5 files, no faults  212ms`."""
    sign: Span = (BAD, "bad") if not summary.is_clean else (WARNED, "stopped") if summary.faults else (GOOD, "good")
    text = f"{counted(summary.files, 'file')}, {counted(summary.faults, 'fault') if summary.faults else 'no faults'}"
    elsewhere = f", {summary.elsewhere} in files that aren't imported" if summary.elsewhere else ""
    taken = f"  {duration(summary.seconds)}"
    return sign, (" lint", "strong"), (f"  {text}", "plain"), (elsewhere, "quiet"), (taken, "quiet")


def row_line(row: Row, sign: Span | None = None) -> Line:
    """One row of the tree: `    ✓ tool read_file  3ms`. An open node's time is shown only where it can be redrawn."""
    spans: list[Span] = [("  " * row.depth, "plain"), sign or _SIGNS[row.status], (f" {row.kind}", "quiet")]
    if row.name:
        spans.append((f" {row.name}", "strong"))
    if row.status is not None or sign is not None:
        spans.append((f"  {'skipped' if row.status == 'skipped' else duration(row.seconds)}", "quiet"))
    if row.note:
        spans.append((f"  {row.note}", "bad" if row.status == "error" else "quiet"))
    return tuple(spans)


def output_lines(output: object) -> list[str]:
    """A run's output as text: a string as it is, anything else as JSON."""
    if output is None:
        return []
    text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False, indent=2)
    return text.rstrip("\n").split("\n")


def outcome_lines(outcome: Outcome, seconds: float, *, stopped_at: str | None, folder: Path) -> list[Line]:
    """How a run ended, how long it took and why it stopped. Paths are shown relative to `folder`."""
    taken: Span = (f"  {duration(seconds)}", "quiet")
    match outcome:
        case Finished(_, stopped_by):
            why = _STOPPED_BY.get(stopped_by, f"stopped by {stopped_by}")
            return [((GOOD, "good"), (" done", "strong"), (f"  {why}", "plain"), taken)]
        case Cancelled(at):
            where = stopped_at or at
            return [((STOPPED, "stopped"), (f" cancelled{f' at {where}' if where else ''}", "strong"), taken)]
        case Judged(workflow=workflow, faults=faults):
            sign: Span = (WARNED, "stopped") if faults else (GOOD, "good")
            told = counted(len(faults), "warning") if faults else "no faults"
            return [(sign, (" start-up", "strong"), (f"  workflow {workflow}: {_counts(outcome)}, {told}", "plain"))]
        case Drawn():
            return []
        case Refused(faults):
            return [((BAD, "bad"), (" start-up", "strong"), (f"  {counted(len(faults), 'fault')}", "plain"))]
        case Failed(kind, error, traceback, code, missing):
            named = {"import": "import", "target": "target", "arguments": "arguments"}.get(kind, "failed")
            first, *rest = error.splitlines() or [""]
            head: Line = ((BAD, "bad"), (f" {named}", "strong"), (f"  {first}", "plain"))
            ended: Line = (*head, taken) if kind == "run" else head
            more = [*rest, *_frames(traceback, error, folder), *_repairs(code, missing)]
            return [ended, *(((f"  {text}", "quiet"),) for text in more if text)]
        case Died(code):
            how = f"was ended by signal {-code}" if code < 0 else f"left with code {code}"
            return [((BAD, "bad"), (" died", "strong"), (f"  the process {how} and gave no result", "plain"), taken)]
        case _:
            assert_never(outcome)


def spending_lines(spending: Spending) -> list[Line]:
    """What a run took of models, if anybody told, and what replaying spared."""
    told: list[Line] = []
    if spending.tokens:
        text = f"  {counted(spending.calls, 'model call')}, {_amount(spending.tokens, spending.usd)}"
        told.append(((text, "quiet"),))
    if spending.replayed:
        saved = _amount(spending.saved_tokens, spending.saved_usd)
        text = f"{counted(spending.replayed, 'model call')} replayed" + (f", {saved} saved" if saved else "")
        told.append(((f"  {text}", "quiet"),))
    return told


def report_lines(page: Path | None, folder: Path) -> list[Line]:
    """Where the report of a run is, if there is one."""
    return [] if page is None else [((f"  report {shown_path(page, folder)}", "quiet"),)]


def _amount(tokens: int, usd: float | None) -> str:
    parts = [f"{tokens:,} tokens"] if tokens else []
    return ", ".join(parts if usd is None else [*parts, dollars(usd)])


def _counts(judged: Judged) -> str:
    nested = [counted(judged.workflows - 1, "nested workflow")] if judged.workflows > 1 else []
    return ", ".join([*nested, counted(judged.agents, "agent"), counted(judged.tools, "tool")])


def _repairs(code: str | None, missing: str | None) -> list[str]:
    """The commands that help."""
    if missing is not None:
        return [f"if `{missing}` is a package, install it into the environment of `thena`, which `thena doctor` shows"]
    if code is None:
        return []
    looks = ", `thena doctor` asks the provider" if code == ProviderFailed.code else ""
    return [f"`thena explain {code}` says more{looks}"]


def speech_lines(said: Iterable[tuple[str, str]], *, width: int) -> list[Line]:
    """The end of what each model says at the moment, a line for each: `    Writer │ ... the end of it`."""
    shown: list[Line] = []
    for agent, text in said:
        head = f"    {printable(agent)} │ "
        room = max(10, width - len(head) - 1)
        flat = " ".join(printable(line) for line in text.split())
        shown.append(((head, "quiet"), (flat if len(flat) <= room else f"…{flat[1 - room :]}", "plain")))
    return shown


def said_line(text: str) -> Line:
    """What a session says to a key."""
    return ((OPEN, "busy"), (f" {text}", "plain"))


def key_lines(keys: Iterable[tuple[str, str]]) -> list[Line]:
    """Every key with what it does."""
    return [(), *(((f"  {key}", "strong"), (f"  {what}", "quiet")) for key, what in keys), ()]


def saved_lines(paths: frozenset[Path], gone: frozenset[Path], folder: Path) -> list[Line]:
    """What was saved and what of it is gone, as the reason for what follows."""
    told = (("gone", gone), ("saved", paths - gone))
    return [_paths_line(what, found, folder) for what, found in told if found]


def _paths_line(what: str, paths: Iterable[Path], folder: Path) -> Line:
    names = sorted(shown_path(path, folder) for path in paths)
    text = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return ((OPEN, "busy"), (f" {what}", "strong"), (f"  {text}", "plain"))


def touch_lines(touches: Iterable[Touch], folder: Path) -> list[Line]:
    """What the saved files are to the run, each with the way to the target; nothing of what says it by itself."""
    told = [text for touch in touches if (text := _touch(touch, folder)) is not None]
    more = [f"and {len(told) - _TOUCHES} more"] if len(told) > _TOUCHES else []
    return [((f"  {text}", "quiet"),) for text in [*told[:_TOUCHES], *more]]


_TOUCHES = 3


def _touch(touch: Touch, folder: Path) -> str | None:
    match touch.part:
        case "code" | "prompt":
            way = [shown_path(path, folder) for path in touch.way]
            return " → ".join(way) if len(way) > 1 else None
        case "data":
            return f"{shown_path(touch.path, folder)} → read by the run"
        case "settings":
            return f"{shown_path(touch.path, folder)} → what the linter tells"
        case "none":
            return f"{shown_path(touch.path, folder)} is no part of the run"
        case _:
            assert_never(touch.part)


def unchanged_line(touches: Iterable[Touch], *, keys: bool) -> Line:
    """Why a save starts no run."""
    is_part = any(touch.part not in ("none", "settings") for touch in touches)
    text = "no semantic change" if is_part else "nothing that the run rests on was saved"
    return ((SKIPPED, "quiet"), (" not run", "strong"), (f"  {text}{', r runs anyway' if keys else ''}", "plain"))


def missing_line(target: Path, folder: Path) -> Line:
    """Why nothing can be run."""
    text = f"`{shown_path(target, folder)}` is gone; waiting for it"
    return ((SKIPPED, "quiet"), (" not run", "strong"), (f"  {text}", "plain"))


def resting_line(watched: Path, folder: Path, *, is_clean: bool, keys: bool = False) -> Line:
    """What happens next: nothing, until something is saved or, with `keys`, a key is pressed."""
    where = shown_path(watched, folder)
    text = "save a file to run again" if is_clean else "waiting for changes"
    leave = "? shows the keys, q to leave" if keys else "Ctrl-C to leave"
    return ((WATCHING, "busy"), (f" watching {where}", "strong"), (f"  {text}, {leave}", "quiet"))


def in_flight_line() -> Line:
    """Why a run goes on although its code on disk is at fault."""
    return ((WATCHING, "busy"), (" the run of the last good code goes on", "strong"))


def counted(count: int, noun: str) -> str:
    """`1 file`, `5 files`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def duration(seconds: float) -> str:
    """`12ms`, `1.84s`, `2m 05s`."""
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f}ms"
    if seconds < 59.995:
        return f"{seconds:.2f}s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}m {rest:02}s"


def shown_path(path: Path, folder: Path) -> str:
    """The path as a user in `folder` would type it."""
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)


def _frames(traceback: str, error: str, folder: Path) -> list[str]:
    """The traceback's lines, paths relative to `folder`, without its title and what the error's own line says."""
    texts = traceback.replace(f'"{folder}{os.sep}', '"').splitlines()
    return [text for text in texts if text not in (error, "Traceback (most recent call last):")]


def shown(text: str) -> str:
    """A text on its way to a terminal: whoever wrote it, it moves no cursor and paints nothing."""
    return printable(text, kept="\t")


def text_of(line: Line) -> str:
    """The line without its roles."""
    return shown("".join(text for text, _ in line))
