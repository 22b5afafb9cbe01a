"""What a run leaves behind when nobody holds its handle any more: nothing that waits for the garbage collector."""

import gc

import pytest

from thena_runtime import Agent, Event, Prompt, ScriptedProvider, Thena, Workflow, loop, tool_call, until_answered


async def look(what: str) -> str:
    """Look something up."""
    return f"{what}: found"


@Agent(provider=lambda: ScriptedProvider([tool_call("look", what="x"), "done"]), prompt=Prompt("p"), tools=[look])
class Speaker:
    """Calls its tool, then answers."""


@Workflow(steps=[loop([Speaker], until=until_answered)])
class Flow:
    """One call, one answer."""


def ignore(event: Event) -> None:
    """A log that nobody reads."""


@pytest.mark.parametrize("options", [{}, {"observe": False}, {"observe": True}, {"log": ignore}])
async def test_a_run_leaves_nothing_to_the_garbage_collector(options: dict[str, object]) -> None:
    """All that a run made and kept goes with its handle, whether it was watched or not."""
    app = Thena(Flow)
    await app.run("warm up", **options)  # type: ignore[arg-type]
    gc.collect()
    gc.disable()
    try:
        handle = app.run("go", **options)  # type: ignore[arg-type]
        assert await handle == "done"
        del handle
        assert gc.collect() == 0
    finally:
        gc.enable()
