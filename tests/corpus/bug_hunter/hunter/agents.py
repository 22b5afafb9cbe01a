import itertools
import logging

from thena_runtime import Agent, Context, LoopFailure, Prompt, ScriptedProvider, State, Tool, Usage, tool_call

logger = logging.getLogger("hunter")


class Hunt:
    suspects: list[str] = []
    tried: dict[str, bool] = {}
    culprit: str | None = None

    def __init__(self):
        self.counter = itertools.count(1)


class Base:
    """What all hunters share."""

    def __init__(self, hunt: State[Hunt]):
        self.hunt = hunt

    def on_error(self, error, ctx: Context):
        logger.warning("a hunter failed: %s", error)
        return "I failed."


@Tool(name="bisect", description="Try a commit.")
class Bisect:
    def execute(self, commit: str, hunt: State[Hunt]) -> bool:
        if not commit.isalnum():
            raise ValueError(f"no commit: {commit}")
        bad = commit == "c3"
        hunt.tried[commit] = bad
        if bad:
            hunt.culprit = commit
        return bad


@Agent(
    provider=ScriptedProvider(
        [tool_call("bisect", commit="--"), tool_call("bisect", commit="c1"), tool_call("bisect", commit="c3"), "c3"],
        usage=Usage(prompt_tokens=200, completion_tokens=20),
    ),
    prompt=Prompt("Find the commit that broke it."),
    tools=[Bisect],
)
class Hunter(Base):
    def before_prompt(self, prompt, ctx: Context):
        number = next(self.hunt.counter)
        return f"{prompt} (round {number})"


def tell_failure(ctx: Context, failure: LoopFailure) -> None:
    logger.info("%s failed: %s", failure.tool_name, failure.message)


async def give_up(ctx: Context, iterations: int) -> None:
    ctx.state.append("tasks", f"gave up after {iterations} rounds")
