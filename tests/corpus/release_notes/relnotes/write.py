from __future__ import annotations

from typing import TYPE_CHECKING

from relnotes._types import Notes
from relnotes.collect import GitLog
from thena_runtime import Agent, Prompt, ScriptedProvider, State, Thena, Workflow, loop, tool_call

if TYPE_CHECKING:
    from thena_runtime import Context, Message


def _write(messages: tuple[Message, ...]) -> str:
    return "## 1.0\n" + messages[-1].content


@Agent(
    provider=ScriptedProvider([tool_call("git_log", since="v0.9"), _write]),
    prompt=Prompt("Write release notes."),
    tools=[GitLog],
)
class Scribe:
    def __init__(self, notes: State[Notes]) -> None:
        self.notes = notes

    def after_response(self, response: str, ctx: Context) -> None:
        self.notes.markdown = response


@Agent(provider=ScriptedProvider(["LGTM"]), prompt=Prompt("Review the notes; answer LGTM."))
class Critic:
    def __init__(self, notes: State[Notes]) -> None:
        self.notes = notes

    def after_response(self, response: str) -> None:
        self.notes.reviewed = response == "LGTM"


def is_written(ctx: Context, notes: Notes) -> bool:
    return notes.markdown.startswith("##")


def is_reviewed(ctx: Context, notes: Notes, *, strict: bool = True) -> bool:
    return notes.reviewed


@Workflow(
    state=Notes,
    steps=[
        loop(
            [loop([Scribe], until=is_written, max_iterations=5), Critic],
            until=is_reviewed,
            max_iterations=2,
        ),
    ],
)
class ReleaseNotes:
    """Write and review in turns."""


if __name__ == "__main__":
    print(Thena(ReleaseNotes).run_sync("Notes for 1.0"))
