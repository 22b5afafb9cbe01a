"""A maths tutor with nothing but functions as tools."""
import asyncio
import fractions
import math
from typing import Annotated

from pydantic import Field
from thena_runtime import Agent, Context, Prompt, ScriptedProvider, State, Thena, Workflow, loop, tool_call, until_answered


class Lesson:
    mistakes = 0
    topics: set = set()


def gcd(a: int, b: int) -> int:
    """Greatest common divisor of two numbers."""
    return math.gcd(a, b)


def as_fraction(value: Annotated[float, Field(description="a decimal number")], max_denominator: int = 100) -> str:
    """Write a decimal number as a fraction."""
    return str(fractions.Fraction(value).limit_denominator(max_denominator))


async def note_mistake(topic: str, lesson: State[Lesson], ctx: Context) -> str:
    """Note that the pupil made a mistake.

    Args:
        topic: what it was about
    """
    lesson.mistakes += 1
    lesson.topics.add(topic)
    ctx.last_topic = topic
    return f"{lesson.mistakes} so far"


TOOLBOX = (gcd, as_fraction, note_mistake)


@Agent(
    provider=ScriptedProvider([
        tool_call("gcd", a=12, b=18),
        tool_call("as_fraction", value=0.25),
        tool_call("note_mistake", topic="fractions"),
        "Well done, but look at fractions again.",
    ]),
    prompt=Prompt("""You teach maths.
    Check each answer with a tool."""),
    tools=TOOLBOX,
    sampling={"temperature": 0, "max_tokens": 400},
)
class Tutor: ...


@Workflow(steps=[loop([Tutor], until=until_answered)], state=Lesson)
class MathLesson: ...


async def main():
    app = Thena(MathLesson)
    try:
        print(await app.run("What is 12/18?", state={"memory": ["The pupil is ten."], "tasks": []}))
    finally:
        await app.close()


if __name__ == "__main__":
    asyncio.run(main())
