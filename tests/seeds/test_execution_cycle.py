"""The seed page "O ciclo de uma execução" (the cycle of a run), promise by promise."""

import asyncio
import io
import re
from contextlib import redirect_stdout

import pytest

from thena_runtime import (
    Agent,
    Context,
    Message,
    Prompt,
    ScriptedProvider,
    State,
    Thena,
    ThenaConfig,
    Tool,
    ToolCall,
    ToolResult,
    Turn,
    Workflow,
    loop,
    parallel,
    tool_call,
    until_answered,
)
from thena_runtime.steps import Step
from thena_runtime.testing import record


@Tool(name="read_file", description="Read a file.")
class ReadFile:
    """A tool that works."""

    async def execute(self, path: str) -> str:
        """Read."""
        return f"content of {path}"


def flow(*steps: Step, state: type | None = None) -> type:
    """A workflow of these steps."""

    @Workflow(steps=steps, state=state)
    class Flow:
        pass

    return Flow


def speaker(*turns: object) -> type:
    """An agent that plays these turns and has one tool."""

    @Agent(provider=ScriptedProvider(turns), prompt=Prompt("p"), tools=[ReadFile])  # type: ignore[arg-type]
    class Speaker:
        pass

    return Speaker


# -- A visão de cima (the view from above)


async def test_steps_run_in_the_order_in_which_they_are_declared() -> None:
    """A visão de cima: the steps follow "a ordem que você declarou em `steps`" (the order that you declared)."""
    run = await record(flow(speaker("one"), speaker("two"), speaker("three")))

    assert ["go", "one", "two", "three"] == [message.content for message in run.conversation.history]


async def test_a_step_is_an_agent_a_parallel_or_a_loop() -> None:
    """A visão de cima: "cada passo é um agente, um `parallel` ou um `loop`" (each step is one of these), and the three
    layers stand inside each other."""
    steps = (speaker("a"), parallel([speaker("b"), speaker("c")]), loop([speaker("d")], until=lambda ctx: True))
    run = await record(flow(*steps))

    assert (
        "workflow Flow ok\n"
        "  agent Speaker ok\n"
        "    chat chat ok\n"
        "  parallel parallel ok\n"
        "    agent Speaker ok\n"
        "      chat chat ok\n"
        "    agent Speaker ok\n"
        "      chat chat ok\n"
        "  loop loop ok\n"
        "    agent Speaker ok\n"
        "      chat chat ok"
    ) == run.tree


async def test_a_turn_builds_messages_calls_the_model_and_executes_what_it_asks_for() -> None:
    """A visão de cima: a turn "monta as mensagens, chama o modelo, se pediu ferramenta: valida, executa, guarda o
    resultado, devolve a resposta" (builds the messages, calls the model, validates, executes and keeps the result)."""
    got: list[object] = []

    @Tool(name="double", description="Double.")
    class Double:
        async def execute(self, n: int) -> int:
            got.append(n)
            return 2 * n

    provider = ScriptedProvider([tool_call("double", n="21")])

    @Agent(provider=provider, prompt=Prompt("You double."), tools=[Double])
    class Doubling:
        pass

    run = await record(flow(Doubling), "Double 21")

    assert (Message("system", "You double."), Message("user", "Double 21")) == provider.calls[0].messages
    assert [21] == got
    asked, kept = run.conversation.history[1:]
    assert ("assistant", "tool", "42") == (asked.role, kept.role, kept.content)
    assert "42" == run.output


async def test_a_loop_repeats_its_block_until_until_is_true() -> None:
    """A visão de cima: "O `loop` repete o bloco interno até o `until` ser verdadeiro" (until it is true)."""
    seen: list[str | None] = []

    def until(ctx: Context) -> bool:
        seen.append(ctx.output)
        return ctx.output == "yes"

    await record(flow(loop([speaker("no", "maybe", "yes")], until=until)))

    assert ["no", "maybe", "yes"] == seen


async def test_parallel_runs_its_steps_at_the_same_time_on_one_state() -> None:
    """A visão de cima: "O `parallel` roda os passos ao mesmo tempo, sobre o mesmo estado" (at the same time, on the
    same state): each branch waits for what the other one does to it."""

    class Shared:
        def __init__(self) -> None:
            self.both = asyncio.Barrier(2)
            self.names: list[str] = []

    def branch(name: str) -> type:
        @Agent(provider=ScriptedProvider([name]), prompt=Prompt("p"))
        class Branch:
            def __init__(self, s: State[Shared]) -> None:
                self.s = s

            async def after_response(self, response: str) -> None:
                self.s.names.append(response)
                await self.s.both.wait()

        return Branch

    seen: list[list[str]] = []

    @Agent(provider=ScriptedProvider(["end"]), prompt=Prompt("p"))
    class Last:
        def __init__(self, s: State[Shared]) -> None:
            self.s = s

        def before_prompt(self) -> None:
            seen.append(sorted(self.s.names))

    async with asyncio.timeout(10):
        await record(flow(parallel([branch("a"), branch("b")]), Last, state=Shared))

    assert [["a", "b"]] == seen


# -- Um turno de agente, em detalhe (an agent's turn in detail)


async def test_the_exact_order_of_a_turn_with_a_tool() -> None:
    """Um turno de agente: before_prompt, the model, before_tool, execute, after_tool, after_response, and then
    "grava ctx.turn e ctx.output" (writes both)."""
    order: list[str] = []

    @Tool(name="act", description="Act.")
    class Act:
        async def execute(self) -> str:
            order.append("execute")
            return "done"

    def model(messages: tuple[Message, ...]) -> object:
        order.append("model")
        return tool_call("act")

    @Agent(provider=ScriptedProvider([model]), prompt=Prompt("p"), tools=[Act])  # type: ignore[list-item]
    class Ordered:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            order.append("before_prompt")

        def before_tool(self, call: ToolCall, ctx: Context) -> None:
            order.append("before_tool")

        def after_tool(self, result: ToolResult, ctx: Context) -> None:
            order.append("after_tool")

        def after_response(self, response: str, ctx: Context) -> None:
            order.append(f"after_response {ctx.turn} {ctx.output}")

    def until(ctx: Context) -> bool:
        order.append(f"until {ctx.turn.response if ctx.turn else None} {ctx.output}")
        return True

    await record(flow(loop([Ordered], until=until)))

    assert [
        "before_prompt",
        "model",
        "before_tool",
        "execute",
        "after_tool",
        "after_response None None",
        "until done done",
    ] == order


async def test_a_turn_without_a_tool_goes_straight_on() -> None:
    """Um turno de agente: "não → (segue)" (no: go on): without a tool call the tool's hooks aren't called."""
    order: list[str] = []

    @Agent(provider=ScriptedProvider(["answer"]), prompt=Prompt("p"), tools=[ReadFile])
    class Ordered:
        def before_prompt(self) -> None:
            order.append("before_prompt")

        def before_tool(self) -> None:
            order.append("before_tool")

        def after_tool(self) -> None:
            order.append("after_tool")

        def after_response(self) -> None:
            order.append("after_response")

    await record(flow(Ordered))

    assert ["before_prompt", "after_response"] == order


async def test_before_tool_and_execute_get_validated_arguments() -> None:
    """Um turno de agente: `execute` is "seu código, com args já validados" (your code, with validated arguments)."""
    got: list[object] = []

    @Tool(name="add", description="Add.")
    class Add:
        async def execute(self, n: int, by: int = 1) -> int:
            got.append((n, by))
            return n + by

    @Agent(provider=ScriptedProvider([tool_call("add", n="4")]), prompt=Prompt("p"), tools=[Add])
    class Adding:
        def before_tool(self, call: ToolCall) -> None:
            got.append(dict(call.args))

    await record(flow(Adding))

    assert [{"n": 4, "by": 1}, (4, 1)] == got


@pytest.mark.parametrize("where", ["before_prompt", "model", "before_tool", "after_tool", "after_response"])
async def test_whatever_is_raised_above_goes_to_on_error(where: str) -> None:
    """Um turno de agente: "qualquer throw acima → onError(error, ctx)" (any throw above goes to `on_error`)."""
    raised = LookupError(where)

    def play(here: str) -> None:
        if here == where:
            raise raised

    def model(messages: tuple[Message, ...]) -> object:
        play("model")
        return tool_call("read_file", path="a")

    @Agent(provider=ScriptedProvider([model]), prompt=Prompt("p"), tools=[ReadFile])  # type: ignore[list-item]
    class Failing:
        def before_prompt(self) -> None:
            play("before_prompt")

        def before_tool(self) -> None:
            play("before_tool")

        def after_tool(self) -> None:
            play("after_tool")

        def after_response(self) -> None:
            play("after_response")

        def on_error(self, error: Exception, ctx: Context) -> str:
            assert error is raised
            assert ctx.run_id
            return "recovered"

    assert "recovered" == (await record(flow(Failing))).output


async def test_without_any_hook_the_turn_is_the_same() -> None:
    """Um turno de agente: "Sem nenhum, o turno acontece igual" (without any hook, the turn is the same)."""

    @Agent(
        provider=ScriptedProvider([tool_call("read_file", path="a"), "answer"]), prompt=Prompt("p"), tools=[ReadFile]
    )
    class Watched:
        def before_prompt(self) -> None: ...
        def before_tool(self) -> None: ...
        def after_tool(self) -> None: ...
        def after_response(self) -> None: ...
        def on_error(self) -> None: ...

    bare = await record(flow(loop([speaker(tool_call("read_file", path="a"), "answer")], until=until_answered)))
    watched = await record(flow(loop([Watched], until=until_answered)))

    assert bare.tree.replace("Speaker", "Watched") == watched.tree
    assert [m.content for m in bare.conversation.history] == [m.content for m in watched.conversation.history]


# -- Contrato dos hooks (the hooks' contract)


async def test_what_a_hook_returns_replaces_and_nothing_keeps() -> None:
    """Contrato dos hooks: "Retornar um valor substitui. Retornar undefined mantém o original" (a value replaces,
    `None` keeps), so a `before_prompt` that only watches returns nothing."""
    provider = ScriptedProvider(["ok"])
    answers: list[str | None] = [None, "other", ""]

    @Agent(provider=provider, prompt=Prompt("own"))
    class Prompting:
        def before_prompt(self, prompt: str) -> str | None:
            return answers.pop(0)

    await record(flow(Prompting, Prompting, Prompting))

    assert ["own", "other", ""] == [call.messages[0].content for call in provider.calls]


# -- Um turno é uma chamada, não a tarefa toda (a turn is one call, not the whole task)


async def test_a_turn_is_one_model_call_and_at_most_one_tool() -> None:
    """Um turno é uma chamada: "uma chamada ao modelo e, no máximo, uma ferramenta" (one call and at most one tool)."""
    executed: list[str] = []

    @Tool(name="note", description="Note.")
    class Note:
        async def execute(self, text: str) -> str:
            executed.append(text)
            return text

    provider = ScriptedProvider([[tool_call("note", text="a"), tool_call("note", text="b")]])

    @Agent(provider=provider, prompt=Prompt("p"), tools=[Note])
    class Noting:
        pass

    await record(flow(Noting))

    assert (1, ["a"]) == (len(provider.calls), executed)


async def test_a_loop_gives_the_task_several_rounds() -> None:
    """Um turno é uma chamada: with `loop(..., until=until_answered, max_iterations=8)` the agent investigates and then
    answers."""
    provider = ScriptedProvider([tool_call("read_file", path="a"), tool_call("read_file", path="b"), "both are fine"])

    @Agent(provider=provider, prompt=Prompt("p"), tools=[ReadFile])
    class Reader:
        pass

    run = await record(flow(loop([Reader], until=until_answered, max_iterations=8)))

    assert ("both are fine", 3) == (run.output, len(provider.calls))
    assert "content of b" == provider.calls[2].messages[-1].content


async def test_without_a_loop_the_tools_result_is_the_output() -> None:
    """Um turno é uma chamada: without the loop the workflow ends there, "com o resultado da ferramenta como saída"
    (with the tool's result as its output), unread by the model."""
    provider = ScriptedProvider([tool_call("read_file", path="a"), "never"])

    @Agent(provider=provider, prompt=Prompt("p"), tools=[ReadFile])
    class Reader:
        pass

    run = await record(flow(Reader))

    assert ("content of a", 1) == (run.output, len(provider.calls))


# -- O que sobrevive entre os passos (what survives between the steps)


async def test_the_next_agent_sees_the_conversation_so_far() -> None:
    """O que sobrevive entre os passos: "Um agente adiciona seu turno ao histórico; o próximo agente já enxerga a
    conversa até ali" (an agent adds its turn to the history, and the next one sees it)."""
    second = ScriptedProvider(["second"])

    @Agent(provider=second, prompt=Prompt("q"))
    class Second:
        pass

    await record(flow(speaker("first"), Second), "hello")

    assert (Message("system", "q"), Message("user", "hello"), Message("assistant", "first")) == second.calls[0].messages


async def test_a_steps_answer_enters_the_next_as_the_assistants_speech() -> None:
    """O que sobrevive entre os passos: "a resposta de um passo entra no próximo como fala do assistente" (a step's
    answer enters the next one as the assistant's speech)."""
    run = await record(flow(speaker("a plan"), speaker("done")))

    assert Message("assistant", "a plan") == run.conversation.history[1]


# -- Onde ver isso acontecendo (where to see it happen)


def test_the_log_draws_the_pages_own_tree() -> None:
    """Onde ver isso acontecendo: with `log=True` "a árvore aparece ao vivo" (the tree appears live), in these lines."""

    @Agent(provider=ScriptedProvider([tool_call("read_file", path="a")]), prompt=Prompt("p"), tools=[ReadFile])
    class ReaderAgent:
        pass

    @Workflow(steps=[loop([ReaderAgent], until=lambda ctx: True)])
    class ReaderWorkflow:
        pass

    out = io.StringIO()
    with redirect_stdout(out):
        Thena(ReaderWorkflow, ThenaConfig(log=True)).run_sync("go")

    assert (
        "[thena] ▸ workflow ReaderWorkflow\n"
        "[thena]   ▸ loop\n"
        "[thena]     ▸ agent ReaderAgent\n"
        "[thena]       ▸ chat\n"
        "[thena]         ▸ tool read_file\n"
        "[thena]         ◂ tool read_file  TIME ✓\n"
        "[thena]       ◂ chat  TIME ✓\n"
        "[thena]     ◂ agent ReaderAgent  TIME ✓\n"
        "[thena]   ◂ loop  TIME ✓\n"
        "[thena] ◂ workflow ReaderWorkflow  TIME ✓\n"
    ) == re.sub(r"\d+ms|\d+\.\d\ds", "TIME", out.getvalue())


async def test_the_turn_is_summed_up_in_the_context() -> None:
    """Um turno de agente: what is written at its end is the turn's summary."""
    seen: list[Turn | None] = []

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class After:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            seen.append(ctx.turn)

    await record(flow(speaker(tool_call("read_file", path="a")), After))

    turn = Turn(called_tool=True, tool_name="read_file", tool_call_source="native", response="content of a")
    assert [turn] == seen
