"""What the models say, written while they say it.

One who speaks alone is written piece by piece. Where several speak at the same time, each line is written when it is
whole, and says whose it is. Left out on purpose: thinking and calls of tools, which a reader of an answer doesn't miss.
"""

from typing import TextIO

from thena_cli.dev import lines
from thena_cli.dev.messages import Spoken
from thena_runtime.observability.console import printable
from thena_runtime.observability.events import Event


class Speech:
    """The text of a run on its way to a stream: each turn begins a line. Owned by the command that runs it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._turn = 0
        self._said = ""
        self._is_inside_line = False
        # The model calls that go on, by the ids of their nodes.
        self._calls: set[str] = set()
        # Who speaks beside others, with the part of a line that is there so far.
        self._beside: dict[int, tuple[str, str]] = {}

    @property
    def is_shared(self) -> bool:
        """Whether several speak at the same time, so that each line is held until it is whole."""
        return len(self._calls) > 1 or bool(self._beside)

    def note(self, event: Event) -> None:
        """Hear that a model call begins or ends."""
        if event.kind != "chat":
            return
        if event.phase == "start":
            self._calls.add(event.id)
        else:
            self._calls.discard(event.id)
        if not self._calls:
            self.break_line()

    def hear(self, spoken: Spoken) -> None:
        """Write a piece of text, or keep it until its line is whole."""
        if spoken.kind != "text" or not spoken.text:
            return
        if self.is_shared:
            self._hear_beside(spoken)
            return
        if spoken.turn != self._turn:
            self.break_line()
            self._turn, self._said = spoken.turn, ""
        self._said += spoken.text
        self._write(spoken.text)
        self._is_inside_line = not spoken.text.endswith("\n")

    def break_line(self) -> None:
        """End the lines that were begun."""
        if self._is_inside_line:
            self._write("\n")
            self._is_inside_line = False
        beside, self._beside = self._beside, {}
        self._write("".join(f"{agent}: {rest}\n" for agent, rest in beside.values() if rest))

    def end(self, output: object) -> None:
        """Write the output of the run, unless it is what was said last."""
        self.break_line()
        told = lines.output_lines(output)
        if told and told != lines.output_lines(self._said):
            self._write("".join(f"{line}\n" for line in told))

    def _hear_beside(self, spoken: Spoken) -> None:
        if self._is_inside_line:
            self._write("\n")
            self._is_inside_line = False
        agent, rest = self._beside.get(spoken.turn, (printable(spoken.agent), ""))
        *whole, rest = (rest + spoken.text).split("\n")
        self._beside[spoken.turn] = (agent, rest)
        self._write("".join(f"{agent}: {line}\n" for line in whole))

    def _write(self, text: str) -> None:
        if text:
            encoding = self._stream.encoding or "utf-8"
            self._stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
            self._stream.flush()
