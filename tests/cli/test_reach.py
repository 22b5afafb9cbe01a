"""What a saved file is to a run, and how that is shown."""

from pathlib import Path

import pytest

from thena_cli.dev.lines import text_of, touch_lines, unchanged_line
from thena_cli.dev.reach import Reach, Touch, touches

HERE = Path("/project")
FLOW, AGENTS, TOOLS = HERE / "flow.py", HERE / "agents.py", HERE / "tools.py"
PROMPT, DATA, DRAFT, SETTINGS = HERE / "w.agent.md", HERE / "d.json", HERE / "draft.py", HERE / "pyproject.toml"
REACH = Reach(
    target=FLOW,
    importers={FLOW: None, AGENTS: FLOW, TOOLS: AGENTS},
    prompts={PROMPT: AGENTS},
    used=frozenset({DATA}),
)


@pytest.mark.parametrize(
    ("path", "part", "shown"),
    [
        (FLOW, "code", []),
        (TOOLS, "code", ["  tools.py → agents.py → flow.py"]),
        (PROMPT, "prompt", ["  w.agent.md → agents.py → flow.py"]),
        (DATA, "data", ["  d.json → read by the run"]),
        (SETTINGS, "settings", ["  pyproject.toml → what the linter tells"]),
        (DRAFT, "none", ["  draft.py is no part of the run"]),
    ],
)
def test_the_way_from_a_saved_file_to_the_target_is_shown(path: Path, part: str, shown: list[str]) -> None:
    """Each file is imported by the next, a prompt belongs to the file of its agent."""
    (touch,) = touches(frozenset({path}), Reach(target=FLOW), REACH)
    assert part == touch.part
    assert shown == [text_of(line) for line in touch_lines([touch], HERE)]


def test_a_file_that_is_no_longer_imported_is_told_as_it_was() -> None:
    """Its deletion is what the run is about."""
    (touch,) = touches(frozenset({TOOLS}), REACH, Reach(target=FLOW))
    assert Touch(TOOLS, "code", (TOOLS, AGENTS, FLOW)) == touch


def test_many_ways_are_counted() -> None:
    """After a change of branches three are enough."""
    saved = touches(frozenset(HERE / f"{number}.py" for number in range(9)), REACH, REACH)
    assert "  and 6 more" == text_of(touch_lines(saved, HERE)[-1])


def test_why_nothing_is_run() -> None:
    """A file that means the same, and one that the run doesn't rest on, are told apart."""
    same = unchanged_line([Touch(TOOLS, "code")], keys=True)
    other = unchanged_line([Touch(DRAFT, "none"), Touch(SETTINGS, "settings")], keys=False)
    assert "· not run  no semantic change, r runs anyway" == text_of(same)
    assert "· not run  nothing that the run rests on was saved" == text_of(other)
