"""Lists that are built step by step, and lists of which something else is made meanwhile, and those that a function returns."""

from agents import BUILT, COPY, FILLED, IN_A_FUNCTION, REMOVED, Writer, asked, chosen, in_two_ways
from thena_runtime import Thena, Workflow


@Workflow(steps=[*BUILT, *chosen(), *FILLED, *COPY, *IN_A_FUNCTION, *REMOVED, *in_two_ways(), *asked(0)])
class Listed:
    pass


SHARED = [Writer]


@Workflow(steps=SHARED)
class Inner:
    pass


@Workflow(steps=[Listed, Inner])  # error: THN111
class Flow:
    pass


SHARED.append(Flow)  # error: THN111

EARLY = [Writer]


@Workflow(steps=EARLY)
class Judged:
    pass


judged = Thena(Judged)
EARLY.append(3)

ALIASED = [Writer]
ALIAS = ALIASED


@Workflow(steps=ALIASED)
class Replaced:
    pass


ALIASED.append(3)
ALIAS.clear()
ALIAS.append(Writer)

app = Thena(Replaced)
apps = Thena(Flow)
