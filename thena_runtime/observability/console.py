"""Events as lines on a terminal: the tree of a run, drawn while it goes.

It writes no colours, so that a file, a pipe and a terminal show the same. It never fails a run: a line that can't be
written is lost. What is redrawn in place (the screen of `thena dev`) lives elsewhere.
"""

import json
import sys
from dataclasses import dataclass
from typing import Final, TextIO

from thena_runtime.observability.events import Event, Status
from thena_runtime.redaction import redact_text

PREFIX: Final = "[thena] "
_NAMELESS: Final = frozenset({"loop", "parallel", "chat"})
_LONGEST_DETAIL: Final = 120


@dataclass(frozen=True, slots=True)
class _Signs:
    start: str
    end: str
    detail: str
    cut: str
    outcome: dict[Status, str]


_UNICODE: Final = _Signs(
    "▸", "◂", "→", "…", {"ok": "✓", "error": "✗", "cancelled": "✗ cancelled", "skipped": "skipped"}
)
_ASCII: Final = _Signs(
    ">", "<", "->", "...", {"ok": "ok", "error": "failed", "cancelled": "cancelled", "skipped": "skipped"}
)


@dataclass(frozen=True, slots=True)
class ConsoleLog:
    """Write each event it is called with as a line of the tree.

    Without a `stream` it writes to whatever `sys.stdout` is at that moment. `verbose` adds what the end of a node
    knows beyond its name: the error and the data, secrets masked.
    """

    stream: TextIO | None = None
    verbose: bool = False

    def __call__(self, event: Event) -> None:
        """Write the event's line, or nothing if the stream refuses it."""
        stream = sys.stdout if self.stream is None else self.stream
        # A stream may be anybody's object and raise anything; a log that ends a run is worse than a line that is lost.
        try:
            _write(stream, render(event, verbose=self.verbose, signs=_signs_for(stream)))
        except Exception:
            return


def render(event: Event, *, verbose: bool = False, signs: _Signs = _UNICODE) -> str:
    """Draw one event: one line, and with `verbose` more below it at the end of a node."""
    indent = PREFIX + "  " * event.depth
    label = event.kind if event.kind in _NAMELESS or not event.name else f"{event.kind} {printable(event.name)}"
    if event.phase == "start":
        return f"{indent}{signs.start} {label}\n"
    ending = [] if event.duration is None else [_duration(event.duration)]
    if event.status is not None:
        ending.append(signs.outcome[event.status])
    stopped_by = event.data.get("stopped_by")
    # A loop whose `until` ended it went as it was to go.
    if stopped_by not in (None, "until"):
        ending.append(f" stopped by {printable(str(stopped_by))}")
    if event.data.get("replayed"):
        ending.append(" replayed")
    if event.data.get("finish_reason") is not None:
        ending.append(f" cut off ({printable(str(event.data['finish_reason']))})")
    lines = [f"{indent}{signs.end} {label}  {' '.join(ending)}"]
    if verbose:
        lines.extend(f"{indent}  {signs.detail} {detail}" for detail in _details(event, signs.cut))
    return "".join(f"{line}\n" for line in lines)


def _details(event: Event, cut: str) -> list[str]:
    known: dict[str, object] = dict(event.data)
    if event.error is not None:
        known["error"] = event.error
    return [
        _shortened(f"{name}: {redact_text(name, _text(value))}", cut)
        for name, value in known.items()
        if value not in (None, "")
    ]


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _shortened(text: str, cut: str) -> str:
    flat = printable(" ".join(text.split()))
    return flat if len(flat) <= _LONGEST_DETAIL else flat[: _LONGEST_DETAIL - len(cut)] + cut


def printable(text: str, *, kept: str = "") -> str:
    """The text with control characters spelt out, but for those that are `kept`.

    A model can choose a name, an answer, the words of an error, and each of them can order a terminal about.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in kept else c.encode("unicode_escape").decode("ascii") for c in text)


def _duration(seconds: float) -> str:
    milliseconds = round(seconds * 1000)
    return f"{milliseconds}ms" if milliseconds < 1000 else f"{seconds:.2f}s"


def _signs_for(stream: TextIO) -> _Signs:
    encoding = getattr(stream, "encoding", None)
    if encoding is None:
        return _UNICODE  # a stream of text, such as `io.StringIO`
    try:
        "▸◂→…✓✗".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return _ASCII
    return _UNICODE


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
    except UnicodeEncodeError as error:
        stream.write(text.encode(error.encoding, "backslashreplace").decode(error.encoding))
    stream.flush()
