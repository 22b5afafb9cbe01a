from pathlib import Path

from places import NOWHERE, THERE
from thena_runtime import Agent, Prompt, ScriptedProvider, Thena, Workflow

TEXT = Prompt("Inline.")


@Agent(provider=ScriptedProvider(["done"]), prompt=THERE)
class One:
    pass


@Agent(
    provider=ScriptedProvider(["done"]),
    prompt=NOWHERE,  # error: THN105
)
class Two:
    pass


@Agent(
    provider=ScriptedProvider(["done"]),
    prompt=Path("./texts/there.agent.md"),
)
class Three:
    pass


@Agent(
    provider=ScriptedProvider(["done"]),
    prompt=Path("./texts/nowhere.agent.md"),  # error: THN105
)
class Four:
    pass


@Agent(provider=ScriptedProvider(["done"]), prompt="texts/" "there.agent.md")
class Five:
    pass


@Agent(
    provider=ScriptedProvider(["done"]),
    prompt="You are given a text where a path is meant.",  # error: THN105
)
class Six:
    pass


@Agent(
    provider=ScriptedProvider(["done"]),
    prompt="You are given a text where a path is meant, and it is longer than the name of any file may be. You are given a text where a path is meant, and it is longer than the name of any file may be. You are given a text where a path is meant, and it is longer than the name of any file may be.",  # error: THN105
)
class Long:
    pass


@Agent(provider=ScriptedProvider(["done"]), prompt=TEXT)
class Seven:
    pass


@Workflow(steps=[One, Two, Three, Four, Five, Six, Long, Seven])
class Flow:
    pass


app = Thena(Flow)
