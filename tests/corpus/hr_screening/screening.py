"""Screen applications. Long forms of the markers, arguments as a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Optional

from pydantic import BaseModel, Field

from thena_runtime import Agent, Context, Input, Prompt, ScriptedProvider, Thena, Tool, Workflow, context, loop, state
from thena_runtime import input as arguments
from thena_runtime import tool_call, until_answered


@dataclass
class Application:
    name: str = ""
    scores: dict[str, int] = field(default_factory=dict)


class Score(BaseModel):
    """What the model fills in."""

    criterion: str = Field(description="what is judged")
    points: int = Field(ge=0, le=10)
    reason: Optional[str] = None


@dataclass
class Rejection:
    reason: str
    polite: bool = True


@Tool(name="score", description="Give points for a criterion.")
class GivePoints:
    def execute(
        self,
        args: Annotated[Score, arguments()],
        ctx: Annotated[Context, context()],
        application: Annotated[Application, state()],
    ) -> str:
        application.scores[args.criterion] = args.points
        ctx.meta(points=args.points)
        return "noted"


@Tool(name="reject", description="Write a rejection.")
class Reject:
    async def execute(self, rejection: Input[Rejection], application: Annotated[Application, state]) -> str:
        return f"Dear {application.name or 'applicant'}, {rejection.reason}"


@Agent(
    provider=ScriptedProvider(
        [
            tool_call("score", criterion="python", points=7),
            tool_call("score", criterion="python", points=99),
            tool_call("reject", reason="no"),
            "Rejected.",
        ]
    ),
    prompt=Prompt("Screen the application."),
    tools=[GivePoints, Reject],
)
class Recruiter:
    def __init__(self, application: Annotated[Application, state()]) -> None:
        self.application = application


@Workflow(state=Application, steps=[loop([Recruiter], until=until_answered, max_fails=3)])
class Screening:
    pass


if __name__ == "__main__":
    app = Thena(Screening)
    print(app.run_sync("An application of Ann."))
