import functools
import time
from typing import Any, Callable, TypeVar

from deploy.plan import Deployment, Env
from thena_runtime import Context, FatalToolError, State, Tool, ToolOutput

F = TypeVar("F", bound=Callable[..., Any])


def timed(function: F) -> F:
    """Log how long a tool takes."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        begin = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            print(function.__qualname__, time.perf_counter() - begin)

    return wrapper  # type: ignore[return-value]


@Tool(name="deploy", description="Deploy a version.")
class Deploy:
    @timed
    def execute(self, version: str, s: State[Deployment]) -> str:
        if s.env == Env.PRODUCTION and s.approved_by is None:
            raise FatalToolError("production without approval")
        s.done.append(version)
        return f"{version} is on {s.env}"


@Tool(name="health", description="Ask whether the service is healthy.", repeatable=True)
class Health:
    @timed
    def execute(self, ctx: Context) -> ToolOutput:
        tries = ctx.get("tries", 0)
        ctx.tries = tries + 1
        return ToolOutput("healthy") if tries else ToolOutput("starting")
