"""The graph as a tree for a terminal: a line a node, what is inside it below."""

from collections.abc import Iterator

from thena_contract.graph import Graph, Node


def draw_tree(graph: Graph) -> str:
    """Every workflow with its steps and their tools, nested workflows after the one that was asked for."""
    return "\n".join("".join(f"{line}\n" for line in _lines(graph, node)) for node in graph.workflows)


def _lines(graph: Graph, node: Node) -> Iterator[str]:
    yield _line(node)
    below = (*graph.inside(node), *graph.tools(node))
    for number, child in enumerate(below, start=1):
        is_last = number == len(below)
        first, *rest = _lines(graph, child)
        yield f"{'└─ ' if is_last else '├─ '}{first}"
        yield from (f"{'   ' if is_last else '│  '}{line}" for line in rest)


def _line(node: Node) -> str:
    name = "" if node.kind in ("loop", "parallel") else f" {node.name}"
    kind = "workflow" if node.kind == "nested" else node.kind
    details = ", ".join(detail(name, value) for name, value in node.details.items())
    return f"{kind}{name}  {details}".rstrip()


def detail(name: str, value: str) -> str:
    """`until=done`; a description is itself."""
    return value if name == "description" else f"{name}={value}"
