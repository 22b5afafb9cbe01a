"""How far `thena dev` looks: to what the target imports, wherever that is, and no further."""

import time
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
        edit(tmp_path / "common/agents.py", "self.s = s", "self.s = self.t = s")
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


def test_only_what_the_run_rests_on_runs_again(tmp_path: Path) -> None:
    """Any other file is linted, and it is said that nothing is run, and of what is run by which way it is imported."""
    flow = write_project(tmp_path)
    with DevSession("flow", cwd=tmp_path) as session:
        session.until(RESTING)
        (flow / "draft.py").write_text("x = 1\n", encoding="utf-8")
        assert [
            "",
            "▸ saved  flow/draft.py",
            "  flow/draft.py is no part of the run",
            "✓ lint  7 files, no faults  <t>",
            "· not run  nothing that the run rests on was saved",
            "",
        ] == [timeless(line) for line in session.until(RESTING)[:-1]]
        edit(flow / "tools.py", "kept", "kept well")
        shown = session.until(RESTING)
        assert "  flow/tools.py → flow/agents.py → flow/workflow.py" in shown
        assert "answer one: Write a note." in shown


def test_what_means_the_same_is_not_run_again(tmp_path: Path) -> None:
    """Comments and layout of Python are nothing that runs; undoing them isn't either."""
    flow = write_project(tmp_path)
    with DevSession("flow", cwd=tmp_path) as session:
        session.until(RESTING)
        edit(flow / "models.py", "def model()", "# The model.\n\ndef model()")
        assert "· not run  no semantic change" in session.until(RESTING)
        edit(flow / "models.py", "# The model.\n\ndef model()", "def model()")
        assert "· not run  no semantic change" in session.until(RESTING)


def test_a_file_that_the_run_reads_runs_it_again(tmp_path: Path) -> None:
    """Whatever its name and however it is opened; one that isn't there yet counts, one that the run writes doesn't."""
    flow = write_project(tmp_path)
    edit(
        flow / "tools.py",
        "        s.notes.append(text)\n",
        "        from pathlib import Path\n"
        "        facts = Path('facts.json')\n"
        "        print('facts', facts.read_text() if facts.exists() else open('facts.json', 'a').close())\n"
        "        Path('out.txt').write_text(Path('extra.txt').read_text())\n"
        "        Path('out.txt').read_text()\n",
    )
    (tmp_path / "facts.json").write_text("one", encoding="utf-8")
    with DevSession("flow", cwd=tmp_path) as session:
        # Reading the missing `extra.txt` is the model's problem, and a reason to run again once it is there.
        session.until(RESTING)
        (tmp_path / "extra.txt").write_text("x", encoding="utf-8")
        assert "  extra.txt → read by the run" in session.until(RESTING)
        (tmp_path / "out.txt").write_text("y", encoding="utf-8")
        (tmp_path / "facts.json").write_text("two", encoding="utf-8")
        shown = session.until("facts two")
        assert ["", "▸ saved  facts.json", "  facts.json → read by the run"] == shown[:3]


def test_what_the_run_writes_itself_is_no_save(tmp_path: Path) -> None:
    """Neither a cache that it reads and fills, nor code that it generates beside its own."""
    flow = write_project(tmp_path)
    edit(
        flow / "tools.py",
        "        s.notes.append(text)\n",
        "        from pathlib import Path\n"
        "        cache = Path('cache.json')\n"
        "        try:\n"
        "            kept = cache.read_text()\n"
        "        except OSError:\n"
        "            kept = ''\n"
        "        cache.write_text(kept + 'x')\n"
        "        Path('flow/generated.py').write_text(f'KEPT = {kept!r}')\n",
    )
    with DevSession("flow", cwd=tmp_path) as session:
        session.until(RESTING)
        time.sleep(0.5)
        edit(flow / "models.py", "answer one", "answer two")
        assert ["", "▸ saved  flow/models.py"] == session.until("saved")
        session.until(RESTING)
        time.sleep(0.5)
        edit(flow / "models.py", "answer two", "answer six")
        assert ["", "▸ saved  flow/models.py"] == session.until("saved")
        assert "xx" == (tmp_path / "cache.json").read_text(encoding="utf-8")[:2]


def test_a_module_that_is_imported_by_a_name_put_together_counts(tmp_path: Path) -> None:
    """What no text shows the run tells."""
    flow = write_project(tmp_path)
    (flow / "words.py").write_text("WORD = 'answer one'\n", encoding="utf-8")
    edit(flow / "models.py", "from collections", "import importlib\nfrom collections")
    edit(flow / "models.py", 'return "answer one: "', 'return importlib.import_module("flow." + "words").WORD + ": "')
    with DevSession("flow", cwd=tmp_path) as session:
        session.until(RESTING)
        edit(flow / "words.py", "one", "two")
        session.until("answer two")


def test_settings_are_looked_at_again_when_they_are_saved(tmp_path: Path) -> None:
    """A fault that they make harmless no longer keeps the code from running; a change of nothing else runs nothing."""
    flow = write_project(tmp_path)
    edit(flow / "agents.py", "        self.s = s", "        self.s = s  # thena: ignore[THN999]")
    with DevSession("flow", cwd=tmp_path) as session:
        assert [] != [line for line in session.until(RESTING) if "THN903" in line]
        (tmp_path / "pyproject.toml").write_text('[tool.thena.lint]\nignore = ["THN903"]\n', encoding="utf-8")
        shown = session.until(RESTING)
        assert "  pyproject.toml → what the linter tells" in shown
        assert "· not run  nothing that the run rests on was saved" in shown


def test_faults_can_be_shown_and_run_all_the_same(tmp_path: Path) -> None:
    """`--lint=warn` tells what the linter alone finds, and keeps nothing from running."""
    flow = write_project(tmp_path)
    edit(flow / "tools.py", "        s.notes", "        s.nots")
    done = thena("dev", "flow", "--once", "--lint=warn", cwd=tmp_path)
    assert ("THN602" in done.stdout, "✓ workflow Flow" in done.stdout, done.returncode) == (True, True, 0)


def test_saves_are_seen_by_polling_and_after_a_longer_quiet(tmp_path: Path) -> None:
    """`--poll` needs nothing of the system, `--debounce` waits for whoever saves twice."""
    flow = write_project(tmp_path)
    with DevSession("flow", "--poll", "--debounce", "300", cwd=tmp_path) as session:
        session.until(RESTING)
        edit(flow / "models.py", "answer one", "answer two")
        edit(flow / "writer.agent.md", "a note", "notes")
        assert ["", "▸ saved  flow/models.py, flow/writer.agent.md"] == session.until("saved")
        session.until("answer two: Write notes.")
