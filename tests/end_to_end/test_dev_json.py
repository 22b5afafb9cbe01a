"""`thena dev --json`: a session for programs."""

import json
from pathlib import Path

from tests.cli.flow_project import edit, write_project
from tests.cli.thena_process import DevSession


def test_everything_that_happens_is_an_object_of_a_line(tmp_path: Path) -> None:
    """Verdicts with their diagnostics, saves with their ways, events, and how a run ended."""
    flow = write_project(tmp_path)
    with DevSession("flow", "--json", cwd=tmp_path) as session:
        rows = [json.loads(line) for line in session.until('"resting"')]
        kinds = [row["type"] for row in rows if row["type"] != "event"]
        assert ["lint", "started", "ended", "resting"] == kinds
        assert ("finished", "answer one: Write a note.") == (rows[-2]["outcome"], rows[-2]["output"])
        assert ("workflow", "start") == (rows[2]["event"]["kind"], rows[2]["event"]["phase"])

        edit(flow / "tools.py", ", s: State[FlowState]", ", s: State[str]")
        rows = [json.loads(line) for line in session.until('"resting"')]
        assert ["saved", "touched", "lint", "refused", "resting"] == [row["type"] for row in rows]
        way = ["flow/tools.py", "flow/agents.py", "flow/workflow.py"]
        assert [{"path": "flow/tools.py", "part": "code", "way": way}] == rows[1]["files"]
        diagnostics = rows[2]["diagnostics"]
        assert ("flow/tools.py", False) == (diagnostics[0]["path"], rows[4]["is_clean"])


def test_once_answers_with_the_exit_code_of_any_other_session(tmp_path: Path) -> None:
    """0 for a run that came to its end."""
    write_project(tmp_path)
    with DevSession("flow", "--json", "--once", cwd=tmp_path) as session:
        assert "ended" == json.loads(session.rest()[-1])["type"]
        assert 0 == session.end()
