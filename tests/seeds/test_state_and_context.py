"""The seed page "Estado e contexto" (state and context), promise by promise."""

import asyncio
from dataclasses import dataclass, field

import pytest

from thena_runtime import (
    Agent,
    Budget,
    Context,
    Message,
    Prompt,
    RunAborted,
    ScriptedProvider,
    State,
    Thena,
    Tool,
    Workflow,
    current_context,
    loop,
    tool_call,
)
from thena_runtime.steps import Step
from thena_runtime.testing import record, recorded


def flow(*steps: Step, state: type | None = None) -> type:
    """A workflow of these steps."""

    @Workflow(steps=steps, state=state)
    class Flow:
        pass

    return Flow


def speaker(*turns: object) -> type:
    """An agent that plays these turns."""

    @Agent(provider=ScriptedProvider(turns), prompt=Prompt("p"))  # type: ignore[arg-type]
    class Speaker:
        pass

    return Speaker


# -- Estado e contexto


async def test_one_context_goes_through_all_steps() -> None:
    """Estado e contexto: "Toda execução carrega um objeto `ctx` que atravessa todos os passos" (every run carries a
    `ctx` that goes through all the steps)."""
    seen: list[Context] = []

    def agent() -> type:
        @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
        class Looking:
            def before_prompt(self, prompt: str, ctx: Context) -> None:
                seen.append(ctx)

        return Looking

    await record(flow(agent(), loop([agent()], until=lambda ctx: seen.append(ctx) or True)))

    assert 3 == len(seen)
    assert seen[0] is seen[1] is seen[2]


async def test_the_model_sees_the_conversation_and_not_the_fields() -> None:
    """Estado e contexto: "se o modelo precisa ler, vai em ctx.state. Se é dado seu, vai em ctx direto" (what the model
    must read goes into `ctx.state`, what is yours into `ctx`)."""
    provider = ScriptedProvider(["ok"])

    @Agent(provider=provider, prompt=Prompt("p"))
    class Telling:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            ctx.state.append("memory", "to be read")
            ctx.secret = "not to be read"

    await record(flow(Telling))

    sent = repr(provider.calls)
    assert "to be read" in sent
    assert "not to be read" not in sent


# -- ctx.state — o que o modelo vê (what the model sees)


@pytest.mark.behaviour("T392")
async def test_each_bucket_becomes_its_part_of_the_prompt() -> None:
    """ctx.state: history comes as "as mensagens, em ordem" (the messages in order), memory as "uma mensagem system no
    topo" (a system message at the top), tasks as "uma nota dentro do system" (a note inside it)."""
    provider = ScriptedProvider(["ok"])

    @Agent(provider=provider, prompt=Prompt("p"))
    class Speaking:
        pass

    seed = {
        "history": [Message("user", "earlier"), Message("assistant", "yes?")],
        "memory": ["one", "two"],
        "tasks": ["wash", "dry"],
    }
    await record(flow(Speaking), "now", state=seed)

    assert (
        Message("system", "p"),
        Message("system", "one\ntwo\n\nTasks:\n- wash\n- dry"),
        Message("user", "earlier"),
        Message("assistant", "yes?"),
        Message("user", "now"),
    ) == provider.calls[0].messages


async def test_the_conversation_is_read_appended_to_and_set() -> None:
    """ctx.state: the page's four lines: `history`, `memory`, `append("memory", ...)`, and `set("history", ...)` that
    takes the last turn out."""
    seen: list[object] = []

    @Agent(provider=ScriptedProvider(["said"]), prompt=Prompt("p"))
    class Editing:
        def after_response(self, response: str, ctx: Context) -> None:
            seen.extend([[message.role for message in ctx.state.history], list(ctx.state.memory)])
            ctx.state.append("memory", "The user is called Castro")
            ctx.state.set("history", ctx.state.history[:-1])

    run = await record(flow(Editing))

    assert [["user", "assistant"], []] == seen
    assert ("The user is called Castro",) == run.conversation.memory
    assert (Message("user", "go"),) == run.conversation.history


@pytest.mark.behaviour("T376")
async def test_a_run_is_seeded() -> None:
    """ctx.state: "O estado de onde a execução parte é semeado no `run`" (the state that a run starts from is seeded):
    `run(state={"memory": [...]})` becomes lasting context."""
    provider = ScriptedProvider(["ok"])

    @Agent(provider=provider, prompt=Prompt("p"))
    class Speaking:
        pass

    await record(flow(Speaking, Speaking), "Hello", state={"memory": ["userId: 123", "plan: pro"]})

    assert [Message("system", "userId: 123\nplan: pro")] * 2 == [call.messages[1] for call in provider.calls]


# -- ctx — os seus dados avulsos (your loose data)


async def test_the_context_takes_any_field() -> None:
    """ctx — os seus dados avulsos: "O contexto aceita qualquer campo" (the context takes any field), counted up here as
    in the page."""

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Counting:
        def after_response(self, response: str, ctx: Context) -> str:
            ctx.attempts = ctx.get("attempts", 0) + 1
            return str(ctx.attempts)

    run = await record(flow(Counting, Counting, Counting))

    assert "3" == run.output


async def test_the_runtime_sums_up_the_last_turn() -> None:
    """ctx — os seus dados avulsos, table: `ctx.turn` is the last turn's summary: called_tool, tool_name, tool_error,
    tool_call_source, response."""
    seen: list[object] = []

    @Tool(name="fail", description="Fail.")
    class Fail:
        async def execute(self) -> None:
            raise ValueError("broken")

    @Agent(provider=ScriptedProvider([tool_call("fail"), "answer"]), prompt=Prompt("p"), tools=[Fail])
    class Failing:
        pass

    def until(ctx: Context) -> bool:
        turn = ctx.turn
        assert turn is not None
        seen.append((turn.called_tool, turn.tool_name, turn.tool_error, turn.tool_call_source, turn.response))
        return len(seen) == 2

    await record(flow(loop([Failing], until=until)))

    assert [(True, "fail", True, "native", "broken"), (False, None, False, None, "answer")] == seen


async def test_the_runtime_keeps_the_last_output() -> None:
    """ctx — os seus dados avulsos, table: `ctx.output` is "a saída do último passo" (the last step's output)."""
    seen: list[str | None] = []

    @Agent(provider=ScriptedProvider(["second"]), prompt=Prompt("p"))
    class Second:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            seen.append(ctx.output)

    run = await record(flow(speaker("first"), Second))

    assert (["first"], "second") == (seen, run.output)


async def test_the_budget_is_there_when_there_is_one() -> None:
    """ctx — os seus dados avulsos, table: `ctx.budget` is the "consumo acumulado, quando há orçamento" (what was spent,
    when there is a budget)."""
    seen: list[int | None] = []

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Asking:
        def after_response(self, response: str, ctx: Context) -> None:
            seen.append(None if ctx.budget is None else ctx.budget.chat_calls)

    app = Thena(flow(Asking, Asking))
    await app.run("go")
    await app.run("go", budget=Budget(max_chat_calls=5))

    assert [None, None, 1, 2] == seen


# -- the run's controls


@pytest.mark.behaviour("T168")
async def test_the_run_id_is_that_of_every_event() -> None:
    """Controls: `ctx.run_id` is "o mesmo de todo ExecutionEvent" (the same as in every event)."""
    seen: list[str] = []

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Looking:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            seen.append(ctx.run_id)

    run = await record(flow(Looking))

    assert {*seen} == {event.run_id for event in run.events}


@pytest.mark.behaviour("T169")
async def test_usage_tells_what_was_spent_so_far() -> None:
    """Controls: `ctx.usage()` is the "consumo acumulado até aqui" (what was spent so far): inside a tool, the model's
    call that asked for it is counted."""
    seen: list[tuple[int, int]] = []

    @Tool(name="ask", description="Ask.")
    class Ask:
        async def execute(self, ctx: Context) -> None:
            seen.append((ctx.usage().chat_calls, ctx.usage().tool_calls))

    @Agent(provider=ScriptedProvider([tool_call("ask")]), prompt=Prompt("p"), tools=[Ask])
    class Asking:
        pass

    await record(flow(Asking, Asking))

    assert [(1, 1), (2, 2)] == seen


@pytest.mark.behaviour("T172")
async def test_abort_cancels_the_run_from_inside() -> None:
    """Controls: `ctx.abort(reason)` "cancela a execução, de dentro" (cancels the run from inside)."""
    later = ScriptedProvider(["never"])

    @Tool(name="give_up", description="Give up.")
    class GiveUp:
        async def execute(self, ctx: Context) -> str:
            ctx.abort("no hope")
            await asyncio.sleep(60)
            return "never"

    @Agent(provider=ScriptedProvider([tool_call("give_up")]), prompt=Prompt("p"), tools=[GiveUp])
    class Hopeless:
        pass

    @Agent(provider=later, prompt=Prompt("p"))
    class Later:
        pass

    async with asyncio.timeout(10):
        run = await record(flow(Hopeless, Later), raises=RunAborted)

    assert isinstance(run.error, RunAborted)
    assert "no hope" == run.error.reason
    assert [] == later.calls


@pytest.mark.behaviour("T173")
async def test_stop_ends_gracefully_and_keeps_the_output() -> None:
    """Controls: `ctx.stop()` "encerra graciosamente, guardando a saída que já havia" (ends gracefully, keeping the
    output that there was)."""
    later = ScriptedProvider(["never"])

    @Tool(name="enough", description="Say that it is enough.")
    class Enough:
        async def execute(self, ctx: Context) -> str:
            ctx.stop()
            return "enough"

    @Agent(provider=ScriptedProvider([tool_call("enough")]), prompt=Prompt("p"), tools=[Enough])
    class Content:
        pass

    @Agent(provider=later, prompt=Prompt("p"))
    class Later:
        pass

    app = Thena(flow(Content, Later))
    handle = app.run("go")

    assert "enough" == await handle
    assert "stop" == handle.stopped_by
    assert [] == later.calls


@pytest.mark.behaviour("T175")
async def test_clean_ups_run_in_reverse_order() -> None:
    """Controls: `ctx.on_dispose(fn)` "registra uma limpeza, executada na ordem inversa" (registers a clean-up, done in
    reverse order)."""
    order: list[int] = []

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Opening:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            for number in (1, 2, 3):
                ctx.on_dispose(lambda number=number: order.append(number))

        def after_response(self, response: str) -> None:
            assert [] == order

    await record(flow(Opening))

    assert [3, 2, 1] == order


@pytest.mark.behaviour("T179")
async def test_meta_writes_on_the_node_of_the_step() -> None:
    """Controls: `ctx.meta(...)` "grava telemetria no nó deste passo" (writes telemetry on this step's node): the tool's
    inside a tool, the agent's inside a hook."""

    @Tool(name="weigh", description="Weigh.")
    class Weigh:
        async def execute(self, ctx: Context) -> str:
            ctx.meta(kilograms=3)
            return "3"

    @Agent(provider=ScriptedProvider([tool_call("weigh")]), prompt=Prompt("p"), tools=[Weigh])
    class Weighing:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            ctx.meta(mood="good")

    run = await record(flow(Weighing))

    assert {"kilograms": 3} == run.root.only("tool", "weigh").data
    assert {"mood": "good"} == run.root.only("agent", "Weighing").data


# -- memory e data


@pytest.mark.behaviour("T150", "W57")
async def test_memory_reaches_the_model_and_data_never_does() -> None:
    """memory e data: "Os dois viajam com a execução; só um chega ao modelo" (both travel with the run; only one reaches
    the model)."""
    provider = ScriptedProvider(["ok"])
    seen: list[object] = []

    @Agent(provider=provider, prompt=Prompt("p"))
    class Speaking:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            seen.append(ctx.data["account"])

    run = await record(
        flow(Speaking), "What is my plan?", state={"memory": ["plan: pro"]}, data={"account": "acme-4711"}
    )

    sent, told = repr(provider.calls), "".join(event.to_json() for event in run.events)
    assert "plan: pro" in sent
    assert "acme-4711" not in sent
    assert "acme-4711" not in told
    assert ["acme-4711"] == seen


async def test_the_data_has_the_type_that_the_caller_gives_it() -> None:
    """memory e data: "O `data` é tipado por você" (you give `data` its type): `Thena(Flow, data=RunData)`, and
    `current_context(RunData).data` needs no cast."""

    @dataclass
    class RunData:
        account: str
        region: str

    seen: list[str] = []

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Looking:
        def before_prompt(self, prompt: str, ctx: Context[RunData]) -> None:
            seen.extend([ctx.data.account, current_context(RunData).data.region])

    app = Thena(flow(Looking), data=RunData)
    await app.run("go", data=RunData("acme", "sa-east-1"))

    assert ["acme", "sa-east-1"] == seen
    with pytest.raises(TypeError, match="RunData"):
        app.run("go", data={"account": "acme"})


# -- O estado do workflow (the workflow's state)


class ReviewState:
    """The page's own state: its initial values are the fields' own."""

    approved = False
    rounds = 0
    problems: list[str] = []


async def test_the_initial_values_are_those_of_the_fields() -> None:
    """O estado do workflow: "Os valores iniciais são as próprias inicializações de campo — sem schema, sem factory"
    (the initial values are the fields' own, without a schema or a factory)."""
    seen: list[object] = []

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Looking:
        def __init__(self, s: State[ReviewState]) -> None:
            seen.append((s.approved, s.rounds, s.problems))

    await record(flow(Looking, state=ReviewState))

    assert [(False, 0, [])] == seen


@pytest.mark.behaviour("T224")
async def test_every_run_has_its_own_state() -> None:
    """O estado do workflow: "o framework instancia uma por execução" (the framework makes one for each run)."""
    seen: list[ReviewState] = []

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Filling:
        def __init__(self, s: State[ReviewState]) -> None:
            self.s = s

        def after_response(self, response: str) -> None:
            self.s.problems.append(response)
            seen.append(self.s)

    app = Thena(flow(Filling, state=ReviewState))
    await asyncio.gather(app.run("a"), app.run("b"))
    await app.run("c")

    assert 3 == len({id(state) for state in seen})
    assert [["ok"]] * 3 == [state.problems for state in seen]
    assert [] == ReviewState.problems


@pytest.mark.behaviour("T222", "T223", "T188")
async def test_everybody_sees_the_same_object() -> None:
    """O estado do workflow: "Todos veem o mesmo objeto — agentes, hooks, tools e o `until`" (everybody sees the same
    object), with the page's reviewer and loop."""
    seen: list[ReviewState] = []

    @Tool(name="note", description="Note a problem.")
    class Note:
        async def execute(self, text: str, s: State[ReviewState]) -> str:
            s.problems.append(text)
            seen.append(s)
            return text

    turns = [tool_call("note", text="a comma"), "APPROVED", "never"]

    @Agent(provider=ScriptedProvider(turns), prompt=Prompt("p"), tools=[Note])
    class Reviewer:
        def __init__(self, s: State[ReviewState]) -> None:
            self.s = s
            seen.append(s)

        async def after_response(self, response: str) -> None:
            self.s.rounds += 1
            self.s.approved = "APPROVED" in response

    def until(ctx: Context, s: ReviewState) -> bool:
        seen.append(s)
        return s.approved

    run = await record(flow(loop([Reviewer], until=until, max_iterations=5), state=ReviewState))

    assert "APPROVED" == run.output
    assert {id(seen[0])} == {id(each) for each in seen}
    assert (2, ["a comma"]) == (seen[0].rounds, seen[0].problems)


async def test_a_state_needs_no_particular_kind_of_class() -> None:
    """O estado do workflow: "declare uma classe" (declare a class): a dataclass serves as well."""

    @dataclass
    class Kept:
        names: list[str] = field(default_factory=list)

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Filling:
        def __init__(self, s: State[Kept]) -> None:
            self.s = s

        def after_response(self, response: str) -> str:
            self.s.names.append(response)
            return ",".join(self.s.names)

    assert "ok,ok" == (await record(flow(Filling, Filling, state=Kept))).output


# -- A saída de um passo vira fala do próximo (a step's output becomes the next one's speech)


async def test_a_plan_is_promoted_to_memory() -> None:
    """A saída de um passo vira fala do próximo: the page's planner takes its turn out of the transcript and puts the
    plan into memory, which "vira system no topo" (becomes a system message at the top)."""
    executor = ScriptedProvider(["done"])

    @Agent(provider=ScriptedProvider(["1. look 2. leap"]), prompt=Prompt("plan"))
    class Planner:
        def after_response(self, plan: str, ctx: Context) -> None:
            ctx.state.set("history", ctx.state.history[:-1])
            ctx.state.append("memory", f"Plan to follow:\n{plan}")
            ctx.plan = plan

    @Agent(provider=executor, prompt=Prompt("execute"))
    class Executor:
        def after_response(self, response: str, ctx: Context) -> str:
            return f"{response}: {ctx.plan}"

    run = await record(flow(Planner, Executor), "cross the river")

    assert (
        Message("system", "execute"),
        Message("system", "Plan to follow:\n1. look 2. leap"),
        Message("user", "cross the river"),
    ) == executor.calls[0].messages
    assert "done: 1. look 2. leap" == run.output


async def test_without_promotion_the_next_agent_reads_it_as_its_own_speech() -> None:
    """A saída de um passo vira fala do próximo: "o turno dele é anexado ao history como role: assistant" (its turn is
    added to the history as the assistant's)."""
    executor = ScriptedProvider(["done"])

    @Agent(provider=executor, prompt=Prompt("execute"))
    class Executor:
        pass

    await record(flow(speaker("a plan"), Executor))

    assert Message("assistant", "a plan") == executor.calls[0].messages[-1]


async def test_a_nested_run_has_a_history_of_its_own() -> None:
    """A saída de um passo vira fala do próximo: a step that needs a history of its own is isolated "numa execução
    aninhada" (in a nested run)."""
    inner = ScriptedProvider(["inner"])

    @Agent(provider=inner, prompt=Prompt("q"))
    class Inner:
        pass

    run = await record(flow(speaker("first"), flow(Inner)), "hello", state={"memory": ["plan: pro"]})

    assert (Message("system", "q"), Message("user", "first")) == inner.calls[0].messages
    assert ["hello", "first", "inner"] == [message.content for message in run.conversation.history]


# -- O que uma tool enxerga (what a tool sees)


async def test_a_tool_is_by_default_a_function_of_its_arguments() -> None:
    """O que uma tool enxerga: "o `execute` recebe só os argumentos validados" (`execute` gets only the validated
    arguments), so that it is trivial to test: it can be called directly."""

    @Tool(name="read", description="Read.")
    class Read:
        async def execute(self, path: str) -> str:
            return f"content of {path}"

    assert "content of a" == await Read().execute("a")

    @Agent(provider=ScriptedProvider([tool_call("read", path="a")]), prompt=Prompt("p"), tools=[Read])
    class Reader:
        pass

    assert "content of a" == (await record(flow(Reader))).output


async def test_a_tool_that_needs_more_says_so_in_its_parameters() -> None:
    """O que uma tool enxerga: "Quando ela precisa de mais, os parâmetros dizem o que querem" (when it needs more, its
    parameters say what they want)."""

    class Kept:
        paths: list[str] = []

    seen: list[object] = []

    @Tool(name="read", description="Read.")
    class Read:
        async def execute(self, path: str, ctx: Context, s: State[Kept]) -> str:
            s.paths.append(path)
            seen.extend([ctx.data, list(s.paths)])
            return path

    @Agent(provider=ScriptedProvider([tool_call("read", path="a")]), prompt=Prompt("p"), tools=[Read])
    class Reader:
        pass

    await record(flow(Reader, state=Kept), data="mine")

    assert ["mine", ["a"]] == seen


@pytest.mark.behaviour("T148")
async def test_the_context_is_at_hand_anywhere_inside_a_run() -> None:
    """memory e data: `context().data` reads the run's data without a parameter; here it is `current_context()`."""
    seen: list[object] = []

    def deep_below() -> None:
        seen.append(current_context().data["region"])

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Calling:
        def before_prompt(self) -> None:
            deep_below()

    handle = Thena(flow(Calling)).run("go", data={"region": "sa-east-1"})
    await recorded(handle)

    assert ["sa-east-1"] == seen
