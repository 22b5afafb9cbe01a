"""How far `thena dev` looks: to what the target imports, wherever that is, and no further."""

from pathlib import Path

import pytest

from tests.cli.flow_project import FILES, edit, write_project
from tests.cli.thena_process import DevSession, thena, timeless

RESTING = "Ctrl-C to leave"


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    """A package whose agents are in a package beside it, and whose prompt is a file of another name."""
    flow = write_project(tmp_path)
    common = tmp_path / "common"
    common.mkdir()
    (common / "__init__.py").write_text("", encoding="utf-8")
    (flow / "agents.py").rename(common / "agents.py")
    (flow / "writer.agent.md").unlink()
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "critic.md").write_text("Write a note.\n", encoding="utf-8")
    edit(common / "agents.py", "./writer.agent.md", "../prompts/critic.md")
    edit(flow / "workflow.py", "flow.agents", "common.agents")
    return flow


def test_a_save_in_a_package_beside_runs_again(flow: Path, tmp_path: Path) -> None:
    """It is imported, so it is watched, and what is judged is what is on disk."""
    with DevSession("flow", cwd=tmp_path) as session:
        session.until(RESTING)
        edit(tmp_path / "common/agents.py", "self.s = s", "self.s = s  # x")
        assert "▸ saved  common/agents.py" in session.until("answer one")
        session.until(RESTING)
        edit(tmp_path / "common/agents.py", "prompt=", "output=type, prompt=")
        shown = session.until(RESTING)
        assert "common/agents.py:8:1: start-up" in "\n".join(shown)


def test_a_fault_in_a_package_beside_keeps_from_running(flow: Path, tmp_path: Path) -> None:
    """It is shown by the check, and mending it there runs again."""
    edit(flow / "workflow.py", "    state=FlowState,\n", "")
    with DevSession("flow", cwd=tmp_path) as session:
        shown = session.until(RESTING)
        assert [] != [line for line in shown if line.startswith("common/agents.py:9:24: THN201")]
        edit(flow / "tools.py", ", s: State[FlowState]", "")
        edit(flow / "tools.py", "        s.notes.append(text)\n", "")
        edit(tmp_path / "common/agents.py", "s: State[FlowState]", "")
        edit(tmp_path / "common/agents.py", "self.s = s", "pass")
        session.until("answer one")


@pytest.mark.parametrize("lint", ["error", "off"])
def test_a_save_of_a_prompt_of_any_name_runs_again(flow: Path, tmp_path: Path, lint: str) -> None:
    """What an agent takes its prompt from is part of the workflow, wherever it is."""
    with DevSession("flow", f"--lint={lint}", cwd=tmp_path) as session:
        session.until(RESTING)
        edit(tmp_path / "prompts/critic.md", "a note", "two notes")
        assert "▸ saved  prompts/critic.md" in session.until("answer one: Write two notes.")


def test_a_prompt_that_is_deleted_is_a_fault_and_its_return_runs_again(flow: Path, tmp_path: Path) -> None:
    """Nothing but the prompt need change."""
    prompt = tmp_path / "prompts/critic.md"
    with DevSession("flow", cwd=tmp_path) as session:
        session.until(RESTING)
        prompt.unlink()
        assert [] != [line for line in session.until(RESTING) if "THN105" in line]
        prompt.write_text("Write it again.\n", encoding="utf-8")
        session.until("answer one: Write it again.")


def test_an_import_that_is_added_meanwhile_is_followed(flow: Path, tmp_path: Path) -> None:
    """From then on saves there count too, and so do those of a module in no package, imported inside a function."""
    (tmp_path / "words.py").write_text("WORD = 'answer one'\n", encoding="utf-8")
    (tmp_path / "extra").mkdir()
    (tmp_path / "extra/__init__.py").write_text("from words import WORD\n", encoding="utf-8")
    with DevSession("flow", cwd=tmp_path) as session:
        session.until(RESTING)
        edit(flow / "models.py", 'return "answer one: "', 'from extra import WORD\n        return WORD + ": "')
        session.until("answer one")
        session.until(RESTING)
        edit(tmp_path / "words.py", "one", "two")
        session.until("answer two")


def test_only_what_the_target_imports_keeps_it_from_running(tmp_path: Path) -> None:
    """The faults of other files are counted, and shown by `thena-lint`."""
    flow = write_project(tmp_path)
    # Its workflow makes the shared agent and tool faulty, but for itself alone.
    draft = FILES["flow/workflow.py"].replace("    state=FlowState,\n", "").replace("app = Thena(Flow)", "")
    (flow / "old_draft.py").write_text(draft, encoding="utf-8")
    (flow / "broken.py").write_text("from thena_runtime import (\n", encoding="utf-8")
    done = thena("dev", "flow/workflow.py", "--once", cwd=tmp_path)
    assert "✓ lint  8 files, no faults, 3 in files that aren't imported  <t>" == timeless(done.stdout).splitlines()[0]
    assert ("answer one: Write a note." in done.stdout, "THN" in done.stdout, done.returncode) == (True, False, 0)


def test_a_fault_of_a_file_that_is_imported_keeps_it_from_running(tmp_path: Path) -> None:
    """A file that doesn't parse too, although nothing else is known of it."""
    flow = write_project(tmp_path)
    (flow / "broken.py").write_text("from thena_runtime import (\n", encoding="utf-8")
    edit(flow / "agents.py", "from flow.models", "import flow.broken\nfrom flow.models")
    done = thena("dev", "flow/workflow.py", "--once", cwd=tmp_path)
    assert (True, 1) == ("flow/broken.py:1:" in done.stdout, done.returncode)


def test_an_app_that_is_taken_away_meanwhile_gives_way_to_the_workflow(tmp_path: Path) -> None:
    """The name was nobody's wish."""
    flow = write_project(tmp_path)
    with DevSession("flow", cwd=tmp_path) as session:
        session.until(RESTING)
        edit(flow / "workflow.py", "app = Thena(Flow)\n", "")
        session.until("answer one")
