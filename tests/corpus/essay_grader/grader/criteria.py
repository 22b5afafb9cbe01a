from collections.abc import Sequence

from thena_runtime import Agent, Context, Message, Prompt, ScriptedProvider, Tool, tool_call

from . import rubric
from .rubric import Grade, MaybeEssay, TheEssay


@Tool(name="grade", description="Give a grade for a criterion.")
class GiveGrade:
    def execute(self, criterion: str, grade: Grade, essay: TheEssay, ctx: Context) -> str:
        essay.grades[criterion] = grade
        ctx.meta(criterion=criterion)
        return grade.name


def _feedback(messages: Sequence[Message]) -> str:
    return f"You got {messages[-1].content}."


class Criterion:
    """A base whose subclasses only name what they look at."""

    name: str

    def __init__(self, essay: rubric.TheEssay) -> None:
        self.essay = essay

    def __init_subclass__(cls, /, **options: object) -> None:
        super().__init_subclass__(**options)
        cls.name = cls.__name__.lower()

    def before_prompt(self, prompt: str) -> str:
        return prompt.format(name=self.name)

    def after_response(self, response: str) -> None:
        if self.essay.grades:
            self.essay.feedback.append(response)


COMMON = dict(prompt=Prompt("Judge the {name}."), tools=[GiveGrade])


@Agent(provider=ScriptedProvider([tool_call("grade", criterion="style", grade=1), _feedback]), **COMMON)
class Style(Criterion): ...


@Agent(provider=ScriptedProvider([tool_call("grade", criterion="logic", grade=2), _feedback]), **COMMON)
class Logic(Criterion): ...


@Agent(provider=ScriptedProvider(["Keep on writing!"]), prompt=Prompt("Encourage."))
class Encourager:
    def __init__(self, essay: MaybeEssay = None) -> None:
        self.essay = essay
