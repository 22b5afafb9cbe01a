"""A small project to run and to edit: a workflow of one agent with a tool, a state and a prompt in a file."""

from pathlib import Path

FILES = {
    "flow/__init__.py": "",
    "flow/state.py": """\
class FlowState:
    notes: list[str] = []
""",
    "flow/tools.py": """\
from flow.state import FlowState
from thena_runtime import State, Tool


@Tool(name="note", description="Keep a note.")
class Note:
    def execute(self, text: str, s: State[FlowState]) -> str:
        s.notes.append(text)
        return "kept"
""",
    "flow/models.py": """\
from collections.abc import Sequence

from thena_runtime import FunctionCall, Message, ScriptedProvider, tool_call


def answer(messages: Sequence[Message]) -> str | FunctionCall:
    if messages[-1].role == "tool":
        return "answer one: " + messages[0].content.strip()
    return tool_call("note", text="a")


def model() -> ScriptedProvider:
    return ScriptedProvider([answer], delay=0.0)
""",
    "flow/agents.py": """\
from flow.models import model
from flow.state import FlowState
from flow.tools import Note
from thena_runtime import Agent, State


@Agent(provider=model, prompt="./writer.agent.md", tools=[Note])
class Writer:
    def __init__(self, s: State[FlowState]) -> None:
        self.s = s
""",
    "flow/writer.agent.md": "Write a note.\n",
    "flow/workflow.py": """\
from flow.agents import Writer
from flow.state import FlowState
from thena_runtime import Thena, Workflow, loop, until_answered


@Workflow(
    state=FlowState,
    steps=[loop([Writer], until=until_answered, max_iterations=5)],
)
class Flow:
    pass


app = Thena(Flow)
""",
}


def write_project(folder: Path) -> Path:
    """Write the project under `folder`; return the folder of its package."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "flow"


def edit(path: Path, old: str, new: str) -> None:
    """Replace a part of a file that must be there, the way an editor saves: written beside it and renamed."""
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{old!r} is not in {path}"
    beside = path.with_name(f".{path.name}.tmp")
    beside.write_text(text.replace(old, new), encoding="utf-8")
    beside.rename(path)
