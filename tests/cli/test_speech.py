"""What models say on its way to a stream."""

import io

from tests.cli.test_tree import Story
from thena_cli.dev.messages import Spoken
from thena_cli.dev.speech import Speech


def piece(text: str, turn: int = 1, agent: str = "Writer", kind: str = "text") -> Spoken:
    return Spoken(text=text, kind=kind, agent=agent, turn=turn)


def test_one_who_speaks_alone_is_written_piece_by_piece() -> None:
    """Each turn begins a line; calls of tools and thinking, with or without text, write nothing."""
    stream = io.StringIO()
    speech = Speech(stream)
    for spoken in (piece("Hel"), piece("hm", kind="thinking"), piece("lo"), piece("", kind="tool_call")):
        speech.hear(spoken)
    assert "Hello" == stream.getvalue()
    speech.hear(piece("{}", turn=2, kind="tool_call"))
    speech.hear(piece("Bye", turn=3))
    speech.end("Bye")
    assert "Hello\nBye\n" == stream.getvalue()


def test_those_who_speak_at_the_same_time_are_written_line_by_line() -> None:
    """Each line says whose it is, and what is left when the calls are over is written too."""
    stream = io.StringIO()
    speech = Speech(stream)
    story = Story().start("parallel").start("chat").start("chat")
    for event in story.events:
        speech.note(event)
    for text in ("one ", "two\n", "three"):
        speech.hear(piece(text, turn=1, agent="A"))
        speech.hear(piece(text.upper(), turn=2, agent="B"))
    assert "A: one two\nB: ONE TWO\n" == stream.getvalue()
    for event in story.end().end().events[-2:]:
        speech.note(event)
    assert "A: one two\nB: ONE TWO\nA: three\nB: THREE\n" == stream.getvalue()
    speech.hear(piece("alone", turn=3))
    assert stream.getvalue().endswith("\nalone")


def test_one_who_is_joined_by_another_keeps_what_was_said() -> None:
    """The line that was begun is ended where it stands."""
    stream = io.StringIO()
    speech = Speech(stream)
    story = Story().start("parallel").start("chat")
    for event in story.events:
        speech.note(event)
    speech.hear(piece("one ", turn=1, agent="A"))
    speech.note(story.start("chat").events[-1])
    speech.hear(piece("uno", turn=2, agent="B"))
    speech.hear(piece("two\n", turn=1, agent="A"))
    assert "one \nA: two\n" == stream.getvalue()
