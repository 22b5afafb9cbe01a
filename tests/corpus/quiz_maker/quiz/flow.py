from pydantic import BaseModel

from quiz.data import Session
from thena_runtime import Agent, Context, Prompt, ScriptedProvider, State, Thena, Tool, Workflow, current_context, loop
from thena_runtime import tool_call, until_answered


class Question(BaseModel):
    text: str
    choices: list[str]
    answer: int


class Quiz(BaseModel):
    title: str
    questions: list[Question]


class Progress:
    levels_seen: set[int] = set()


@Tool(name="past_questions", description="Questions that were asked before.")
class PastQuestions:
    def execute(self, ctx: Context[Session], progress: State[Progress]) -> list[str]:
        progress.levels_seen.add(ctx.data.level)
        return _asked_before()


def _asked_before() -> list[str]:
    session = current_context(Session).data
    return [f"{session.user} was asked for the capital of France"]


QUIZ = Quiz(title="Capitals", questions=[Question(text="Italy?", choices=["Rome", "Milan"], answer=0)])


@Agent(
    provider=ScriptedProvider([tool_call("past_questions"), QUIZ.model_dump_json()]),
    prompt=Prompt("Make a quiz."),
    tools=[PastQuestions],
    output=Quiz,
)
class Maker:
    def before_prompt(self, prompt: str, ctx: Context[Session]) -> str:
        return f"{prompt} Level {ctx.data.level}."


@Workflow(state=Progress, steps=[loop([Maker], until=until_answered, max_iterations=5)])
class MakeQuiz: ...


app = Thena(MakeQuiz, output=Quiz, data=Session)
