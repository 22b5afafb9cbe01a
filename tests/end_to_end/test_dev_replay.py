"""`thena dev` asks models only for what has changed since they last answered in this session."""

from pathlib import Path

import pytest

from tests.cli.flow_project import edit, write_project
from tests.cli.thena_process import DevSession, timeless

RESTING = "Ctrl-C to leave"

MODEL = '''

class Model:
    """A model whose calls cost something, and who says who it is."""

    identity = "model one"

    def __init__(self) -> None:
        self.script = ScriptedProvider([answer], usage=Usage(prompt_tokens=900, completion_tokens=100, cost_usd=0.01))

    async def complete(self, request):
        print("asked")
        return await self.script.complete(request)

    async def close(self):
        pass
'''


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    """A project whose model costs something."""
    flow = write_project(tmp_path)
    edit(flow / "models.py", "ScriptedProvider, tool_call", "ScriptedProvider, Usage, tool_call")
    edit(flow / "models.py", "\n\ndef model() -> ScriptedProvider:", MODEL + "\n\ndef model():")
    edit(flow / "models.py", "    return ScriptedProvider([answer], delay=0.0)", "    return Model()")
    return flow


def asked(shown: list[str]) -> int:
    """How often the model was asked."""
    return shown.count("asked")


def test_only_what_has_changed_is_asked_again(flow: Path, tmp_path: Path) -> None:
    """Up to the change nobody is asked, each call says that it was replayed, and the frame says what that saved."""
    with DevSession("flow", cwd=tmp_path) as session:
        first = session.until(RESTING)
        assert (2, True) == (asked(first), "  2 model calls, 2,000 tokens, $0.0200" in first)
        assert "      ✓ chat  <t>  1,000 tokens, $0.0100" in [timeless(line) for line in first]

        edit(flow / "tools.py", '"kept"', '"kept" if s.notes else "lost"')
        same = session.until(RESTING)
        assert (0, True) == (asked(same), "  2 model calls replayed, 2,000 tokens, $0.0200 saved" in same)
        assert 2 == len([line for line in same if line.endswith("replayed") and "✓ chat" in line])

        edit(flow / "tools.py", '"kept" if', '"kept well" if')
        changed = session.until(RESTING)
        assert 1 == asked(changed)
        assert [
            "  1 model call, 1,000 tokens, $0.0100",
            "  1 model call replayed, 1,000 tokens, $0.0100 saved",
        ] == changed[-5:-3]

        # Undone, it is what was answered before.
        edit(flow / "tools.py", '"kept well" if', '"kept" if')
        assert 0 == asked(session.until(RESTING))
        edit(flow / "models.py", "model one", "model two")
        assert 2 == asked(session.until(RESTING))


def test_a_run_that_was_cancelled_leaves_what_was_answered(flow: Path, tmp_path: Path) -> None:
    """What was paid for until then isn't paid for again."""
    edit(flow / "tools.py", "    def execute", "    async def execute")
    edit(
        flow / "tools.py",
        "        s.notes",
        "        import asyncio\n        await asyncio.sleep(300)\n        s.notes",
    )
    with DevSession("flow", cwd=tmp_path) as session:
        session.until("▸ tool note")
        edit(flow / "tools.py", "sleep(300)", "sleep(0)")
        assert "  1 model call replayed, 1,000 tokens, $0.0100 saved" in session.until(RESTING)


def test_without_replay_every_call_is_asked(flow: Path, tmp_path: Path) -> None:
    """`--no-replay` is for whoever wants to see the model anew each time."""
    with DevSession("flow", "--no-replay", cwd=tmp_path) as session:
        session.until(RESTING)
        edit(flow / "tools.py", '"kept"', '"kept" if s.notes else "lost"')
        shown = session.until(RESTING)
        assert (2, []) == (asked(shown), [line for line in shown if "replayed" in line])
