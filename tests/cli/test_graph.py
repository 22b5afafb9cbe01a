"""`thena graph`: what it draws, in every format."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.big_flow import SOURCE
from tests.cli.flow_project import edit, write_project
from tests.cli.thena_process import thena
from thena_cli.pictures.mermaid import draw_mermaid
from thena_cli.pictures.svg import draw_svg
from thena_cli.pictures.tree import draw_tree
from thena_contract.graph import Edge, Graph, Node, graph_of
from thena_lint.index.project import ProjectIndex
from thena_lint.link.assemblies import link

TREE = """\
workflow Big  state=Draft
├─ agent Writer  prompt=./writer.agent.md, provider=ScriptedProvider
├─ loop  until=lambda, max_iterations=3, max_fails=off
│  ├─ parallel
│  │  ├─ agent Researcher  prompt=inline, provider=ScriptedProvider
│  │  │  └─ tool search  Search the <web> & "more".
│  │  └─ agent Critic  prompt=inline, provider=ScriptedProvider
│  │     └─ tool search  Search the <web> & "more".
│  └─ agent Writer  prompt=./writer.agent.md, provider=ScriptedProvider
└─ workflow Publish

workflow Publish
└─ agent Writer  prompt=./writer.agent.md, provider=ScriptedProvider
"""

MERMAID = """\
flowchart TD
  subgraph n0["workflow Big: state=Draft"]
    direction TB
    n1["Writer"]
    subgraph n2["loop: until=lambda, max_iterations=3"]
      direction TB
      subgraph n3["parallel"]
        direction LR
        n4["Researcher"]
        n5["Critic"]
      end
      n6["Writer"]
    end
    n7[["nested Publish"]]
  end
  subgraph n8["workflow Publish"]
    direction TB
    n9["Writer"]
  end
  n10(["search"])
  n1 --> n2
  n4 -.-> n10
  n5 -.-> n10
  n3 --> n6
  n2 --> n7
  n7 ==> n8
"""


@pytest.fixture
def big(tmp_path: Path) -> Path:
    """The folder with the file of the workflow `Big`."""
    (tmp_path / "big.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "writer.agent.md").write_text("Write.\n", encoding="utf-8")
    return tmp_path


def graph_in(stdout: str) -> Graph:
    """The graph in the answer of `thena graph -f json`."""
    told = json.loads(stdout)
    return Graph(tuple(Node(**node) for node in told["nodes"]), tuple(Edge(**edge) for edge in told["edges"]))


def test_a_workflow_is_drawn_as_a_tree(big: Path) -> None:
    """Steps, what ends a loop, branches, tools, and the nested workflow below; nothing is run."""
    done = thena("graph", "big", cwd=big)
    assert (TREE, "", 0) == (done.stdout, done.stderr, done.returncode)


def test_a_workflow_is_drawn_in_the_format_of_a_files_name(big: Path) -> None:
    """A Mermaid flowchart goes into the file, and nothing to standard output."""
    done = thena("graph", "big", "-o", "big.mmd", cwd=big)
    assert ("", "", 0) == (done.stdout, done.stderr, done.returncode)
    assert MERMAID == (big / "big.mmd").read_text(encoding="utf-8")


def test_json_has_all_that_the_other_formats_are_drawn_from(big: Path) -> None:
    """The other pictures can be made of its nodes and edges; the linter's reader sees the very same graph."""
    graph = graph_in(thena("graph", "big", "--format", "json", cwd=big).stdout)
    linked = link(ProjectIndex.load([big]))
    read = [one.assembly for one in linked if one.assembly.workflow is not None]
    read.sort(key=lambda assembly: assembly.workflow is not None and assembly.workflow.ref.name)
    assert (TREE, MERMAID) == (draw_tree(graph), draw_mermaid(graph))
    assert draw_tree(graph) == draw_tree(graph_of(read))


def test_an_svg_shows_every_name_inside_the_picture(big: Path) -> None:
    """It is well-formed, and every text and box lies within what is seen."""
    graph = graph_in(thena("graph", "big", "-f", "json", cwd=big).stdout)
    root = ElementTree.fromstring(draw_svg(graph))
    width, height = (float(root.attrib[name]) for name in ("width", "height"))
    space = "{http://www.w3.org/2000/svg}"
    texts = ["".join(text.itertext()) for text in root.iter(f"{space}text")]
    assert [] == [node.name for node in graph.nodes if not any(node.name in text for text in texts)]
    assert 'Search the <web> & "more".' in [title.text for title in root.iter(f"{space}title")]
    for box in root.iter(f"{space}rect"):
        x, y, w, h = (float(box.attrib[name]) for name in ("x", "y", "width", "height"))
        assert 0 <= x and 0 <= y and x + w <= width and y + h <= height


def test_names_that_would_break_a_picture_are_spelt(tmp_path: Path) -> None:
    """A tool may have any name: quotes, brackets and orders to a terminal stay text."""
    graph = Graph((Node(id="w", kind="workflow", name='A"<b>'), Node(id="s", kind="agent", name="x]", parent="w")), ())
    assert '  subgraph n0["workflow A#quot;#lt;b#gt;"]' in draw_mermaid(graph).splitlines()
    assert 'A"<b>' in [text.text for text in ElementTree.fromstring(draw_svg(graph)).iter() if text.text]


def test_a_workflow_at_fault_is_not_drawn(tmp_path: Path) -> None:
    """The faults are told as `thena check` tells them, and the exit code is 1."""
    flow = write_project(tmp_path)
    edit(flow / "workflow.py", "    state=FlowState,\n", "")
    done = thena("graph", "flow", cwd=tmp_path)
    assert ("", 1) == (done.stdout, done.returncode)
    assert "✗ start-up  2 faults\n" == done.stderr[-len("✗ start-up  2 faults\n") :]


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("big.png", "the name `big.png` says no format. Add `--format`, or end it with one of: .txt, .mmd, "),
        ("nowhere/big.svg", "`nowhere/big.svg` can't be written: No such file or directory. "),
    ],
)
def test_a_file_that_cant_be_written_is_a_usage_error(big: Path, output: str, told: str) -> None:
    """It is told in a sentence, with exit code 2."""
    done = thena("graph", "big", "-o", output, cwd=big)
    assert ("", 2, True) == (done.stdout, done.returncode, done.stderr.startswith(f"thena: {told}"))
