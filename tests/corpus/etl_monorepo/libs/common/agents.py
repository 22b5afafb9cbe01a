from libs.common.state import JobState
from thena_runtime import Agent, Prompt, ScriptedProvider, State


class Counting:
    """A mixin: what each step of a job does when its model has answered."""

    def __init__(self, job: State[JobState]) -> None:
        self.job = job

    def after_response(self, response: str) -> None:
        self.job.rows += len(response)


@Agent(provider=ScriptedProvider(["rows"]), prompt=Prompt("Extract."))
class Extract(Counting): ...
