"""A run's events as rows: what is written once, and what is redrawn."""

from collections.abc import Sequence
from typing import Any

import pytest

from thena_cli.dev.lines import row_line, spending_lines, text_of
from thena_cli.dev.tree import RunTree, Transcript
from thena_runtime.observability.events import Event, Kind, Status


class Story:
    """Writes the events of a run, one second after the other."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._open: list[Event] = []

    def start(self, kind: Kind, name: str = "") -> "Story":
        parent = self._open[-1] if self._open else None
        number = len(self.events) + 1
        event = Event(
            run_id="r",
            sequence=number,
            time=float(number),
            phase="start",
            kind=kind,
            name=name or kind,
            id=str(number),
            parent_id=None if parent is None else parent.id,
            depth=len(self._open),
        )
        self.events.append(event)
        self._open.append(event)
        return self

    def end(self, status: Status = "ok", error: str | None = None, **data: Any) -> "Story":
        opened = self._open.pop()
        number = len(self.events) + 1
        self.events.append(
            Event(
                run_id="r",
                sequence=number,
                time=float(number),
                phase="end",
                kind=opened.kind,
                name=opened.name,
                id=opened.id,
                parent_id=opened.parent_id,
                depth=opened.depth,
                duration=float(number) - opened.time,
                status=status,
                error=error,
                data=data,
            )
        )
        return self


def transcript_of(events: Sequence[Event]) -> list[str]:
    transcript = Transcript()
    rows = [row for event in events for row in transcript.add(event)]
    return [text_of(row_line(row)) for row in [*rows, *transcript.flush()]]


def turn(story: Story, agent: str) -> Story:
    return story.start("agent", agent).start("chat").start("tool", "read").end().end().end()


def test_a_turn_is_written_when_it_is_over() -> None:
    """Workflow and loop are written as they begin and end, a turn as a whole."""
    story = Story().start("workflow", "Flow").start("loop")
    turn(story, "A").end(iterations=1, stopped_by="until").end()
    assert [
        "▸ workflow Flow",
        "  ▸ loop",
        "    ✓ agent A  5.00s",
        "      ✓ chat  3.00s",
        "        ✓ tool read  1.00s",
        "  ✓ loop  7.00s  1 iteration, stopped by until",
        "✓ workflow Flow  9.00s",
    ] == transcript_of(story.events)


def test_what_is_held_back_is_written_when_something_else_has_to_be() -> None:
    """A flush writes open nodes as open; they get a second row when they end."""
    story = Story().start("workflow", "Flow").start("agent", "A").start("chat")
    transcript = Transcript()
    held = [transcript.add(event) for event in story.events]
    flushed = transcript.flush()
    ended = [transcript.add(event) for event in story.end().end().end().events[3:]]
    assert [["▸ workflow Flow"], [], []] == [[text_of(row_line(row)) for row in rows] for rows in held]
    assert ["  ▸ agent A", "    ▸ chat"] == [text_of(row_line(row)) for row in flushed]
    assert [] == transcript.flush()
    assert [["    ✓ chat  1.00s"], ["  ✓ agent A  3.00s"], ["✓ workflow Flow  5.00s"]] == [
        [text_of(row_line(row)) for row in rows] for rows in ended
    ]


def test_a_workflow_inside_a_tool_writes_what_leads_to_it() -> None:
    """A nested run is long-lived, so everything above it is written as begun."""
    story = Story().start("workflow", "Flow").start("agent", "A").start("tool", "t").start("workflow", "Inner")
    assert ["▸ workflow Flow", "  ▸ agent A", "    ▸ tool t", "      ▸ workflow Inner"] == transcript_of(story.events)


def test_failures_and_skipped_steps_look_different() -> None:
    """An error names itself on its row, cancelled and skipped steps have their own signs."""
    story = Story().start("workflow", "Flow").start("agent", "A").end("error", "ValueError: no\nmore")
    story.start("agent", "B").end("skipped").start("agent", "C").end("cancelled").end("error", "ValueError: no")
    assert [
        "▸ workflow Flow",
        "  ✗ agent A  1.00s  ValueError: no",
        "  · agent B  skipped",
        "  ■ agent C  1.00s",
        "✗ workflow Flow  7.00s",
    ] == transcript_of(story.events)


def failing(outer: str | None) -> Story:
    """A model call that fails, and with it its agent and its loop; the workflow ends with another error, or well."""
    error = "ValueError: no"
    story = Story().start("workflow", "Flow").start("loop").start("agent", "A").start("chat")
    story.end("error", error).end("error", error).end("error", error, iterations=2)
    return story.end() if outer is None else story.end("error", outer)


def test_an_error_that_ends_the_run_is_left_to_the_outcome() -> None:
    """It would stand on every row from the innermost to the outermost otherwise."""
    assert [
        "▸ workflow Flow",
        "  ▸ loop",
        "    ✗ agent A  3.00s",
        "      ✗ chat  1.00s",
        "  ✗ loop  5.00s  2 iterations",
        "✗ workflow Flow  7.00s",
    ] == transcript_of(failing("ValueError: no").events)


def test_an_error_that_something_outside_handles_stands_where_it_arose() -> None:
    """Rows around it have failed and don't repeat it."""
    assert [
        "▸ workflow Flow",
        "  ▸ loop",
        "    ✗ agent A  3.00s",
        "      ✗ chat  1.00s  ValueError: no",
        "  ✗ loop  5.00s  2 iterations",
        "✓ workflow Flow  7.00s",
    ] == transcript_of(failing(None).events)


def test_an_error_that_becomes_another_is_told_too() -> None:
    """The outcome tells only the last."""
    shown = transcript_of(failing("OSError: other").events)
    assert (["      ✗ chat  1.00s  ValueError: no"], "✗ workflow Flow  7.00s") == (
        [line for line in shown if "ValueError" in line],
        shown[-1],
    )


def test_a_failure_that_nothing_follows_is_not_held_back_for_ever() -> None:
    """Whoever waits sees it as soon as what was held back is asked for."""
    transcript = Transcript()
    for event in failing(None).events[:5]:
        transcript.add(event)
    assert "      ✗ chat  1.00s  ValueError: no" in [text_of(row_line(row)) for row in transcript.flush()]


def test_the_whole_tree_leaves_out_what_is_told_elsewhere() -> None:
    """On a terminal the tree stands right above the outcome."""
    tree = RunTree()
    for event in failing("ValueError: no").events:
        tree.add(event)
    assert [[], ["chat"]] == [
        [row.kind for row in tree.rows(9.0, told=told) if "ValueError" in row.note] for told in ("ValueError: no", None)
    ]


def test_a_name_cannot_order_the_terminal_about() -> None:
    """Control characters in a name, which a model may have chosen, are spelt out."""
    story = Story().start("tool", "x\x1b[2J\n")
    assert [r"▸ tool x\x1b[2J\n"] == transcript_of(story.events)


def test_open_nodes_grow_older_on_a_screen_that_is_redrawn() -> None:
    """A row of an open node shows the time since it began, a closed one what it took."""
    story = Story().start("workflow", "Flow").start("agent", "A").end()
    tree = RunTree()
    for event in story.events:
        tree.add(event)
    assert [(9.0, None), (1.0, "ok")] == [(row.seconds, row.status) for row in tree.rows(now=10.0)]


def test_an_end_without_a_start_is_a_node_that_was_over_at_once() -> None:
    """A step that is skipped need not begin."""
    story = Story().start("workflow", "Flow").start("agent", "A").end("skipped")
    assert ["▸ workflow Flow", "  · agent A  skipped"] == transcript_of([story.events[0], story.events[2]])


@pytest.mark.parametrize(
    ("story", "innermost"),
    [
        (Story(), None),
        (Story().start("workflow", "Flow"), "workflow Flow"),
        (Story().start("workflow", "Flow").start("agent", "A").start("chat"), "agent A"),
        (Story().start("workflow", "Flow").start("agent", "A").start("chat").start("tool", "t"), "tool t"),
        (
            Story().start("workflow", "Flow").start("agent", "A").start("chat").end("cancelled").end("cancelled"),
            "agent A",
        ),
        (Story().start("workflow", "Flow").end(), None),
    ],
)
def test_a_cancelled_run_is_placed_at_what_a_user_wrote(story: Story, innermost: str | None) -> None:
    """The place is the innermost open node that has a name: an agent, not its chat."""
    tree = RunTree()
    for event in story.events:
        tree.add(event)
    assert innermost == tree.cancelled_at


def test_no_dollars_are_told_where_no_price_is_known() -> None:
    """A replayed call costs nothing, which is no price for the one that was asked."""
    story = Story().start("workflow", "Flow")
    story.start("chat").end(cost_usd=0.0, replayed=True, saved_tokens=4)
    story.start("chat").end(prompt_tokens=10, completion_tokens=2).end()
    tree = RunTree()
    for event in story.events:
        tree.add(event)
    assert ["  1 model call, 12 tokens", "  1 model call replayed, 4 tokens saved"] == [
        text_of(line) for line in spending_lines(tree.spending)
    ]
