"""What the models say, written while they say it.

Left out on purpose: thinking and calls of tools, which a reader of an answer doesn't miss.
"""

from typing import TextIO

from thena_cli.dev import lines
from thena_cli.dev.messages import Spoken


class Speech:
    """The text of a run on its way to a stream: each turn begins a line. Owned by the command that runs it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._turn = 0
        self._said = ""
        self._is_inside_line = False

    def hear(self, spoken: Spoken) -> None:
        """Write a piece of text."""
        if spoken.kind != "text" or not spoken.text:
            return
        if spoken.turn != self._turn:
            self.break_line()
            self._turn, self._said = spoken.turn, ""
        self._said += spoken.text
        self._write(spoken.text)
        self._is_inside_line = not spoken.text.endswith("\n")

    def break_line(self) -> None:
        """End the line that was begun."""
        if self._is_inside_line:
            self._write("\n")
            self._is_inside_line = False

    def end(self, output: object) -> None:
        """Write the output of the run, unless it is what was said last."""
        self.break_line()
        told = lines.output_lines(output)
        if told and told != lines.output_lines(self._said):
            self._write("".join(f"{line}\n" for line in told))

    def _write(self, text: str) -> None:
        encoding = self._stream.encoding or "utf-8"
        self._stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        self._stream.flush()
