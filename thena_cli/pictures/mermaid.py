"""The graph as a Mermaid flowchart, which many sites and editors draw inside Markdown."""

from collections.abc import Iterator, Mapping

from thena_cli.pictures.tree import detail
from thena_contract.graph import Edge, Graph, Node

_ESCAPED = str.maketrans({'"': "#quot;", "<": "#lt;", ">": "#gt;", "#": "#35;", "&": "#amp;"})
_TOLD = ("state", "until", "max_iterations")
_ARROWS = {"then": "-->", "uses": "-.->", "starts": "==>"}


def draw_mermaid(graph: Graph) -> str:
    """A box a step, a frame around what is inside a loop, dotted lines to tools and thick ones to nested workflows."""
    ids = {node.id: f"n{number}" for number, node in enumerate(graph.nodes)}
    lines = ["flowchart TD"]
    for workflow in graph.workflows:
        lines += [f"  {line}" for line in _lines(graph, workflow, ids)]
    lines += [f"  {ids[node.id]}{_shape(node)}" for node in graph.nodes if _is_tool(graph, node)]
    lines += [f"  {_edge(edge, ids)}" for edge in graph.edges]
    return "".join(f"{line}\n" for line in lines)


def _is_tool(graph: Graph, node: Node) -> bool:
    return node.parent is None and node.kind != "workflow"


def _lines(graph: Graph, node: Node, ids: Mapping[str, str]) -> Iterator[str]:
    inside = graph.inside(node)
    if not inside:
        yield f"{ids[node.id]}{_shape(node)}"
        return
    yield f'subgraph {ids[node.id]}["{_label(node)}"]'
    # Steps run downwards; branches stand side by side.
    yield f"  direction {'LR' if node.kind == 'parallel' else 'TB'}"
    for child in inside:
        yield from (f"  {line}" for line in _lines(graph, child, ids))
    yield "end"


def _shape(node: Node) -> str:
    label = _label(node)
    match node.kind:
        case "tool":
            return f'(["{label}"])'
        case "nested":
            return f'[["{label}"]]'
        case "unknown":
            return f'{{{{"{label}"}}}}'
        case _:
            return f'["{label}"]'


def _label(node: Node) -> str:
    name = f"{node.kind} {node.name}" if node.kind in ("workflow", "nested") else node.name
    told = ", ".join(detail(key, value) for key, value in node.details.items() if key in _TOLD)
    return (f"{name}: {told}" if told else name).translate(_ESCAPED)


def _edge(edge: Edge, ids: Mapping[str, str]) -> str:
    return f"{ids[edge.source]} {_ARROWS[edge.kind]} {ids[edge.target]}"
