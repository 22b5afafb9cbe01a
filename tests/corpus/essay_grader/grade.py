from functools import partial

from grader.criteria import Encourager, Logic, Style
from grader.rubric import Essay
from thena_runtime import Context, Thena, Workflow, loop, parallel, until_answered

until_graded = partial(loop, until=until_answered, max_iterations=4)


def has_feedback(count: int, ctx: Context, essay: Essay) -> bool:
    return len(essay.feedback) >= count


@Workflow(
    state=Essay,
    steps=[
        loop(
            [parallel([until_graded([Style]), until_graded([Logic])])],
            until=partial(has_feedback, 2),
            max_iterations=2,
        ),
        Encourager,
    ],
)
class Grading: ...


if __name__ == "__main__":
    app = Thena(Grading)
    app.run_sync("An essay about bees.")
