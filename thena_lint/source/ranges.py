"""Where the nodes of a tree stand in its text: the positions of libcst's `PositionProvider`, in half of the time.

libcst finds them by writing the tree out again. That is done here too, with less around it: nothing of the text is
kept, and what is written is searched for a line's end only where it may have one.
"""

from types import TracebackType

import libcst
from libcst.metadata.position_provider import PositionProvidingCodegenState

Position = tuple[int, int]
"""A line from 1 and a column from 0."""

Ranges = dict[int, tuple[Position, Position]]
"""Where each node starts and ends, by its `id`. It lives no longer than the tree."""


def ranges_of(tree: libcst.Module) -> Ranges:
    """The range of each node of a tree.

    Raises:
        RecursionError: if it is too deep to be walked.
    """
    writer = _Writer(tree)
    # The only way to write a tree out is one that libcst keeps for itself.
    tree._codegen(writer)
    return writer.ranges


class _Writer(PositionProvidingCodegenState):
    """What a tree is written to. It lives as long as that takes."""

    def __init__(self, tree: libcst.Module) -> None:
        # A tree of which nothing was written is given a line of its own.
        super().__init__(tree.default_indent, tree.default_newline, provider=None, tokens=[""])  # type: ignore[arg-type]
        self.ranges: Ranges = {}
        self._starts: list[Position] = []

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.column += len(token)

    def add_token(self, value: str) -> None:
        if "\n" in value or "\r" in value:
            self._update_position(value)
        else:
            self.column += len(value)

    def before_codegen(self, node: libcst.CSTNode) -> None:
        self._starts.append((self.line, self.column))

    def after_codegen(self, node: libcst.CSTNode) -> None:
        start = self._starts.pop()
        # What a node is without the whitespace around it was recorded on the way.
        self.ranges.setdefault(id(node), (start, (self.line, self.column)))

    def record_syntactic_position(  # type: ignore[override]
        self,
        node: libcst.CSTNode,
        *,
        start_node: libcst.CSTNode | None = None,
        end_node: libcst.CSTNode | None = None,
    ) -> "_Recording":
        return _Recording(self, node, start_node, end_node)


class _Recording:
    """The writing of a node without the whitespace around it, which may begin and end with nodes inside it."""

    __slots__ = ("_end", "_node", "_start", "_start_node", "_writer")

    def __init__(
        self, writer: _Writer, node: libcst.CSTNode, start: libcst.CSTNode | None, end: libcst.CSTNode | None
    ) -> None:
        self._writer, self._node, self._start_node, self._end = writer, node, start, end

    def __enter__(self) -> None:
        self._start = (self._writer.line, self._writer.column)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        writer, ranges = self._writer, self._writer.ranges
        start = self._start if self._start_node is None else ranges[id(self._start_node)][0]
        end = (writer.line, writer.column) if self._end is None else ranges[id(self._end)][1]
        ranges[id(self._node)] = (start, end)
