"""The graph as an SVG picture: nested boxes, steps from top to bottom, branches side by side, tools inside agents.

It needs no other file and follows a dark page. Widths are those of a font whose letters are equally wide, so that no
text has to be measured.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape

from thena_cli.pictures.tree import detail
from thena_contract.frozen import frozen
from thena_contract.graph import Graph, Node

_LETTER: Final = 7.3
_LINE: Final = 18
_PAD: Final = 14
_GAP: Final = 26
_BETWEEN: Final = 18
_LONGEST: Final = 48

_STYLE: Final = """\
text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1f2328}
.name{font-weight:bold}.quiet{fill:#636c76}
rect{fill:#fff;stroke:#8c959f;rx:6px}
.workflow{fill:#f6f8fa}.loop{stroke:#8250df;stroke-dasharray:5 3;fill:none}.parallel{stroke:#0969da;fill:none}
.agent{stroke:#1a7f37}.tool{fill:#ddf4ff;stroke:none}.unknown{stroke-dasharray:2 3}.nested{stroke:#bc4c00}
.arrow{stroke:#636c76;fill:none;marker-end:url(#end)}.again{stroke:#8250df;fill:none;marker-end:url(#end)}
marker path{fill:#636c76}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#9198a1}rect{fill:#0d1117}.workflow{fill:#151b23}
.loop,.parallel{fill:none}.tool{fill:#0c2d4d}}
"""

_ARROW_HEAD: Final = (
    '<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0 8 4 0 8z"/></marker></defs>'
)

Draw = Callable[[float, float], Iterator[str]]


@frozen
class _Piece:
    """A part of the picture: how large it is, and how it is drawn with its upper left corner at a point."""

    width: float
    height: float
    draw: Draw


def draw_svg(graph: Graph) -> str:
    """Every workflow as a box, the one that was asked for first."""
    whole = _row([_boxed(graph, node) for node in graph.workflows])
    width, height = whole.width + 2 * _PAD, whole.height + 2 * _PAD
    title = escape(f"workflow {graph.workflows[0].name}", {'"': "&quot;"})
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{title}">',
        f"<title>{title}</title>",
        f"<style>{_STYLE}</style>",
        _ARROW_HEAD,
        *whole.draw(_PAD, _PAD),
        "</svg>",
    ]
    return "".join(f"{line}\n" for line in lines)


def _boxed(graph: Graph, node: Node) -> _Piece:
    inside = [_boxed(graph, child) for child in graph.inside(node)]
    match node.kind:
        case "workflow":
            return _frame(node, [_title(node), *_below(inside)])
        case "loop":
            return _again(_frame(node, [_title(node), *_below(inside)]))
        case "parallel":
            return _frame(node, [_title(node), *([_row(inside)] if inside else [])])
        case _:
            tools = [_chip(tool) for tool in graph.tools(node)]
            return _frame(node, [_title(node), *tools])


def _below(steps: Sequence[_Piece]) -> list[_Piece]:
    return [_column(steps)] if steps else []


def _title(node: Node) -> _Piece:
    """The kind, the name and the details, a line each."""
    kind = "workflow" if node.kind == "nested" else node.kind
    is_named = node.kind not in ("loop", "parallel")
    told = [detail(name, value) for name, value in node.details.items() if name != "description"]
    head = f"{kind} {node.name}" if is_named else kind
    rows = [_cut(head), *map(_cut, told)]

    def draw(x: float, y: float) -> Iterator[str]:
        name = f' <tspan class="name">{escape(_cut(node.name))}</tspan>' if is_named else ""
        yield f'<text x="{x:.0f}" y="{y + 13:.0f}"><tspan class="quiet">{kind}</tspan>{name}</text>'
        for number, row in enumerate(rows[1:], start=1):
            yield f'<text class="quiet" x="{x:.0f}" y="{y + 13 + number * _LINE:.0f}">{escape(row)}</text>'

    return _Piece(max(map(len, rows)) * _LETTER, len(rows) * _LINE, draw)


def _chip(tool: Node) -> _Piece:
    text = _cut(f"{tool.kind} {tool.name}")
    width, height = len(text) * _LETTER + 16, _LINE + 4.0

    def draw(x: float, y: float) -> Iterator[str]:
        about = tool.details.get("description")
        told = f"<title>{escape(about)}</title>" if about else ""
        yield f'<g><rect class="tool" x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}"/>{told}'
        yield f'<text x="{x + 8:.0f}" y="{y + 15:.0f}">{escape(text)}</text></g>'

    return _Piece(width, height, draw)


def _frame(node: Node, parts: Sequence[_Piece]) -> _Piece:
    """A box around parts, one below the other."""
    width = max(part.width for part in parts) + 2 * _PAD
    height = sum(part.height for part in parts) + 6 * (len(parts) - 1) + 2 * _PAD

    def draw(x: float, y: float) -> Iterator[str]:
        yield (f'<rect class="{node.kind}" x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}"/>')
        top = y + _PAD
        for part in parts:
            yield from part.draw(x + _PAD, top)
            top += part.height + 6

    return _Piece(width, height, draw)


def _again(loop: _Piece) -> _Piece:
    """A loop with the way back beside it, from its lower to its upper end."""
    room = 22.0

    def draw(x: float, y: float) -> Iterator[str]:
        yield from loop.draw(x, y)
        right, low, high = x + loop.width, y + loop.height - 16, y + 16
        yield f'<path class="again" d="M{right:.0f} {low:.0f}h{room - 6:.0f}V{high:.0f}h-{room - 8:.0f}"/>'

    return _Piece(loop.width + room, loop.height, draw)


def _column(steps: Sequence[_Piece]) -> _Piece:
    """Steps one below the other, an arrow from each to the next."""

    def draw(x: float, y: float) -> Iterator[str]:
        for number, step in enumerate(steps):
            yield from step.draw(x, y)
            y += step.height
            if number < len(steps) - 1:
                yield f'<path class="arrow" d="M{x + 30:.0f} {y + 2:.0f}V{y + _GAP - 3:.0f}"/>'
            y += _GAP

    return _Piece(max(step.width for step in steps), sum(step.height for step in steps) + _GAP * (len(steps) - 1), draw)


def _row(pieces: Sequence[_Piece]) -> _Piece:
    """Pieces side by side."""

    def draw(x: float, y: float) -> Iterator[str]:
        for piece in pieces:
            yield from piece.draw(x, y)
            x += piece.width + _BETWEEN

    width = sum(piece.width for piece in pieces) + _BETWEEN * (len(pieces) - 1)
    return _Piece(width, max((piece.height for piece in pieces), default=0), draw)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
