"""The workflow: review until every file has been read and the reviewer has answered, then write the report."""

from review.agents import Editor, Reviewer
from review.state import ReviewState
from thena_runtime import Context, Thena, Workflow, loop, until_answered


def reviewed(ctx: Context, s: ReviewState) -> bool:
    """The reviewer has answered, and no file is left unread."""
    return until_answered(ctx) and not s.unread()


@Workflow(
    state=ReviewState,
    steps=[
        loop([Reviewer], until=reviewed, max_iterations=50),
        Editor,
    ],
)
class Review:
    """Reviews a folder of source files."""


app = Thena(Review)
