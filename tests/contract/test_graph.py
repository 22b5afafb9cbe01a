"""The graph of workflows: what is seen of them, and what isn't."""

from pathlib import Path

import pytest

from thena_contract.graph import Graph, graph_of
from thena_lint.index.project import ProjectIndex
from thena_lint.link.assemblies import link

HEAD = """\
from elsewhere import more, MORE
from thena_runtime import Agent, Prompt, ScriptedProvider, Tool, Workflow, loop, parallel


@Tool(name="a\\x1b[31m\\nb", description="Two\\nlines.")
class Odd:
    def execute(self, text: str) -> str:
        return text


@Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"), tools=[Odd])
class A: ...


@Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"), tools=MORE)
class B: ...


class Undecorated: ...
"""


def graph(folder: Path, steps: str) -> Graph:
    """The graph of a workflow with these steps, as the linter reads it."""
    (folder / "flow.py").write_text(f"{HEAD}\n\n@Workflow(steps={steps})\nclass Flow: ...\n", encoding="utf-8")
    linked = link(ProjectIndex.load([folder]))
    return graph_of(one.assembly for one in linked)


@pytest.mark.parametrize(
    ("steps", "nodes", "edges"),
    [
        ("[A, A]", ["workflow Flow", "agent A", "agent A", "tool a [31m b"], ["then", "uses", "uses"]),
        (
            "[parallel([A, A])]",
            ["workflow Flow", "parallel parallel", "agent A", "agent A", "tool a [31m b"],
            ["uses"] * 2,
        ),
        ("[B]", ["workflow Flow", "agent B", "unknown ?"], ["uses"]),
        ("[B, more()]", ["workflow Flow", "agent B", "unknown ?", "unknown ?"], ["then", "uses"]),
        ("[Undecorated]", ["workflow Flow", "unknown Undecorated"], []),
        ("[3]", ["workflow Flow", "unknown int"], []),
        ("3", ["workflow Flow"], []),
        ("MORE", ["workflow Flow", "unknown ?"], []),
        ("[Flow]", ["workflow Flow", "nested Flow"], ["starts"]),
        ("[loop([], until=more, max_iterations=None)]", ["workflow Flow", "loop loop"], []),
    ],
)
def test_a_graph_has_what_is_seen(tmp_path: Path, steps: str, nodes: list[str], edges: list[str]) -> None:
    """Each step is a node, a tool is one however often it is used, and what can't be seen is unknown, not left out."""
    drawn = graph(tmp_path, steps)
    assert nodes == [f"{node.kind} {node.name}" for node in drawn.nodes]
    assert edges == sorted(edge.kind for edge in drawn.edges)
    ids = [node.id for node in drawn.nodes]
    assert len(ids) == len(set(ids))
    assert set() == {end for edge in drawn.edges for end in (edge.source, edge.target)} - set(ids)
    assert set() == {node.parent for node in drawn.nodes} - {None, *ids}
