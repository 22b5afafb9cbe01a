"""The tree that `ConsoleLog` draws, and the streams that it must survive."""

import io
from collections.abc import Mapping
from pathlib import Path

import pytest

from thena_runtime.observability.console import ConsoleLog
from thena_runtime.observability.events import Event, Kind, Phase, Status


def event(
    phase: Phase,
    kind: Kind,
    name: str,
    depth: int,
    *,
    duration: float | None = None,
    status: Status | None = None,
    error: str | None = None,
    data: Mapping[str, object] | None = None,
) -> Event:
    return Event(
        run_id="r",
        sequence=1,
        time=0.0,
        phase=phase,
        kind=kind,
        name=name,
        id="n1",
        parent_id=None,
        depth=depth,
        duration=duration,
        status=status,
        error=error,
        data=data or {},
    )


def start(kind: Kind, name: str, depth: int) -> Event:
    return event("start", kind, name, depth)


def end(kind: Kind, name: str, depth: int, duration: float, status: Status = "ok") -> Event:
    return event("end", kind, name, depth, duration=duration, status=status)


ONE_TURN = (
    start("workflow", "ReaderWorkflow", 0),
    start("loop", "loop", 1),
    start("agent", "ReaderAgent", 2),
    start("chat", "chat", 3),
    start("tool", "read_file", 4),
    end("tool", "read_file", 4, 0.012),
    end("chat", "chat", 3, 1.84),
    end("agent", "ReaderAgent", 2, 1.8512),
)


def drawn(*events: Event, verbose: bool = False) -> str:
    stream = io.StringIO()
    log = ConsoleLog(stream, verbose=verbose)
    for each in events:
        log(each)
    return stream.getvalue()


def test_a_run_is_drawn_as_a_tree() -> None:
    """Every node opens and closes on a line of its own, two spaces deeper than the one that holds it."""
    expected = """\
[thena] ▸ workflow ReaderWorkflow
[thena]   ▸ loop
[thena]     ▸ agent ReaderAgent
[thena]       ▸ chat
[thena]         ▸ tool read_file
[thena]         ◂ tool read_file  12ms ✓
[thena]       ◂ chat  1.84s ✓
[thena]     ◂ agent ReaderAgent  1.85s ✓
"""
    assert expected == drawn(*ONE_TURN)


def test_loop_parallel_and_chat_are_named_by_their_kind_alone() -> None:
    """A node without a name that a user chose shows only what it is."""
    assert "[thena] ▸ parallel\n[thena] ▸ chat\n[thena] ▸ loop\n" == drawn(
        start("parallel", "p", 0), start("chat", "gpt", 0), start("loop", "", 0)
    )


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.0, "0ms"), (0.0004, "0ms"), (0.999, "999ms"), (0.9996, "1.00s"), (1.0, "1.00s"), (75.321, "75.32s")],
)
def test_a_duration_is_shown_in_whole_milliseconds_or_in_seconds(seconds: float, shown: str) -> None:
    """Below a second a duration is in milliseconds, from there on in seconds with two decimals."""
    assert f"[thena] ◂ chat  {shown} ✓\n" == drawn(end("chat", "chat", 0, seconds))


@pytest.mark.parametrize(
    ("status", "shown"),
    [("ok", "✓"), ("error", "✗"), ("cancelled", "✗ cancelled"), ("skipped", "skipped")],
)
def test_each_outcome_has_a_word_or_sign_of_its_own(status: Status, shown: str) -> None:
    """What succeeded, failed, was cancelled or was skipped can be told apart."""
    assert f"[thena] ◂ agent A  1ms {shown}\n" == drawn(end("agent", "A", 0, 0.001, status))


def test_verbose_adds_the_error_and_the_data_below_the_end() -> None:
    """A verbose log shows what the end of a node knows, each piece flattened to one short line."""
    failed = event(
        "end",
        "tool",
        "read",
        1,
        duration=0.001,
        status="error",
        error="no such\n  file",
        data={"iterations": 2, "input": "x" * 200, "nothing": None},
    )
    expected = (
        "[thena]   ◂ tool read  1ms ✗\n"
        "[thena]     → iterations: 2\n"
        f"[thena]     → input: {'x' * 112}…\n"
        "[thena]     → error: no such file\n"
    )
    assert expected == drawn(failed, verbose=True)
    assert "[thena]   ◂ tool read  1ms ✗\n" == drawn(failed)


def test_a_name_cannot_break_the_line_or_order_the_terminal_about() -> None:
    """Line breaks and control characters in a name, which a model may have made up, are shown as escapes."""
    assert "[thena] ▸ tool a\\nb\\x1b[2J\\ud800é\n" == drawn(start("tool", "a\nb\x1b[2J\ud800é", 0))


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_stream_that_cannot_encode_the_signs_gets_ascii(encoding: str) -> None:
    """On a terminal without these characters the tree is drawn with plain ones, and nothing is lost."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    log = ConsoleLog(stream, verbose=True)
    for each in (
        start("agent", "A", 1),
        end("agent", "A", 1, 0.002),
        event("end", "chat", "chat", 0, duration=2.0, status="error", error="☃" + "e" * 200),
    ):
        log(each)
    expected = (
        "[thena]   > agent A\n"
        "[thena]   < agent A  2ms ok\n"
        "[thena] < chat  2.00s failed\n"
        f"[thena]   -> error: \\u2603{'e' * 109}...\n"
    )
    assert expected == raw.getvalue().decode(encoding)


def test_a_line_is_on_the_stream_as_soon_as_its_event_happened() -> None:
    """The tree is live: a buffered stream shows each line at once."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="utf-8", newline="\n")
    ConsoleLog(stream)(start("loop", "loop", 0))
    assert "[thena] ▸ loop\n".encode() == raw.getvalue()


def test_without_a_stream_it_writes_to_the_standard_output_of_that_moment(capsys: pytest.CaptureFixture[str]) -> None:
    """A log made before the output was redirected follows it."""
    log = ConsoleLog()
    log(start("loop", "loop", 0))
    assert "[thena] ▸ loop\n" == capsys.readouterr().out


def test_a_closed_stream_does_not_fail_the_run() -> None:
    """Logging to a stream that was closed loses the line and raises nothing."""
    stream = io.StringIO()
    log = ConsoleLog(stream)
    log(start("loop", "loop", 0))
    stream.close()
    log(end("loop", "loop", 0, 0.1))
    assert stream.closed


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_full_disk_does_not_fail_the_run() -> None:
    """Logging to a disk without space loses the line and raises nothing."""
    with Path("/dev/full").open("wb", buffering=0) as disk:
        stream = io.TextIOWrapper(disk, encoding="utf-8", write_through=True)
        ConsoleLog(stream)(start("loop", "loop", 0))
        stream.detach()


class _Broken(io.StringIO):
    def write(self, text: str) -> int:
        raise RuntimeError("a user's stream may raise anything")


def test_a_stream_that_raises_anything_does_not_fail_the_run() -> None:
    """Whatever a stream raises stays inside the log."""
    stream = _Broken()
    ConsoleLog(stream)(start("loop", "loop", 0))
    assert "" == stream.getvalue()
