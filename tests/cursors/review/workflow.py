from agents import Editor, Reviewer
from state import ReviewState
from thena_runtime import Context, Workflow, loop, parallel, until_answered


def approved(ctx: Context, s: ReviewState) -> bool:
    #             ^ hover  ^ hover
    return s.approved and ctx.turn is not None


@Workflow(
#^ hover
    state=ReviewState,
    #     ^ hover
    steps=[
        loop([Reviewer], until=approved, max_iterations=5),
        #     ^ hover    ^ hover ^ hover
        parallel([Editor, loop([Editor], until=until_answered)]),
        #                                      ^ hover
    ],
)
class Review:
    # ^ hover
    pass


@Workflow(steps=[Editor, loop([Review], until=lambda ctx: ctx.output == "done")])
#                ^ hover       ^ hover        ^ hover
class Outer:
    # ^ hover
    """Review, mentioned in a text."""
    #  ^ hover

    # Reviewer, mentioned in a comment.
    def run(self) -> object:
        return Reviewer
        #      ^ hover
