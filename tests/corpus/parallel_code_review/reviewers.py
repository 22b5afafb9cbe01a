"""Three reviewers with one base class, each with an eye for something else."""

import json
import logging

from models import Remark, ReviewState

from thena_runtime import Agent, Context, Prompt, ScriptedProvider, State

log = logging.getLogger(__name__)


def _says(*remarks: tuple[str, int, str]) -> ScriptedProvider:
    return ScriptedProvider([json.dumps([{"file": f, "line": n, "text": t} for f, n, t in remarks])])


class Reviewer:
    """Base of all reviewers: keeps what they remark in the shared state."""

    topic = "anything"

    def __init__(self, review: State[ReviewState]) -> None:
        self.review = review

    def before_prompt(self, prompt: str, ctx: Context) -> str:
        return f"{prompt}\nLook only for problems of {self.topic}."

    def after_response(self, response: str) -> None:
        found = [Remark.model_validate(each) for each in json.loads(response)]
        log.debug("%s found %d problems", type(self).__name__, len(found))
        self.review.remarks = [*self.review.remarks, *found]


BASE = Prompt("You review a diff. Answer with a JSON list of remarks.")


@Agent(provider=_says(("auth.py", 3, "the token is logged")), prompt=BASE)
class SecurityReviewer(Reviewer):
    topic = "security"


@Agent(provider=_says(("db.py", 40, "N+1 query"), ("db.py", 55, "no index")), prompt=BASE)
class PerformanceReviewer(Reviewer):
    topic = "performance"


@Agent(provider=_says(), prompt=BASE, sampling={"temperature": 0.1})
class StyleReviewer(Reviewer):
    topic = "style"
