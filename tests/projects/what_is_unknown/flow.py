import random
import sys
from functools import partial
from operator import attrgetter

from somewhere import Alias, base, decorate, external_until, make
from thena_runtime import Agent, Prompt, ScriptedProvider, State, Tool, Workflow, loop

OPTIONS = {"state": dict}


class Draft:
    approved = False


if sys.version_info >= (3, 12):
    from typing import Annotated as Rebound
else:
    Rebound = State


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Work."))
class Worker:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("An alias that can't be read."))
class Foreign:
    def __init__(self, s: Alias, t: Rebound[Draft]) -> None:
        self.s = s


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("A constructor that can't be read."))
class Inheriting(base.Base):
    pass


@decorate
class Decorated:
    pass


@decorate
@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Perhaps something else by now."))
class Wrapped:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s


class Meta(type):
    def __init__(cls, *args) -> None:
        Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Declared by a metaclass."))(cls)


class Made(metaclass=Meta):
    pass


@Workflow(**OPTIONS, steps=[Worker])
class StateSpread:
    pass


@Workflow(steps=[Worker], state=Draft if random.random() > 0.5 else None)
class StateByChance:
    pass


CHANGED = [Worker]
CHANGED.reverse()
AGAIN = 3
AGAIN = Worker if random.random() > 2 else 4


@decorate
def until_decorated(ctx, s) -> bool:
    return True


@Workflow(
    steps=[
        Foreign,
        Inheriting,
        Decorated,
        Wrapped,
        Made,
        make(),
        AGAIN,
        [Worker][0],
        *[Draft for _ in range(2)],
        *CHANGED,
        loop([Foreign], until=external_until),
        loop([Foreign], until=until_decorated),
        loop([Foreign], until=attrgetter("approved")),
        loop([Foreign], until=partial(external_until, 1)),
        loop([Foreign], **OPTIONS),
        loop(*CHANGED),
    ]
)
class Flow:
    pass
