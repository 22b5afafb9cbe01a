"""What was changed in place is no longer what it was written as."""

import steps
from steps import APPENDED, KEPT, Settings
from thena_runtime import Agent, Prompt, ScriptedProvider, State, Thena, Workflow, loop, parallel


class Draft:
    approved = False


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Work."))
class Worker:
    pass


POPPED = [Worker, 3]
last = POPPED.pop()

ALIASED = [3]
ALIAS = ALIASED
ALIAS[0] = Worker

PASSED = [3]
steps.repair(PASSED, Worker)

SORTED_BY_ALIAS = [3]
OTHER, THIRD = SORTED_BY_ALIAS, 4
OTHER[0] = Worker

HELD = [3]
HOLDER = {"steps": HELD}
HOLDER["steps"][0] = Worker

IN_A_FUNCTION = [3]
IN_A_LAMBDA = [3]
IN_A_DEFAULT = [3]
BY_WALRUS = 3
BY_GLOBAL = 3
BY_NAMESPACE = 3
LOOPED = [3]
DELETED = [Worker, 3]


def repair(into=IN_A_DEFAULT):
    global BY_GLOBAL
    IN_A_FUNCTION[0] = Worker
    into[0] = Worker
    BY_GLOBAL = Worker


repair()
(lambda: IN_A_LAMBDA.__setitem__(0, Worker))()
print((BY_WALRUS := Worker))

for LOOPED[0] in [Worker]:
    pass

del DELETED[1]
APPENDED.append(Worker)
steps.SHARED.clear()
Settings.STEPS.clear()


class Setup:
    INNER = [3]
    INNER.clear()
    KEPT_INNER = [Worker]
    ALIASED.reverse()


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Its constructor is set from outside."))
class Patched:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s


setattr(Patched, "__init__", lambda self: None)


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Its constructor is set by a function."))
class PatchedLater:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Its constructor is set by a function that says so."))
class PatchedByName:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s


def patch():
    PatchedLater.__init__ = lambda self: None
    setattr(PatchedByName, "__init__", lambda self: None)


patch()


class Registry:
    def __init_subclass__(cls) -> None:
        cls.__init__ = lambda self: None


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Its constructor is set by its base."))
class Registered(Registry):
    def __init__(self, s: State[Draft]) -> None:
        self.s = s


class Rules:
    def __init__(self) -> None:
        self.done = lambda ctx: True

    def done(self, ctx, s) -> bool:
        return True


RULES = Rules()


class Declared:
    pass


Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Declared by a call."))(Declared)


class DeclaredElsewhere:
    pass


steps.declare(DeclaredElsewhere)


@Workflow(
    steps=[
        *POPPED,
        *ALIASED,
        *PASSED,
        *SORTED_BY_ALIAS,
        *HELD,
        *IN_A_FUNCTION,
        *IN_A_LAMBDA,
        *IN_A_DEFAULT,
        BY_WALRUS,
        BY_GLOBAL,
        *LOOPED,
        *DELETED,
        *APPENDED,
        *steps.SHARED,
        *Settings.STEPS,
        *Setup.INNER,
        Patched,
        PatchedLater,
        PatchedByName,
        Registered,
        Declared,
        DeclaredElsewhere,
        loop([Worker], until=RULES.done),
    ]
)
class Flow:
    pass


@Workflow(
    steps=[
        *KEPT,
        *Setup.KEPT_INNER,
        parallel(steps.READ),
    ]
)
class Known:
    pass


print(len(KEPT), sorted(map(str, KEPT)))
COPY = list(KEPT)
COPY.append(4)
apps = [Thena(Flow), Thena(Known)]
