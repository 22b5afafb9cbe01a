"""What may never be reached is not judged; what is read certainly exists."""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from thena_runtime import Agent, Context, Prompt, ScriptedProvider, State, Thena, Tool, Workflow, loop


class Draft:
    approved = False


class Base:
    def __init__(self) -> None:
        pass


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Its constructor is for another system."))
class Elsewhere(Base):
    if sys.platform == "nowhere":

        def __init__(self, s: State[Draft]) -> None:
            self.s = s


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Its constructor is for type checkers."))
class Checked:
    if TYPE_CHECKING:

        def __init__(self, s: State[Draft]) -> None:
            self.s = s


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Its constructor depends."))
class Either:
    if sys.platform == "nowhere":

        def __init__(self, s: State[Draft]) -> None:
            self.s = s
    else:

        def __init__(self) -> None:
            pass


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Its constructor is tried."))
class Tried:
    try:
        from nowhere import something

        def __init__(self, s: State[Draft]) -> None:
            self.s = s
    except ImportError:
        pass


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Its field is for another system."))
@dataclass
class Fielded:
    if sys.platform == "nowhere":
        s: State[Draft]


@Tool(name="note", description="Take a note.")
class Note:
    while sys.platform == "nowhere":

        def execute(self, s: State[Draft]) -> str:
            return ""

    else:

        def execute(self) -> str:
            return ""


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Has tools."), tools=[Note])
class Noter:
    pass


if sys.platform == "nowhere":

    @Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Never declared."))
    class Never:
        def __init__(self, ctx: Context) -> None:
            self.ctx = ctx

    @Workflow(steps=[3])
    class NeverFlow:
        pass


if TYPE_CHECKING:

    @Workflow(steps=[3])
    class CheckedFlow:
        pass


try:
    import nowhere

    @Workflow(steps=[3])
    class TriedFlow:
        pass

except ImportError as done:
    pass


def done(ctx) -> bool:
    return True


if sys.platform != "nowhere":

    @Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Read below, so it exists."))
    class Sure:
        def __init__(self, s: State[Draft]) -> None:  # error: THN201
            self.s = s


match sys.argv:
    case [*_, "another"]:
        another = 3
    case _:
        another = Elsewhere


@Workflow(steps=[Elsewhere, Checked, Either, Tried, Fielded, Noter, Sure, loop([Elsewhere], until=done), another])
class Flow:
    pass


app = Thena(Flow)
