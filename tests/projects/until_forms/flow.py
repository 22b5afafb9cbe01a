from functools import partial

import rules
from rules import RULES, Rules, limited, second
from thena_runtime import Agent, Prompt, ScriptedProvider, Thena, Workflow, loop, until_answered


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Work."))
class Worker:
    pass


@Workflow(
    steps=[
        loop([Worker], until=rules.one),
        loop([Worker], until=rules.two),  # error: THN301
        loop([Worker], until=rules.positional_only),  # error: THN301
        loop([Worker], until=rules.optional),
        loop([Worker], until=rules.any_number),
        loop([Worker], until=rules.three),  # error: THN302
        loop([Worker], until=rules.keyword),  # error: THN302
        loop([Worker], until=rules.none),  # error: THN302
        loop([Worker], until=rules.awaited),  # error: THN301
        loop([Worker], until=RULES.done),  # error: THN301
        loop([Worker], until=RULES),
        loop([Worker], until=Rules().done),  # error: THN301
        loop([Worker], until=Rules.static),
        loop([Worker], until=Rules.of_class),  # error: THN301
        loop([Worker], until=Rules.done),  # error: THN302
        loop([Worker], until=limited),
        loop([Worker], until=second),  # error: THN301
        loop([Worker], until=partial(rules.two, s=None)),
        loop([Worker], until=partial(rules.two, ctx=None)),  # error: THN302
        loop([Worker], until=lambda: True),  # error: THN302
        loop([Worker], until=lambda ctx, s: True),  # error: THN301
        loop([Worker], until=lambda ctx, *, s=None: True),
        loop([Worker], until=until_answered),
        loop([Worker], until=rules.Empty),  # error: THN302
        loop([Worker], until=rules.Made),  # error: THN301, THN309
        loop([Worker], until=rules.Inheriting),  # error: THN301, THN309
        loop([Worker], until=rules.Generated),  # error: THN301, THN309
        loop([Worker], until=rules.MadeNew),
        loop([Worker], until=rules.Kind),
        loop(steps=[loop([Worker], until=rules.two)], until=rules.one),  # error: THN301
    ]
)
class Flow:
    pass


app = Thena(Flow)
