"""Answers that are data: `@Agent(output=...)`, `Thena(..., output=...)` and typed data."""

import json
from dataclasses import dataclass
from typing import TypedDict

import pytest
from pydantic import BaseModel

from thena_runtime import (
    Agent,
    Budget,
    Context,
    OutputError,
    Prompt,
    ScriptedProvider,
    Thena,
    Workflow,
    current_context,
    loop,
    tool_call,
    until_answered,
)
from thena_runtime.errors import ContractError
from thena_runtime.testing import record


class Verdict(BaseModel):
    """What a reviewer says."""

    approved: bool
    remarks: list[str] = []


GOOD = '{"approved": true}'


def reviewing(provider: ScriptedProvider, base: type = object, output: object = Verdict) -> type:
    """A workflow of one agent whose answers are verdicts."""

    @Agent(provider=provider, prompt=Prompt("review"), output=output)  # type: ignore[call-overload]
    class Reviewer(base):  # type: ignore[misc] # a class that the caller chooses
        pass

    @Workflow(steps=[Reviewer])
    class Flow:
        pass

    return Flow


@pytest.mark.behaviour("W8")
@pytest.mark.parametrize(
    "answer", [GOOD, f"```json\n{GOOD}\n```", f"Here is my verdict: {GOOD} I hope it helps.", "[1] and " + GOOD]
)
async def test_an_answer_becomes_a_value(answer: str) -> None:
    """JSON is found alone, in a fenced block and between other words; the conversation keeps the text."""
    run = await record(reviewing(ScriptedProvider([answer])))

    assert Verdict(approved=True) == run.output
    assert answer == run.conversation.history[-1].content


async def test_the_model_is_told_of_the_type() -> None:
    """The schema is a system message of its own, so that the prompt is sent as it is."""
    provider = ScriptedProvider([GOOD])
    await record(reviewing(provider))
    prompt, told, user = provider.calls[0].messages

    assert ("review", "go") == (prompt.content, user.content)
    assert Verdict.model_json_schema() == json.loads(told.content.partition("\n")[2])


async def test_an_answer_that_does_not_fit_is_repaired_once() -> None:
    """The model is told what is wrong and asked again without tools; only the good answer stays in the conversation."""
    provider = ScriptedProvider(['{"approved": "perhaps"}', GOOD])
    run = await record(reviewing(provider))
    *_, bad, complaint = provider.calls[1].messages

    assert Verdict(approved=True) == run.output
    assert '{"approved": "perhaps"}' == bad.content
    assert complaint.content.startswith("This answer doesn't fit the schema: approved: ")
    assert ["go", GOOD] == [message.content for message in run.conversation.history]
    assert ["chat", "chat"] == [event.kind for event in run.events if event.phase == "end" and event.kind == "chat"]


async def test_an_answer_that_can_not_be_repaired_is_an_error() -> None:
    """There is one repair; then a typed error names the agent, the type and what is wrong."""
    provider = ScriptedProvider(["no", "still no"])

    with pytest.raises(
        OutputError,
        match=r"THN706 `Reviewer` gives no `Verdict`: its model was asked twice, ",
    ):
        await record(reviewing(provider))
    assert 2 == len(provider.calls)


async def test_a_turn_that_calls_a_tool_is_no_answer_yet() -> None:
    """Only the answer is read; until then the output is what the tool said."""
    outputs: list[object] = []

    def look(place: str) -> str:
        """Look somewhere."""
        return f"nothing in {place}"

    @Agent(
        provider=ScriptedProvider([tool_call("look", place="src"), GOOD]),
        prompt=Prompt("p"),
        tools=[look],
        output=Verdict,
    )
    class Reviewer:
        pass

    def until(ctx: Context) -> bool:
        outputs.append(ctx.output)
        return until_answered(ctx)

    @Workflow(steps=[loop([Reviewer], until=until)])
    class Flow:
        pass

    await record(Flow)

    assert ["nothing in src", Verdict(approved=True)] == outputs


async def test_hooks_see_text_and_what_they_return_is_read() -> None:
    """`after_response` and `on_error` replace the text, and the output is read from it again, without a repair."""

    class Turning:
        def after_response(self, response: str) -> str:
            return response.replace("true", "false")

    class Recovering:
        def on_error(self, error: Exception) -> str:
            return '{"approved": false, "remarks": ["no model"]}'

    class Spoiling:
        def after_response(self, response: str) -> str:
            return "spoilt"

    class Evading:
        def on_error(self, error: Exception) -> str:
            return "no idea"

    turned = await record(reviewing(ScriptedProvider([GOOD]), Turning))
    recovered = await record(reviewing(ScriptedProvider([LookupError("down")]), Recovering))

    assert Verdict(approved=False) == turned.output
    assert Verdict(approved=False, remarks=["no model"]) == recovered.output
    with pytest.raises(OutputError, match=r"`Reviewer.after_response` gives no `Verdict`: "):
        await record(reviewing(ScriptedProvider([GOOD]), Spoiling))
    with pytest.raises(OutputError, match=r"`Reviewer.on_error` gives no `Verdict`: "):
        await record(reviewing(ScriptedProvider([LookupError("down")]), Evading))


async def test_an_own_run_keeps_the_promise_too() -> None:
    """What `run` returns is checked, and a text is read like an answer."""

    class Right:
        def run(self) -> str:
            return GOOD

    class Wrong:
        def run(self) -> int:
            return 3

    assert Verdict(approved=True) == (await record(reviewing(ScriptedProvider(["x"]), Right))).output
    with pytest.raises(OutputError, match=r"`Reviewer.run` gives no `Verdict`: "):
        await record(reviewing(ScriptedProvider(["x"]), Wrong))


class Small(TypedDict):
    """A verdict as a dict."""

    approved: bool


@dataclass
class Plain:
    """A verdict as a dataclass."""

    approved: bool


@pytest.mark.parametrize(
    ("declared", "value"),
    [(Small, {"approved": True}), (Plain, Plain(True)), (dict[str, bool], {"approved": True})],
)
async def test_other_types_than_models_are_fine(declared: object, value: object) -> None:
    """A `TypedDict`, a dataclass and a plain generic may be the type of an answer."""
    assert value == (await record(reviewing(ScriptedProvider([GOOD]), output=declared))).output


def test_a_type_without_schema_is_refused_at_start() -> None:
    """The error names the option, the agent and what would do."""

    class Opaque:
        pass

    with pytest.raises(ValueError, match="`output` of `Reviewer` is the class `Opaque`, which a model can't be told"):
        Thena(reviewing(ScriptedProvider(["x"]), output=Opaque))


def test_text_is_no_type_of_an_answer() -> None:
    """An answer is text anyway, and the error says what to leave out."""
    with pytest.raises(ContractError, match="THN117 `output` of `Reviewer` is the class `str`"):
        Thena(reviewing(ScriptedProvider(["x"]), output=str))


async def test_a_promise_is_not_kept_by_a_tool() -> None:
    """A tool's text is no value of the type, even where it would fit, and the run ends with an error that names it."""

    def look() -> str:
        """Look."""
        return GOOD

    def flow(in_loop: bool) -> type:
        provider = ScriptedProvider([tool_call("look"), GOOD])

        @Agent(provider=provider, prompt=Prompt("p"), tools=[look], output=Verdict)
        class Reviewer:
            pass

        @Workflow(steps=[loop([Reviewer], until=until_answered) if in_loop else Reviewer])
        class Flow:
            pass

        return Flow

    with pytest.raises(
        OutputError, match=r"`Flow` gives no `Verdict`: the run ends with the text of the tool `look`\. Put"
    ):
        await Thena(flow(in_loop=False), output=Verdict).run("go")
    assert GOOD == await Thena(flow(in_loop=False)).run("go")
    assert Verdict(approved=True) == await Thena(flow(in_loop=True), output=Verdict).run("go")


async def test_an_app_can_promise_its_output() -> None:
    """A run that ends with something else raises, so that the handle's type is no lie."""
    flow = reviewing(ScriptedProvider([GOOD]))
    plain = reviewing(ScriptedProvider(["text"]), output=None)

    verdict = await Thena(flow, output=Verdict).run("go")

    assert verdict.approved
    with pytest.raises(OutputError, match=r"`Flow` gives no `Verdict`: the run ends with a value of type `str`"):
        await Thena(plain, output=Verdict).run("go")
    with pytest.raises(TypeError, match="`output` of `Thena` is of type `str`"):
        Thena(flow, output="Verdict")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("budget", "limit", "stopped_by"),
    [(Budget(max_chat_calls=1), None, "budget"), (None, 1, "exhausted")],
    ids=["budget", "brake"],
)
async def test_a_run_that_was_stopped_breaks_no_promise(
    budget: Budget | None, limit: int | None, stopped_by: str
) -> None:
    """It gives `None`, or a value that was there, and its handle says what stopped it."""

    def look() -> str:
        """Look."""
        return "nothing"

    def app(provider: ScriptedProvider, until: object) -> Thena[Verdict]:
        @Agent(provider=provider, prompt=Prompt("p"), tools=[look], output=Verdict)
        class Reviewer:
            pass

        @Workflow(steps=[loop([Reviewer], until=until, max_iterations=limit)])  # type: ignore[arg-type]
        class Flow:
            pass

        return Thena(Flow, output=Verdict)

    without = app(ScriptedProvider([tool_call("look")]), until_answered).run("go", budget=budget)
    having = app(ScriptedProvider([GOOD]), lambda ctx: False).run("go", budget=budget)

    assert (await without, without.result, without.stopped_by) == (None, None, stopped_by)
    assert (await having, having.stopped_by) == (Verdict(approved=True), stopped_by)


@dataclass
class RunData:
    """What every run is started with."""

    account: str


@pytest.mark.behaviour("T406")
async def test_an_app_can_declare_its_data() -> None:
    """Each run must give data of the declared type, which contexts then carry."""
    seen: list[str] = []

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Reading:
        def before_prompt(self, prompt: str, ctx: Context[RunData]) -> None:
            seen.append(ctx.data.account)
            seen.append(current_context(RunData).data.account)

    @Workflow(steps=[Reading])
    class Flow:
        pass

    app = Thena(Flow, data=RunData)
    await app.run("go", data=RunData("acme"))

    assert ["acme", "acme"] == seen
    with pytest.raises(TypeError, match=r"a run of `Flow` got nothing as its data. Give it `data=RunData\(...\)`"):
        app.run("go")
    with pytest.raises(TypeError, match="a run of `Flow` got a value of type `dict` as its data"):
        app.run("go", data={"account": "acme"})  # type: ignore[arg-type]
