"""Review a diff: three reviewers at once, then one who decides."""

import asyncio

from models import ReviewState, Verdict
from reviewers import PerformanceReviewer, SecurityReviewer, StyleReviewer

from thena_runtime import Agent, Context, Prompt, ScriptedProvider, State, Thena, Workflow, parallel


@Agent(
    provider=ScriptedProvider(['{"approved": false, "remarks": []}']),
    prompt=Prompt("Decide whether the change may be merged."),
    output=Verdict,
)
class Chief:
    def __init__(self, review: State[ReviewState]):
        self.review = review

    def before_prompt(self, prompt: str) -> str:
        lines = [f"- {one.file}:{one.line} {one.text}" for one in self.review.remarks]
        return "\n".join([prompt, "", "Remarks:", *lines])

    def after_response(self, response: str, ctx: Context) -> None:
        self.review.verdict = Verdict.model_validate_json(response)


REVIEWERS = [SecurityReviewer, PerformanceReviewer, StyleReviewer]


@Workflow(state=ReviewState, steps=[parallel(REVIEWERS), Chief])
class CodeReview: ...


app = Thena(CodeReview, output=Verdict)


async def main() -> None:
    async with app:
        verdict = await app.run("diff --git a/auth.py b/auth.py")
    assert isinstance(verdict, Verdict)
    print("merge" if verdict.approved else "mend first")


if __name__ == "__main__":
    asyncio.run(main())
