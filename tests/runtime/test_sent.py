"""What a model is sent: the messages of a plain run, and the schemas of the tools, which are made once."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from thena_runtime import (
    Agent,
    Input,
    Message,
    Prompt,
    ScriptedProvider,
    Thena,
    Tool,
    Workflow,
    loop,
    tool_call,
    until_answered,
)


@dataclass
class Place:
    """Where to look."""

    path: str
    depth: int = 1
    follow: bool | None = None


@Tool(name="look", description="Look somewhere.")
class Look:
    def execute(self, place: Input[Place]) -> str:
        return place.path


@Tool(name="count", description="Count something.")
class Count:
    def execute(self, words: list[str], limit: int = 3) -> int:
        return min(len(words), limit)


def app_with(provider: ScriptedProvider, agents: int = 1) -> Thena:
    """An app whose agents have both tools."""
    steps = [
        loop(
            [Agent(provider=provider, prompt=Prompt("p"), tools=[Look, Count])(type(name, (), {}))],
            until=until_answered,
        )
        for name in ("First", "Second")[:agents]
    ]
    return Thena(Workflow(steps=steps)(type("Flow", (), {})))


@pytest.mark.behaviour("T001", "T003", "W42")
async def test_a_schema_is_an_object_whose_defaults_are_not_required() -> None:
    """Each tool has a schema of its own, with the types of its arguments, and requires only what has no default."""
    provider = ScriptedProvider(["ok"])
    await app_with(provider).run("x")
    look, count = provider.calls[0].tools
    assert {
        "type": "object",
        "required": ["path"],
        "path": "string",
        "depth": ("integer", 1),
    } == {
        "type": look.parameters["type"],
        "required": look.parameters["required"],
        "path": look.parameters["properties"]["path"]["type"],
        "depth": (look.parameters["properties"]["depth"]["type"], look.parameters["properties"]["depth"]["default"]),
    }
    assert ["words"] == count.parameters["required"]
    assert {"type": "array", "items": {"type": "string"}} == count.parameters["properties"]["words"]


@pytest.mark.behaviour("T002", "T005", "T305")
async def test_a_schema_is_made_once_for_all_turns_and_runs() -> None:
    """Every model call of every run of an app is given the very same schema."""
    turn = tool_call("count", words=["a"])
    provider = ScriptedProvider([turn, tool_call("look", path="b"), "ok", turn, "ok"])
    app = app_with(provider)
    for _ in range(2):
        await app.run("x")
    schemas = [[tool.parameters for tool in call.tools] for call in provider.calls]
    assert 5 == len(schemas)
    assert all(mine is first for others in schemas for mine, first in zip(others, schemas[0], strict=True))


async def test_the_order_of_the_tools_is_the_order_in_which_they_are_listed() -> None:
    """A prompt cache of the provider's hits only while nothing moves."""
    provider = ScriptedProvider(["ok"])
    await app_with(provider, agents=2).run("x")
    assert [["look", "count"]] * 2 == [[tool.name for tool in call.tools] for call in provider.calls]


@pytest.mark.behaviour("T377", "T378", "T379")
async def test_a_plain_run_sends_the_prompt_file_and_what_the_user_says(tmp_path: Path) -> None:
    """The prompt comes first, byte for byte and alone; there is one call, and its answer is the run's."""
    provider = ScriptedProvider(["ok"])
    file = tmp_path / "plain.agent.md"
    file.write_bytes("# You are brief.\n\n  é \n".encode())
    plain = Agent(provider=provider, prompt=file)(type("Plain", (), {}))
    handle = Thena(Workflow(steps=[plain])(type("Flow", (), {}))).run("hello")
    assert "ok" == await handle
    assert [(Message("system", "# You are brief.\n\n  é \n"), Message("user", "hello"))] == [
        call.messages for call in provider.calls
    ]
