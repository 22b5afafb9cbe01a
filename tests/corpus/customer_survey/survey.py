from dataclasses import dataclass
from typing import NotRequired, TypedDict

from thena_runtime import Agent, Input, Prompt, ScriptedProvider, State, Thena, Tool, ToolResult, Workflow, loop, tool_call


class Answer(TypedDict):
    question: str
    stars: int
    comment: NotRequired[str]


@dataclass
class Survey:
    answers: int = 0
    stars: int = 0

    @property
    def average(self) -> float:
        return self.stars / self.answers if self.answers else 0.0


@Tool(name="record_answer", description="Record an answer.")
class RecordAnswer:
    def execute(self, answer: Input[Answer], survey: State[Survey]) -> str:
        survey.answers += 1
        survey.stars += answer["stars"]
        return f"average {survey.average:.1f}"


@Tool(
    name="export",
    description="Export the survey.",
    schema={"type": "object", "properties": {"format": {"type": "string", "enum": ["csv", "json"]}}},
)
class Export:
    async def execute(self, args: Input[dict], survey: State[Survey]) -> str:
        return f"{survey.answers} answers as {args.get('format', 'csv')}"


@Agent(
    provider=ScriptedProvider(
        [
            [
                tool_call("record_answer", question="Food?", stars=4),
                tool_call("record_answer", question="Staff?", stars=5, comment="nice"),
                tool_call("export", format="json"),
            ],
            "Thank you!",
        ]
    ),
    prompt=Prompt("Interview the customer."),
    tools=[RecordAnswer, Export],
    tool_calls="all",
)
class Interviewer:
    def after_tool(self, result: ToolResult) -> str:
        return f"[{result.name}] {result.output}"


@Workflow(state=Survey, steps=[loop([Interviewer], until=lambda ctx, s: s.answers >= 2, max_iterations=4, state=Survey)])
class CustomerSurvey: ...


app = Thena(CustomerSurvey, None)

if __name__ == "__main__":
    print(app.run_sync("Hi, I'd like to tell you how it was."))
