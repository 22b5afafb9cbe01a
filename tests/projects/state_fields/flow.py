"""One workflow for each question."""

from agents import ByName, Checker, Free, Full, Quiet, Reviewer, Small, Sorter, Swaps, Tell
from loops import (
    always,
    always_as_well,
    depends,
    forgets_to_return,
    is_still_open,
    raises,
    reads_nothing_written,
    stops_itself,
)
from state import Draft, HandsItselfOn, Longer, Open, Sheet, Tight
from thena_runtime import Agent, Prompt, ScriptedProvider, State, Thena, Workflow, loop, until_answered

MODEL = ScriptedProvider(["fine"])


def use_of_another(agent, response):
    vars(agent.s).update(given=True)


class Marks:
    seen = False
    given = False
    spare = False
    count = 0
    notes: list[str] = []

    def look(self) -> None:
        self.seen = True


@Agent(provider=MODEL, prompt=Prompt("Watch."))
class Watcher:
    def __init__(self, s: State[Marks]) -> None:
        self.s = s

    def after_response(self, response: str) -> None:
        self.s.count += 1
        own = self.s
        print(own.notes, own.seen)


@Agent(provider=MODEL, prompt=Prompt("Look."))
class Looker:
    def __init__(self, s: State[Marks]) -> None:
        self.s = s

    def after_response(self, response: str) -> None:
        self.s.look()


@Agent(provider=MODEL, prompt=Prompt("Hand over."))
class Shared:
    def __init__(self, s: State[Marks]) -> None:
        self.s = s

    after_response = use_of_another


@Agent(provider=MODEL, prompt=Prompt("Below."))
class Below(Shared):
    pass


@Workflow(state=Marks, steps=[loop([Below], until=lambda ctx, s: s.given)])
class MayShare:
    pass


@Agent(provider=MODEL, prompt=Prompt("Pass it on."))
class Passer:
    def __init__(self, s: State[Marks]) -> None:
        self.s = s

    def after_response(self, response: str) -> None:
        use(self.s)


def use(state: object) -> None:
    pass


@Workflow(
    state=Marks,
    steps=[
        loop([Watcher], until=lambda ctx, s: s.given),  # error: THN307
        loop([Watcher], until=lambda ctx, s: s.given or not s.spare and s.given),  # error: THN307
        loop([Watcher], until=lambda ctx, s: s.given and ctx.turn is not None),  # error: THN307
        loop([Watcher], until=lambda ctx, s: s.given or ctx.turn is not None),
        loop([Watcher], until=lambda ctx, s: s.count > 3),
        loop([Watcher], until=lambda ctx, s: len(s.notes) > 3),
        loop([Watcher], until=lambda ctx, s: not s.given),  # error: THN308
        loop([Watcher], until=lambda ctx, s: s.missing),  # error: THN602
        loop([Watcher], until=lambda ctx, s=None: s.given),  # error: THN307
        loop([Watcher], until=lambda ctx, s: s.seen),
    ],
)
class Watched:
    pass


def some(state: Marks) -> bool:
    return bool(state.notes)


@Workflow(state=Marks, steps=[loop([Watcher], until=lambda ctx, s: s.given), loop([Looker], until=until_answered)])
class MayLook:
    pass


@Workflow(
    state=Marks,
    steps=[loop([Watcher], until=lambda ctx, s: s.given), loop([Watcher], until=lambda ctx, s: some(s))],
)
class MayAsk:
    pass


@Workflow(state=Marks, steps=[loop([Watcher], until=lambda ctx, s: s.given), Passer])
class MayPass:
    pass


@Workflow(
    state=Draft,
    steps=[
        loop([Reviewer], until=lambda ctx, s: s.approved),
        loop([Reviewer], until=forgets_to_return),  # error: THN307
        loop([Reviewer], until=stops_itself),
        loop([Reviewer], until=raises),
        loop([Reviewer], until=is_still_open),
        loop([Reviewer], until=lambda ctx: False, max_iterations=3),
        loop([Reviewer], until=lambda ctx: True),  # error: THN308
        loop([Reviewer], until=always),  # error: THN308
        loop([Reviewer], until=depends),
        loop([Reviewer], until=always_as_well),  # error: THN308
        loop([Reviewer], until=lambda *_: ctx_is_over()),
        Checker,
        Quiet,
        Swaps,
        ByName,
    ],
)
class Drafts:
    pass


def ctx_is_over() -> bool:
    return True


@Workflow(state=Longer, steps=[Reviewer])
class Longers:
    pass


@Agent(provider=MODEL, prompt=Prompt("Tell."), tools=[Tell])
class Teller:
    pass


@Workflow(state=Sheet, steps=[Sorter, loop([Teller], until=reads_nothing_written)])
class Sheets:
    pass


@Workflow(state=Open, steps=[Free])
class Opens:
    pass


@Workflow(state=HandsItselfOn, steps=[Full])
class Fulls:
    pass


@Workflow(state=Tight, steps=[Small])
class Tights:
    pass


app = Thena(Drafts)
