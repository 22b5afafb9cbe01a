"""Site -> place: where a fact stands, worked out only for what is shown.

Facts hold no lines. A `Site` says how to walk to an expression from the statement that binds its owner, so it stays
right when lines move. Positions are computed for one top-level statement at a time: for a whole file they cost more
than everything else together.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Final, TypeVar

import libcst

from thena_contract.anchor import Place
from thena_contract.frozen import frozen
from thena_lint.source.parse import Piece, Problem, parse, pieces_of
from thena_lint.source.ranges import Position, Ranges, ranges_of
from thena_lint.source.text import SourceText
from thena_lint.summary.bodies import attribute_node, event_node
from thena_lint.summary.collect import Bound, binder_of, list_returned_by
from thena_lint.summary.expressions import parts

_REMEMBERED: Final = 16
_PIECES_REMEMBERED: Final = 256
_PLACES_REMEMBERED: Final = 4096

Node = TypeVar("Node", bound=libcst.CSTNode)


@frozen
class Inside:
    """Something in a body: the event of this number, or an attribute or argument of it, by its position."""

    event: int
    attribute: int | None = None
    argument: int | None = None


@frozen
class Site:
    """A part of the statement that binds `owner` in a file.

    `part` is empty for the name itself; otherwise `("decorator", i)`, `("base", i)`, `("value",)`, `("field",)`,
    `("return",)` or `("parameter", name)`. `down` are positions in `expressions.parts`, from there. With
    `whole_argument` the last of them, an argument of a call, is meant together with its keyword. With `inside`,
    something in the body of the function or lambda there is meant.
    """

    file: Path
    owner: str
    part: tuple[str | int, ...] = ()
    down: tuple[int, ...] = ()
    whole_argument: bool = False
    inside: Inside | None = None

    def at(self, *positions: int) -> "Site":
        """The site of a sub-expression."""
        return Site(self.file, self.owner, self.part, (*self.down, *positions), self.whole_argument, self.inside)

    def argument(self, position: int) -> "Site":
        """The site of an argument of a call, keyword included."""
        return Site(self.file, self.owner, self.part, (*self.down, position), True, self.inside)

    def doing(self, event: int, *, attribute: int | None = None, argument: int | None = None) -> "Site":
        """The site of an event in the body of the function or lambda that stands here."""
        return replace(self, inside=Inside(event, attribute, argument))


def place_of(source: SourceText, site: Site) -> Place:
    """Where a site is in this text. A site that isn't there any more gives its owner's place, or the file's start."""
    return _place_of(source.path, source.text, site)


def node_at(source: SourceText, site: Site) -> libcst.CSTNode | None:
    """The node of a site in this text; `None` where it isn't there any more."""
    if not isinstance(parse(source.text), libcst.Module):
        return None
    owner = positions_in(source).bound(site.owner)
    return None if owner is None else _node(owner.node, site)


@lru_cache(maxsize=_PLACES_REMEMBERED)
def _place_of(path: Path, text: str, site: Site) -> Place:
    source = SourceText(path, text)
    if not isinstance(parse(source.text), libcst.Module):
        return _start_of(source.path)
    positions = positions_in(source)
    owner = _owner(positions, site.owner)
    if owner is None:
        return _start_of(source.path)
    node = _inside(owner.node, site) or _node(owner.node, site) or _name(owner.node)
    return positions.place(owner.statement, node, _last(node))


def _start_of(path: Path) -> Place:
    return Place(str(path), 1, 1, 1, 1)


def _owner(positions: "Positions", qualname: str) -> Bound | None:
    """What binds the name, or the nearest name around it."""
    while (found := positions.bound(qualname)) is None and "." in qualname:
        qualname = qualname.rpartition(".")[0]
    return found


def _inside(owner: libcst.CSTNode, site: Site) -> libcst.CSTNode | None:
    """The node of something in a body."""
    function = _node(owner, site) if site.part else owner
    if site.inside is None or not isinstance(function, libcst.FunctionDef | libcst.Lambda):
        return None
    node = event_node(function, site.inside.event)
    match node, site.inside:
        case None, _:
            return None
        case libcst.Call(), Inside(argument=int(position)) if position < len(node.args):
            return node.args[position].value
        case _, Inside(attribute=int(position)):
            return attribute_node(node, position)
    return node


def _node(owner: libcst.CSTNode, site: Site) -> libcst.CSTNode | None:
    node = _part(owner, site.part)
    if node is None or not site.down:
        return node
    *way, last = site.down
    for position in way:
        node = _down(node, position)
        if node is None:
            return None
    if site.whole_argument and isinstance(node, libcst.Call):
        return node.args[last - 1] if 0 < last <= len(node.args) else None
    return _down(node, last)


def _down(node: libcst.CSTNode, position: int) -> libcst.CSTNode | None:
    inner = parts(node)
    return inner[position] if position < len(inner) else None


def _part(owner: libcst.CSTNode, part: tuple[str | int, ...]) -> libcst.CSTNode | None:
    match part, owner:
        case (), _:
            return _name(owner)
        case ("decorator", int(i)), libcst.ClassDef() | libcst.FunctionDef() if i < len(owner.decorators):
            return owner.decorators[i].decorator
        case ("base", int(i)), libcst.ClassDef() if i < len(owner.bases):
            return owner.bases[i].value
        case ("value",), libcst.Assign() | libcst.AnnAssign() | libcst.TypeAlias():
            return owner.value
        case ("field",), libcst.AnnAssign():
            return owner
        case ("return",), libcst.FunctionDef():
            return list_returned_by(owner)
        case ("parameter", str(name)), libcst.FunctionDef():
            return _parameter(owner.params, name)
    return None


def _parameter(params: libcst.Parameters, name: str) -> libcst.Param | None:
    stars = [one for one in (params.star_arg, params.star_kwarg) if isinstance(one, libcst.Param)]
    for one in (*params.posonly_params, *params.params, *params.kwonly_params, *stars):
        if one.name.value == name:
            return one
    return None


def _name(owner: libcst.CSTNode) -> libcst.CSTNode:
    match owner:
        case libcst.ClassDef() | libcst.FunctionDef() | libcst.TypeAlias():
            return owner.name
        case libcst.Assign(targets=[target, *_]):
            return target.target
        case libcst.AnnAssign():
            return owner.target
    return owner


def _last(node: libcst.CSTNode) -> libcst.CSTNode:
    """The node at whose end a range ends: a parameter's or field's reaches over its annotation."""
    match node:
        case libcst.ExceptHandler():
            return node.whitespace_before_colon if node.type is None else node.type
        case libcst.Param():
            return node.name if node.annotation is None else node.annotation
        case libcst.AnnAssign():
            return node.annotation
    return node


@frozen
class Nodes:
    """Tree nodes, each inside the one before it, and the number of the top-level statement that is the first."""

    statement: int
    path: tuple[libcst.CSTNode, ...]

    def last(self, kind: type[Node]) -> Node | None:
        """The innermost node of a kind."""
        return next((node for node in reversed(self.path) if isinstance(node, kind)), None)


def _around(node: libcst.CSTNode, at: Position, ranges: Ranges) -> Iterator[libcst.CSTNode]:
    """A node and its descendants around a position; one between two nodes belongs to the one that begins there."""
    yield node
    touching = None
    for child in node.children:
        if id(child) not in ranges or isinstance(child, libcst.BaseParenthesizableWhitespace):
            continue
        start, end = ranges[id(child)][0], ranges[id(_last(child))][1]
        if start <= at <= end:
            touching = child
            if at < end:
                break
    if touching is not None:
        yield from _around(touching, at, ranges)


@lru_cache(maxsize=_REMEMBERED)
def _positions(path: Path, text: str) -> "Positions":
    tree, pieces = parse(text), pieces_of(text)
    assert isinstance(tree, libcst.Module), "only a text that parses has positions"
    assert not isinstance(pieces, Problem), "only a text that parses has positions"
    return Positions(SourceText(path, text), tree, pieces)


def positions_in(source: SourceText) -> "Positions":
    """The positions of a text that parses, remembered."""
    return _positions(source.path, source.text)


@lru_cache(maxsize=_PIECES_REMEMBERED)
def _ranges(piece: Piece) -> Ranges:
    """The ranges of all nodes of a piece, its lines counted from its own first; none if it is too deep to be walked."""
    try:
        return ranges_of(piece.tree)
    except RecursionError:
        return {}


class Positions:
    """Places of the nodes of one tree. Remembers what it has worked out; nothing else about it changes.

    It keeps its tree, since the same text parsed again may have other nodes.
    """

    def __init__(self, source: SourceText, tree: libcst.Module, pieces: Sequence[tuple[int, Piece]]) -> None:
        self._source = source
        self._tree = tree
        self._bound = binder_of(tree)
        self._pieces = pieces
        self._homes = [home for home in pieces for _ in home[1].tree.body]
        self._has_feeds = "\f" in source.text

    def bound(self, qualname: str) -> Bound | None:
        """What binds a qualified name."""
        return self._bound(qualname)

    @property
    def statements(self) -> Sequence[libcst.CSTNode]:
        """The top-level statements."""
        return self._tree.body

    def place(self, statement: int, first: libcst.CSTNode, last: libcst.CSTNode) -> Place:
        """From where one node of a top-level statement starts to where another ends."""
        above, piece = self._homes[statement]
        ranges = _ranges(piece)
        if not ranges:
            return Place(str(self._source.path), above + 1, 1, above + 1, 1)
        (line, column), (end_line, end_column) = ranges[id(first)][0], ranges[id(last)][1]
        return Place(
            str(self._source.path),
            above + line,
            self._shift(above, piece, line) + column + 1,
            above + end_line,
            self._shift(above, piece, end_line) + end_column + 1,
        )

    def nodes_at(self, line: int, column: int) -> "Nodes | None":
        """The nodes around a position (from 1), the outermost first."""
        index = bisect_left(self._pieces, line, key=lambda piece: piece[0]) - 1
        if index < 0:
            return None
        above, piece = self._pieces[index]
        number = sum(len(earlier.tree.body) for _, earlier in self._pieces[:index])
        ranges = _ranges(piece)
        at = (line - above, column - 1 - self._shift(above, piece, line - above))
        for offset, statement in enumerate(piece.tree.body if ranges else ()):
            if at[0] <= ranges[id(statement)][1][0]:
                return Nodes(number + offset, tuple(_around(statement, at, ranges)))
        return None

    def _shift(self, above: int, piece: Piece, line: int) -> int:
        """How many form feeds stand before a line's first character, which the tree doesn't keep."""
        if not self._has_feeds:
            return 0
        at = above + line - 1
        text = self._source.lines[at] if at < len(self._source.lines) else ""
        if not text.startswith("\f"):
            return 0
        kept = SourceText(self._source.path, piece.tree.code).lines[line - 1]
        return len(text) - len(kept)
