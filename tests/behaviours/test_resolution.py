"""Rows of the behaviour list about what stands in a declaration: prompts, providers, tools and sampling."""

from pathlib import Path

import pytest

from thena_runtime import Agent, Prompt, Sampling, ScriptedProvider, Thena, Tool, Workflow, loop, tool_call
from thena_runtime.errors import ContractError
from thena_runtime.steps import Step
from thena_runtime.testing import record


def flow(*steps: Step) -> type:
    """A workflow of these steps."""

    @Workflow(steps=steps)
    class Flow:
        pass

    return Flow


def agent(provider: object, **options: object) -> type:
    """An agent with this model."""

    class Speaker:
        pass

    options.setdefault("prompt", Prompt("p"))
    return Agent(provider=provider, **options)(Speaker)  # type: ignore[call-overload, no-any-return]


# -- decorators


@pytest.mark.behaviour("T181", "T182", "T186")
@pytest.mark.parametrize("kind", [str, Path])
async def test_a_prompt_may_be_an_absolute_path(kind: type, tmp_path: Path) -> None:
    """As a string or a `Path`; its text is sent as it stands in the file, its last line break too."""
    file = tmp_path / "speaker.agent.md"
    file.write_text("You speak.\n\nShortly.\n", encoding="utf-8")
    provider = ScriptedProvider(["ok"])
    await record(flow(agent(provider, prompt=kind(file))))

    first = provider.calls[0].messages[0]
    assert ("system", "You speak.\n\nShortly.\n") == (first.role, first.content)


# -- resolucao, providers


@pytest.mark.behaviour("T340", "T347", "T156")
async def test_an_instance_is_used_as_it_is_and_may_be_shared() -> None:
    """Two agents take their turns from one script."""
    shared = ScriptedProvider(["one", "two"])
    run = await record(flow(agent(shared), agent(shared)))

    assert ["go", "one", "two"] == [message.content for message in run.conversation.history]
    assert 2 == len(shared.calls)


class Local(ScriptedProvider):
    """A provider class that needs nothing."""

    def __init__(self) -> None:
        super().__init__(["from the class"])


@pytest.mark.behaviour("T341", "T155")
async def test_a_class_is_made() -> None:
    """A provider class is called without arguments."""
    assert "from the class" == (await record(flow(agent(Local)))).output


class Broken(ScriptedProvider):
    """A provider class that can't be made."""

    def __init__(self) -> None:
        raise ConnectionRefusedError("no server")


@pytest.mark.behaviour("T342")
async def test_what_a_class_raises_when_it_is_made_is_raised_unchanged() -> None:
    """The run ends with the very exception."""
    run = await record(flow(agent(Broken)), raises=ConnectionRefusedError)

    assert "no server" == str(run.error)


@pytest.mark.behaviour("T343", "T345", "T157")
async def test_a_factory_is_called_once_for_each_run() -> None:
    """A function or a lambda; within a run a loop's turns share what it made."""
    made: list[str] = []

    def factory() -> ScriptedProvider:
        made.append("function")
        return ScriptedProvider(["ok"])

    asked = agent(lambda: (made.append("lambda"), ScriptedProvider(["ok"]))[1])
    app = Thena(flow(loop([agent(factory), asked], until=lambda ctx: False, max_iterations=3)))
    await app.run("go")
    await app.run("go")

    assert ["function", "lambda"] * 2 == made


@pytest.mark.behaviour("T344")
async def test_a_factory_that_fails_is_called_only_once() -> None:
    """Its exception ends the run."""
    called: list[str] = []

    def factory() -> ScriptedProvider:
        called.append("factory")
        raise LookupError("no such model")

    run = await record(flow(agent(factory)), raises=LookupError)

    assert ("no such model", ["factory"]) == (str(run.error), called)


@pytest.mark.behaviour("T346")
def test_a_class_that_is_no_provider_is_refused_by_name() -> None:
    """The text says what it lacks."""

    class Model:
        async def chat(self) -> None: ...

    with pytest.raises(
        ContractError, match="THN106 `Speaker` has the class `Model` as its provider, which has no method `complete`"
    ):
        Thena(flow(agent(Model)))


# -- resolucao, tools


@pytest.mark.behaviour("T348", "T349")
async def test_tools_are_classes_instances_and_functions() -> None:
    """Each of the three can be called by its name."""

    @Tool(name="of_class", description="From a class.")
    class OfClass:
        async def execute(self) -> str:
            return "class"

    @Tool(name="of_instance", description="From an instance.")
    class OfInstance:
        def __init__(self, text: str) -> None:
            self.text = text

        async def execute(self) -> str:
            return self.text

    async def of_function() -> str:
        """From a function."""
        return "function"

    tools = [OfClass, OfInstance("instance"), of_function]
    outputs = []
    for name in ("of_class", "of_instance", "of_function"):
        run = await record(flow(agent(ScriptedProvider([tool_call(name)]), tools=tools)))
        outputs.append(run.output)

    assert ["class", "instance", "function"] == outputs


@pytest.mark.behaviour("T351")
async def test_an_agent_without_tools_offers_none() -> None:
    """The list that the model is sent is empty."""
    provider = ScriptedProvider(["ok"])
    await record(flow(agent(provider)))

    assert () == provider.calls[0].tools


# -- resolucao, sampling


@pytest.mark.behaviour("T354", "T187")
@pytest.mark.parametrize("sampling", [None, Sampling(temperature=0.2), Sampling(temperature=0.0, seed=7)])
async def test_the_agents_own_sampling_is_what_the_provider_is_asked_with(sampling: Sampling | None) -> None:
    """Nothing is added to it, and without any it is empty."""
    provider = ScriptedProvider(["ok"])
    await record(flow(agent(provider, **({} if sampling is None else {"sampling": sampling}))))

    assert (sampling or {}) == provider.calls[0].sampling
