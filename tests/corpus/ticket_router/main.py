import os

from router.tools import Route
from thena_runtime import Agent, Prompt, ScriptedProvider, Thena, Workflow, loop, tool_call, until_answered


@Agent(
    provider=ScriptedProvider([tool_call("route", queue="billing", ticket="my bill is wrong"), "routed"]),
    prompt=Prompt("Route the ticket."),
    tools=[Route],
)
class Router: ...


@Agent(provider=ScriptedProvider(["no spam"]), prompt=Prompt("Is it spam?"))
class SpamFilter: ...


@Agent(provider=ScriptedProvider(["summary"]), prompt=Prompt("Sum it up."))
class Summary: ...


BEFORE = [SpamFilter] if os.environ.get("FILTER", "1") == "1" else []
AFTER: list[type] = []
if not os.environ.get("FAST"):
    AFTER.append(Summary)


@Workflow(steps=[*BEFORE, loop([Router], until=until_answered), *AFTER])
class Routing: ...


try:
    from uvloop import run as _run  # faster, if it is there
except ImportError:
    from asyncio import run as _run

app = Thena(Routing)


async def main() -> None:
    print(await app.run("My bill is wrong"))


if __name__ == "__main__":
    _run(main())
