"""What agents and tools do with their state, by every way that leads to it."""

from dataclasses import dataclass
from typing import Annotated, Optional

from state import Draft, HandsItselfOn, Open, Sheet, Tight
from thena_runtime import Agent, Prompt, ScriptedProvider, State, Tool, state

MODEL = ScriptedProvider(["fine"])
TheSheet = State[Sheet]


@Tool(name="note", description="Take a note.")
class Note:
    def execute(self, text: str, s: State[Draft], t: Annotated[Draft, state()], u: "State[Draft]") -> str:
        s.add(text)
        s.approved, t.approvd = True, False  # error: THN602
        u.text = text
        u.texts = text  # error: THN602
        return f"{s.rounds} {s.round}"  # error: THN602


@Tool(name="tell", description="Tell.")
class Tell:
    def execute(self, s: Optional[State[Sheet]] = None) -> str:
        if s is None:
            return ""
        s.lines += ["x"]
        s.line += ["x"]  # error: THN602
        del s.heading  # error: THN602
        return s.__class__.__name__ + s.__doc__


@Agent(provider=MODEL, prompt=Prompt("Review."), tools=[Note])
class Reviewer:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s
        self.other = Sheet()

    def before_prompt(self, prompt: str) -> None:
        self.s.inherited += 1
        self.s.made_at_start.append(prompt)
        print(self.s.one, self.s.two, self.s.rest, self.s.last, self.s.count, self.s.is_done)
        self.other.anything = 1
        self.s.told_to_checkers = self.s.told_as_well()
        self.s.told_to_nobody = 1  # error: THN602
        try:
            print(self.s.perhaps)
        except (KeyError, AttributeError):
            print(self.s.perhaps_not)  # error: THN602
        self.s.not_there.append(prompt)  # error: THN602

    async def after_response(self, response: str) -> None:
        own = self.s
        own.aproved = True  # error: THN602
        s = Sheet()
        s.whatever = 1
        for own_too in [self.s]:
            own_too.nothing = 1
        (lambda: self.s.rouns)()  # error: THN602
        self.s.words = 3


@Agent(provider=MODEL, prompt=Prompt("Sort."))
@dataclass
class Sorter:
    s: TheSheet
    count: int = 0

    def after_response(self, response: str) -> None:
        self.s.is_ready = True
        self.s.is_redy = True  # error: THN602


class Base:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s

    def after_response(self, response: str) -> None:
        self.s.approved_by = response  # error: THN602


@Agent(provider=MODEL, prompt=Prompt("Check."))
class Checker(Base):
    pass


@Agent(provider=MODEL, prompt=Prompt("Check."))
class Quiet(Base):
    def after_response(self, response: str) -> None:
        self.s.approved = True


@Agent(provider=MODEL, prompt=Prompt("Free."))
class Free:
    def __init__(self, s: State[Open]) -> None:
        self.s = s

    def after_response(self, response: str) -> None:
        self.s.anything = 1


@Agent(provider=MODEL, prompt=Prompt("Full."))
class Full:
    def __init__(self, s: State[HandsItselfOn]) -> None:
        self.s = s

    def after_response(self, response: str) -> None:
        self.s.extra += 1


@Agent(provider=MODEL, prompt=Prompt("Tight."))
class Small:
    def __init__(self, s: State[Tight]) -> None:
        self.s = s

    def after_response(self, response: str) -> None:
        self.s.tilte = response  # error: THN602


@Agent(provider=MODEL, prompt=Prompt("Swap."))
class Swaps:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s

    def after_response(self, response: str) -> None:
        self.s = Sheet()
        self.s.what_it_likes = 1


@Agent(provider=MODEL, prompt=Prompt("By name."))
class ByName:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s

    def after_response(self, response: str) -> None:
        setattr(self.s, "by_name", response)
        print(self.s.by_name)
