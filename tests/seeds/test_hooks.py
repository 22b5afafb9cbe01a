"""The seed page "Hooks", promise by promise."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from thena_runtime import (
    Agent,
    AgentHooks,
    ChatInvocation,
    Completion,
    Context,
    FunctionCall,
    Message,
    Prompt,
    ScriptedProvider,
    State,
    Thena,
    Tool,
    ToolCall,
    ToolInvocation,
    ToolOutput,
    ToolResult,
    Workflow,
    loop,
    tool_call,
    until_answered,
)
from thena_runtime.steps import Step
from thena_runtime.testing import record


@Tool(name="greet", description="Greet somebody.")
class Greet:
    """A tool that works, but for nobody's greeting."""

    async def execute(self, name: str) -> str:
        """Greet."""
        if name == "nobody":
            raise LookupError("there is nobody")
        return f"hello {name}"


def flow(*steps: Step, state: type | None = None) -> type:
    """A workflow of these steps."""

    @Workflow(steps=steps, state=state)
    class Flow:
        pass

    return Flow


def greeting(hooks: type, *turns: object) -> type:
    """An agent with the methods of this class and the greeting tool."""
    provider = ScriptedProvider(turns or [tool_call("greet", name="ana")])  # type: ignore[arg-type]
    return Agent(provider=provider, prompt=Prompt("p"), tools=[Greet])(hooks)


# -- Hooks


async def test_only_the_hooks_that_exist_are_called() -> None:
    """Hooks: "Métodos opcionais na classe do agente. O runtime chama só o que existir" (optional methods; the runtime
    calls only what exists)."""
    called: list[str] = []

    class One:
        def after_response(self, response: str) -> None:
            called.append(response)

    run = await record(flow(greeting(One)))

    assert (["hello ana"], "hello ana") == (called, run.output)


async def test_the_base_class_is_optional_and_only_for_type_checkers() -> None:
    """Hooks: "`implements AgentHooks` é opcional e só checa as assinaturas" (is optional and only checks signatures):
    with it and without it an agent behaves alike."""

    class Plain:
        def after_response(self, response: str, ctx: Context) -> str:
            return response.upper()

    class Typed(AgentHooks):
        def after_response(self, response: str, ctx: Context, /) -> str:
            return response.upper()

    plain, typed = await record(flow(greeting(Plain))), await record(flow(greeting(Typed)))

    assert "HELLO ANA" == plain.output == typed.output


async def test_a_hook_may_mark_what_a_later_until_reads() -> None:
    """Hooks: the page's first example writes a free field of the context in `after_response`."""

    class Reviewer:
        async def after_response(self, response: str, ctx: Context) -> None:
            ctx.approved = "APPROVED" in response

    run = await record(flow(loop([greeting(Reviewer, "not yet", "APPROVED", "never")], until=lambda ctx: ctx.approved)))

    assert "APPROVED" == run.output


# -- O contrato (the contract)


@pytest.mark.behaviour("W23")
async def test_a_value_replaces_and_nothing_keeps() -> None:
    """O contrato: "Retornar um valor substitui. Retornar undefined mantém o original" (a value replaces, nothing keeps
    the original), in each of the hooks."""

    class Watching:
        def before_prompt(self, prompt: str) -> None: ...
        def before_tool(self, call: ToolCall) -> None: ...
        def after_tool(self, result: ToolResult) -> None: ...
        def after_response(self, response: str) -> None: ...

    class Replacing:
        def before_prompt(self, prompt: str) -> str:
            return prompt + "!"

        def before_tool(self, call: ToolCall) -> ToolCall:
            return ToolCall(call.name, {"name": "eva"})

        def after_tool(self, result: ToolResult) -> str:
            return result.output + "!"

        def after_response(self, response: str) -> str:
            return response + "!"

    watched, replaced = await record(flow(greeting(Watching))), await record(flow(greeting(Replacing)))

    assert ("hello ana", "hello eva!!") == (watched.output, replaced.output)


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_every_hook_may_be_async(kind: str) -> None:
    """O contrato: "Todos os cinco podem ser `async`" (all five can be async)."""
    called: list[str] = []

    class Sync:
        def before_prompt(self, prompt: str) -> None:
            called.append("before_prompt")

        def before_tool(self, call: ToolCall) -> None:
            called.append("before_tool")

        def after_tool(self, result: ToolResult) -> None:
            called.append("after_tool")

        def after_response(self, response: str) -> None:
            called.append("after_response")
            raise ValueError

        def on_error(self, error: Exception) -> str:
            called.append("on_error")
            return "ok"

    class Async:
        async def before_prompt(self, prompt: str) -> None:
            await asyncio.sleep(0)
            called.append("before_prompt")

        async def before_tool(self, call: ToolCall) -> None:
            await asyncio.sleep(0)
            called.append("before_tool")

        async def after_tool(self, result: ToolResult) -> None:
            await asyncio.sleep(0)
            called.append("after_tool")

        async def after_response(self, response: str) -> None:
            await asyncio.sleep(0)
            called.append("after_response")
            raise ValueError

        async def on_error(self, error: Exception) -> str:
            await asyncio.sleep(0)
            called.append("on_error")
            return "ok"

    run = await record(flow(greeting(Sync if kind == "sync" else Async)))

    assert ["before_prompt", "before_tool", "after_tool", "after_response", "on_error"] == called
    assert "ok" == run.output


# -- Ordem (order)


async def test_the_order_of_the_page() -> None:
    """Ordem: "beforePrompt → chamada ao modelo → beforeTool → execute → afterTool → afterResponse, qualquer throw →
    onError" (any throw goes to `on_error`)."""
    order: list[str] = []

    def model(messages: tuple[Message, ...]) -> object:
        order.append("model")
        return tool_call("act")

    @Tool(name="act", description="Act.")
    class Act:
        async def execute(self) -> None:
            order.append("execute")

    @Agent(provider=ScriptedProvider([model]), prompt=Prompt("p"), tools=[Act])  # type: ignore[list-item]
    class Ordered:
        def before_prompt(self) -> None:
            order.append("before_prompt")

        def before_tool(self) -> None:
            order.append("before_tool")

        def after_tool(self) -> None:
            order.append("after_tool")

        def after_response(self) -> None:
            order.append("after_response")
            raise ValueError

        def on_error(self) -> str:
            order.append("on_error")
            return ""

    await record(flow(Ordered))

    assert [
        "before_prompt", "model", "before_tool", "execute", "after_tool", "after_response", "on_error"
    ] == order  # fmt: skip


# -- beforePrompt(prompt, ctx)


@pytest.mark.behaviour("T204", "T205", "T206")
async def test_before_prompt_transforms_the_final_prompt() -> None:
    """beforePrompt: "Transforma o prompt final antes de ele ir ao provider" (transforms the final prompt before it goes
    to the provider); it gets the prompt and the context."""
    provider = ScriptedProvider(["ok"])
    got: list[object] = []

    @Agent(provider=provider, prompt=Prompt("You review."))
    class Dated:
        def before_prompt(self, prompt: str, ctx: Context) -> str | None:
            got.append([message.content for message in ctx.state.history])
            return f"{prompt} Today is Monday." if len(got) == 1 else None

    await record(flow(Dated, Dated))

    assert ["You review. Today is Monday.", "You review."] == [call.messages[0].content for call in provider.calls]
    assert [["go"], ["go", "ok"]] == got


# -- beforeTool(call, ctx)


@pytest.mark.behaviour("T207")
async def test_before_tool_gets_name_and_args_and_may_return_a_new_call() -> None:
    """beforeTool: "Devolva um `ToolCall` novo para trocar os argumentos" (return a new `ToolCall` to change the
    arguments); a call is its `name` and its `args`."""
    got: list[object] = []

    class Changing:
        def before_tool(self, call: ToolCall, ctx: Context) -> ToolCall:
            got.extend([call.name, dict(call.args), ctx.output])
            return ToolCall(name=call.name, args={"name": "eva"})

    run = await record(flow(greeting(Changing)))

    assert ["greet", {"name": "ana"}, None] == got
    assert "hello eva" == run.output


@pytest.mark.behaviour("T208")
async def test_an_exception_in_before_tool_cancels_the_execution() -> None:
    """beforeTool: "Um `throw` cancela a execução" (an exception cancels the execution): the tool isn't executed, and
    without an `on_error` the run fails with that very exception."""
    refusal = PermissionError("not ana")
    executed: list[str] = []

    @Tool(name="act", description="Act.")
    class Act:
        async def execute(self) -> None:
            executed.append("act")

    @Agent(provider=ScriptedProvider([tool_call("act")]), prompt=Prompt("p"), tools=[Act])
    class Refusing:
        def before_tool(self, call: ToolCall) -> None:
            raise refusal

    run = await record(flow(Refusing), raises=PermissionError)

    assert run.error is refusal
    assert [] == executed


# -- afterTool(result, ctx)


@pytest.mark.behaviour("T212")
async def test_after_tool_gets_the_call_and_its_result() -> None:
    """afterTool: a result is `name`, `args`, `output` and the mark of failure."""
    got: list[ToolResult] = []

    class Watching:
        def after_tool(self, result: ToolResult, ctx: Context) -> None:
            got.append(result)

    agent = greeting(Watching, tool_call("greet", name="ana"), tool_call("greet", name="nobody"))
    await record(flow(agent, agent))

    assert [
        ToolResult(name="greet", args={"name": "ana"}, output="hello ana", is_error=False),
        ToolResult(name="greet", args={"name": "nobody"}, output="there is nobody", is_error=True),
    ] == got


@pytest.mark.behaviour("T211")
async def test_after_tool_that_returns_nothing_keeps_the_output() -> None:
    """afterTool: nothing returned keeps the output, its mark of failure included."""

    class Watching:
        def after_tool(self, result: ToolResult) -> None:
            assert result.is_error

    run = await record(flow(greeting(Watching, tool_call("greet", name="nobody"))))

    assert (
        Message("tool", "there is nobody", (), run.conversation.history[1].tool_calls[0].id, "greet", True)
        == (run.conversation.history[-1])
    )


@pytest.mark.behaviour("T209")
async def test_a_string_changes_the_text_and_keeps_the_mark_of_failure() -> None:
    """afterTool: "Devolver uma `string` troca só o texto e preserva o `isError`" (a string changes only the text)."""

    class Softening:
        def after_tool(self, result: ToolResult) -> str:
            return "ask for somebody else"

        def after_response(self, response: str, ctx: Context) -> None:
            assert response == "ask for somebody else"

    seen: list[object] = []
    steps = [
        loop([greeting(Softening, tool_call("greet", name="nobody"))], until=lambda ctx: seen.append(ctx.turn) or 1)
    ]
    run = await record(flow(*steps))

    last = run.conversation.history[-1]
    assert ("ask for somebody else", True) == (last.content, last.is_error)
    assert [True] == [turn.tool_error for turn in seen]  # type: ignore[attr-defined]


@pytest.mark.behaviour("T210")
async def test_a_tool_output_changes_the_mark_of_failure_too() -> None:
    """afterTool: "Para mudar a marca de erro, devolva um `ToolOutput` completo" (to change the mark, return a whole
    `ToolOutput`)."""

    class Forgiving:
        def after_tool(self, result: ToolResult) -> ToolOutput:
            return ToolOutput("nobody needs a greeting")

    seen: list[object] = []
    steps = [
        loop([greeting(Forgiving, tool_call("greet", name="nobody"))], until=lambda ctx: seen.append(ctx.turn) or 1)
    ]
    run = await record(flow(*steps))

    last = run.conversation.history[-1]
    assert ("nobody needs a greeting", False) == (last.content, last.is_error)
    assert [False] == [turn.tool_error for turn in seen]  # type: ignore[attr-defined]


# -- afterResponse(response, ctx)


@pytest.mark.behaviour("T213", "T214")
async def test_after_response_replaces_the_turns_response_or_keeps_it() -> None:
    """afterResponse: what it returns is the step's output; nothing keeps the response."""

    class Signing:
        def after_response(self, response: str) -> str | None:
            return f"{response} (signed)" if response == "one" else None

    agent = greeting(Signing, "one", "two")
    outputs: list[str | None] = []
    await record(flow(loop([agent], until=lambda ctx: outputs.append(ctx.output) or len(outputs) == 2)))

    assert ["one (signed)", "two"] == outputs


async def test_after_response_most_often_records_a_decision_for_a_later_until() -> None:
    """afterResponse: "registrar uma decisão que um `until` posterior vai ler" (to record a decision that a later
    `until` reads), in the workflow's state."""

    class ReviewState:
        approved = False

    @Agent(provider=ScriptedProvider(["no", "APPROVED", "never"]), prompt=Prompt("p"))
    class Reviewer:
        def __init__(self, state: State[ReviewState]) -> None:
            self.state = state

        async def after_response(self, response: str) -> None:
            self.state.approved = "APPROVED" in response

    run = await record(flow(loop([Reviewer], until=lambda ctx, s: s.approved), state=ReviewState))

    assert "APPROVED" == run.output


# -- onError(error, ctx)


@pytest.mark.behaviour("T215", "T217")
async def test_on_error_turns_a_crash_into_a_degraded_answer() -> None:
    """onError: "Devolver um valor o torna a saída do agente — um crash vira resposta degradada" (a value becomes the
    agent's output); the run goes on, and the next agent reads it."""
    following = ScriptedProvider(["ok"])

    @Agent(provider=ScriptedProvider([ConnectionError("no network")]), prompt=Prompt("p"))
    class Careful:
        def on_error(self, error: Exception, ctx: Context) -> str:
            return f"try later: {error}"

    @Agent(provider=following, prompt=Prompt("q"))
    class Next:
        pass

    run = await record(flow(Careful, Next))

    assert "ok" == run.output
    assert Message("assistant", "try later: no network") == following.calls[0].messages[-1]


@pytest.mark.behaviour("T216", "W23")
async def test_on_error_that_returns_nothing_lets_the_error_go_on() -> None:
    """onError: "Não retornar nada deixa o erro seguir propagando" (returning nothing lets the error propagate)."""
    raised = ConnectionError("no network")

    class Watching:
        def on_error(self, error: Exception, ctx: Context) -> None:
            assert error is raised

    run = await record(flow(greeting(Watching, raised)), raises=ConnectionError)

    assert run.error is raised


# -- Não são chamados quando o agente define `run` (they aren't called when the agent defines `run`)


@pytest.mark.behaviour("T218")
async def test_no_hook_is_called_when_the_agent_defines_run() -> None:
    """Não são chamados quando o agente define `run`: "Uma classe de agente com método `run(input, ctx)` é dona do passo
    inteiro. Nenhum hook dispara" (owns the whole step; no hook is called)."""
    called: list[str] = []
    provider = ScriptedProvider(["never"])

    @Agent(provider=provider, prompt=Prompt("p"), tools=[Greet])
    class Owning:
        async def run(self, input: str, ctx: Context) -> str:
            return f"{input}, and no model was asked"

        def before_prompt(self) -> None:
            called.append("before_prompt")

        def after_response(self) -> None:
            called.append("after_response")

        def on_error(self) -> None:
            called.append("on_error")

    run = await record(flow(Owning), "hello")

    assert "hello, and no model was asked" == run.output
    assert ([], []) == (called, provider.calls)


# -- Hooks e middleware (hooks and middleware)


@pytest.mark.behaviour("T261", "W56")
async def test_a_tool_middleware_denies_so_that_the_model_can_recover() -> None:
    """beforeTool: "Para negar de forma que o modelo se recupere, use um middleware de tool devolvendo { content,
    isError: true }" (to deny so that the model recovers, return a `ToolOutput` marked as an error)."""

    async def deny(invocation: ToolInvocation, next: Callable[[], Awaitable[ToolOutput]]) -> ToolOutput:
        if invocation.args["name"] == "ana":
            return ToolOutput("ana must not be greeted", is_error=True)
        return await next()

    class Greeter:
        pass

    agent = greeting(Greeter, tool_call("greet", name="ana"), tool_call("greet", name="eva"), "greeted eva")
    app = Thena(flow(loop([agent], until=until_answered)))
    app.use(tool=deny)
    run = await record(app)

    observations = [(each.content, each.is_error) for each in run.conversation.history if each.role == "tool"]
    assert [("ana must not be greeted", True), ("hello eva", False)] == observations
    assert "greeted eva" == run.output


async def test_a_hook_belongs_to_one_class_and_a_middleware_to_the_whole_app() -> None:
    """Hooks e middleware, row "Escopo" (scope): a hook is of "uma classe de agente" (one agent class), a middleware of
    "todo agente do app" (every agent of the app)."""
    called: list[str] = []

    async def watch(invocation: ChatInvocation, next: Callable[[], Awaitable[Completion]]) -> Completion:
        called.append(f"middleware of {type(invocation.agent).__name__}")
        return await next()

    class Hooked:
        def before_prompt(self) -> None:
            called.append("hook of Hooked")

    class Plain:
        pass

    app = Thena(flow(greeting(Hooked, "a"), greeting(Plain, "b")))
    app.use(chat=watch)
    await record(app)

    assert ["hook of Hooked", "middleware of Hooked", "middleware of Plain"] == called


@pytest.mark.behaviour("T256", "T257", "T258", "T263")
async def test_a_middleware_sees_the_whole_execution() -> None:
    """Hooks e middleware, row "Enxerga" (sees): "a execução inteira, com next()" (the whole execution): what comes
    before, what comes after, and whether it happens at all; `app.use(tool=..., chat=...)` registers both kinds."""
    seen: list[object] = []

    async def around(invocation: ToolInvocation, next: Callable[[], Awaitable[ToolOutput]]) -> ToolOutput:
        seen.append(f"before {invocation.name} {invocation.args}")
        output = await next()
        seen.append(f"after {output.content}")
        return ToolOutput(output.content.upper())

    async def instead(invocation: ChatInvocation, next: Callable[[], Awaitable[Completion]]) -> Completion:
        return Completion(content="", tool_calls=(FunctionCall(name="greet", arguments={"name": "ana"}),))

    class Changing:
        def before_tool(self, call: ToolCall) -> ToolCall:
            return ToolCall(call.name, {"name": "eva"})

    app = Thena(flow(greeting(Changing, AssertionError("the model must not be asked"))))
    app.use(tool=around, chat=instead)
    run = await record(app)

    assert ["before greet {'name': 'eva'}", "after hello eva"] == seen
    assert "HELLO EVA" == run.output
