from pathlib import Path

from base import (
    Abstract,
    Diamond,
    Draft,
    Fields,
    KeywordOnly,
    NotGenerated,
    OwnConstructor,
    Right,
    Sentinel,
)
from thena_runtime import Agent, Context, Input, Prompt, ScriptedProvider, State, Tool, Workflow, loop, parallel

MODEL = ScriptedProvider(["done"])


def plain(text: str, ctx: Context, s: State[Draft] = None, *more: int) -> str:  # error: THN404
    """A function as a tool."""
    return text


@Tool(name="one", description="Inherits both.")
class One(Right, Abstract[str]):
    pass


@Tool(name="two", description="Static and with all that there is.")
class Two:
    @staticmethod
    def execute(text: str, /, whole: Input[Draft], *, s: State[Draft]) -> str:  # error: THN207, THN401
        return text


@Tool(name="three", description="Abstract execute.")
class Three(Abstract[int]):  # error: THN115
    def __init__(self) -> None:
        self.three = 3


TWO = Two()


@Agent(provider=MODEL, prompt="gone.agent.md", tools=[One, TWO, Two(), Three, plain])  # error: THN105, THN108
class A(Diamond):
    pass


@Agent(provider=MODEL, prompt=Path("./gone/too.agent.md"), tools=())  # error: THN105
class B(Fields):
    pass


@Agent(provider=MODEL, prompt=Prompt("C"))
class C(KeywordOnly):
    pass


@Agent(provider=MODEL, prompt=Prompt("D"))
class D(Sentinel):
    pass


@Agent(provider=MODEL, prompt=Prompt("E"))
class E(NotGenerated):
    pass


@Agent(provider=MODEL, prompt=Prompt("F"))
class F(OwnConstructor):
    pass


@Agent(provider=MODEL)
class G:  # error: THN104
    pass


@Workflow(steps=[G])
class Inner:
    pass


@Workflow(
    state=Draft,
    steps=[
        A,
        *(B, C),
        loop([D, parallel([E, F])], until=lambda ctx, s, *, more=1: s.approved),
        loop(steps=[A], until=A.missing if hasattr(A, "missing") else (lambda ctx: True)),
        Inner,
        plain,  # error: THN101
    ],
)
class Flow:
    pass
