"""The two agents of the review."""

from review.providers import editor_model, reviewer_model
from review.state import ReviewState
from review.tools import ListFiles, ReadFile
from thena_runtime import Agent, Context, State


@Agent(provider=reviewer_model, prompt="./reviewer.agent.md", tools=[ListFiles, ReadFile])
class Reviewer:
    """Reads the files one by one and says what is wrong with them."""

    def __init__(self, s: State[ReviewState]) -> None:
        self.s = s

    def before_prompt(self, prompt: str, ctx: Context) -> None:
        """Show the model which files are still to be read."""
        ctx.state.set("tasks", [f"read {path}" for path in self.s.unread()])


@Agent(provider=editor_model, prompt="./editor.agent.md")
class Editor:
    """Turns the reviewer's notes into a report."""

    def __init__(self, s: State[ReviewState]) -> None:
        self.s = s

    def after_response(self, response: str) -> None:
        """Keep the report where the caller finds it."""
        self.s.report = response
