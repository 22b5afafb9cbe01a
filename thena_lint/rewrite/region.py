"""A top-level statement as fixes see it: its nodes, and which characters of the file each of them takes.

Changes are made in the text, at the places of nodes, so that everything else stays as it is written.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

import libcst

from thena_contract.frozen import frozen
from thena_lint.edit import Edit
from thena_lint.source.text import SourceText
from thena_lint.summary.spans import Nodes, Positions, positions_in

_NEWLINE: Final = re.compile(r"\r\n|\n|\r")
_BLANK: Final = re.compile(r"[ \t\f]*")

Node = TypeVar("Node", bound=libcst.CSTNode)


@frozen(slots=False)
class Region:
    """One top-level statement of a file, by its number."""

    source: SourceText
    statement: int

    @property
    def tree(self) -> libcst.CSTNode:
        """The statement itself."""
        return self._positions.statements[self.statement]

    @property
    def _positions(self) -> Positions:
        return positions_in(self.source)

    def start(self, node: libcst.CSTNode) -> int:
        """Where a node begins, its own brackets included."""
        brackets = node.lpar if isinstance(node, libcst.BaseExpression) else ()
        place = self._positions.place(self.statement, *(2 * [brackets[0] if brackets else node]))
        return self.source.offset(place.line, place.column)

    def end(self, node: libcst.CSTNode) -> int:
        """Where a node ends, its own brackets included; a parameter reaches to the end of its default."""
        if isinstance(node, libcst.Param):
            parts = (node.default, None if node.annotation is None else node.annotation.annotation, node.name)
            node = next(part for part in parts if part is not None)
        brackets = node.rpar if isinstance(node, libcst.BaseExpression) else ()
        place = self._positions.place(self.statement, *(2 * [brackets[-1] if brackets else node]))
        return self.source.offset(place.end_line, place.end_column)

    def bare_end(self, node: libcst.CSTNode) -> int:
        """Where a node ends, without brackets around it."""
        place = self._positions.place(self.statement, node, node)
        return self.source.offset(place.end_line, place.end_column)

    def written(self, node: libcst.CSTNode) -> str:
        """A node as it is written."""
        return self.source.text[self.start(node) : self.end(node)]

    def swap(self, node: libcst.CSTNode, text: str) -> Edit:
        """Something else in the place of a node."""
        return self.edit(self.start(node), self.end(node), text)

    def insert(self, at: int, text: str) -> Edit:
        """Something new at an offset."""
        return self.edit(at, at, text)

    def edit(self, start: int, end: int, text: str) -> Edit:
        """Other characters between two offsets; a line ends as the lines of the file do."""
        return Edit(self.source.path, start, end, text.replace("\n", newline_of(self.source.text)))

    def indentation(self, node: libcst.CSTNode) -> str:
        """The blanks with which the line of a node begins."""
        return indentation_at(self.source.text, self.start(node))

    def parent(self, wanted: libcst.CSTNode) -> libcst.CSTNode | None:
        """The node right around a node."""
        return next((node for node in self.nodes() if any(child is wanted for child in node.children)), None)

    def nodes(self) -> Iterator[libcst.CSTNode]:
        """Every node of the statement, outer ones first."""
        return nodes_in(self.tree)


def nodes_in(
    tree: libcst.CSTNode, *, enters: Callable[[libcst.CSTNode], bool] = lambda _: True
) -> Iterator[libcst.CSTNode]:
    """A node and everything inside it, as far as it is entered, in the order in which it is written."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if node is tree or enters(node):
            waiting += reversed(node.children)


def region_at(source: SourceText, line: int, column: int) -> tuple[Region, Nodes] | None:
    """The statement at a place, and the nodes there."""
    nodes = positions_in(source).nodes_at(line, column)
    return None if nodes is None else (Region(source, nodes.statement), nodes)


def newline_of(text: str) -> str:
    """How the lines of a text end: as the first of them does."""
    found = _NEWLINE.search(text)
    return "\n" if found is None else found[0]


def has_newline(text: str) -> bool:
    """Say whether a text goes over more than one line."""
    return _NEWLINE.search(text) is not None


def without_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """The whole lines to take out: with the empty ones below, where above is an empty one or a block begins."""
    start, end = lines_around(text, start, end)
    above = text[line_start(text, start - 1) : start].strip() if start else ""
    if not above or above.endswith(":"):
        while end < len(text) and not text[end : next_line(text, end)].strip():
            end = next_line(text, end)
    return start, end


def line_start(text: str, at: int) -> int:
    """The offset of the first character of a line."""
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def line_end(text: str, at: int) -> int:
    """The offset behind the last character of a line, before its end."""
    found = _NEWLINE.search(text, at)
    return len(text) if found is None else found.start()


def next_line(text: str, at: int) -> int:
    """The offset of the first character of the next line."""
    found = _NEWLINE.search(text, at)
    return len(text) if found is None else found.end()


def indentation_at(text: str, at: int) -> str:
    """The blanks with which a line begins."""
    found = _BLANK.match(text, line_start(text, at))
    return "" if found is None else found[0]


def is_alone(text: str, start: int, end: int) -> bool:
    """Say whether nothing but blanks, a comma and a comment stands on the lines beside some characters."""
    before = text[line_start(text, start) : start]
    after = text[end : line_end(text, end)].lstrip(" \t,")
    return not before.strip() and (not after or after.startswith("#"))


def lines_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The whole lines that some characters stand on, with the end of the last."""
    return line_start(text, start), next_line(text, end)
