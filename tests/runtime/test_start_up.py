"""What `Thena(...)` refuses, and with which words; and what it reads when an app is made."""

import copy
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import pytest

from tests.support.refusals import flow, problem, with_agent
from thena_runtime import (
    Agent,
    Context,
    ContractError,
    Input,
    Prompt,
    ScriptedProvider,
    State,
    Thena,
    ThenaConfig,
    Tool,
    Workflow,
    loop,
    memory,
    parallel,
    until_answered,
)

PROVIDER = ScriptedProvider(["ok"])
PROMPT = Prompt("p")


class S:
    """A state."""


def with_tool(execute: object, **options: object) -> type:
    """A workflow of one agent with one tool `T` that has this `execute`."""
    options = {"name": "t", "description": "A tool.", **options}
    cls = type("T", (), {"execute": execute} if execute is not None else {})
    return with_agent(tools=[Tool(**options)(cls)])  # type: ignore[call-overload]


# -- every fault at once


async def test_every_fault_is_told_at_once_with_its_place() -> None:
    """One error has all findings, each with the line where it stands, and nothing is called."""
    called: list[str] = []

    @Tool(name="t", description="A tool.")
    class T:
        def execute(self, path: str, s: State[S]) -> str:
            return ""

    @Agent(provider=lambda: called.append("made"), prompt="./missing.agent.md", tools=[T])  # type: ignore[arg-type, return-value, func-returns-value]
    class A:
        def __init__(self, ctx: Context) -> None:
            called.append("made")

    @Workflow(steps=[A, loop([A], until=lambda ctx, s: True)])
    class Flow:
        pass

    with pytest.raises(ContractError) as caught:
        Thena(Flow)

    codes = sorted(finding.fault.code for finding in caught.value.findings)
    assert ["THN105", "THN201", "THN202", "THN301"] == codes
    text = str(caught.value)
    source = Path(__file__).read_text(encoding="utf-8").splitlines()
    for finding in caught.value.findings:
        place = caught.value.places[finding.anchor]
        assert f"{finding.fault.render()}\n    {place.path}:{place.line}" in text
    lines = {
        finding.fault.code: source[caught.value.places[finding.anchor].line - 1].strip()
        for finding in caught.value.findings
    }
    assert {
        "THN105": '@Agent(provider=lambda: called.append("made"), prompt="./missing.agent.md", tools=[T])  '
        "# type: ignore[arg-type, return-value, func-returns-value]",
        "THN201": "def execute(self, path: str, s: State[S]) -> str:",
        "THN202": "def __init__(self, ctx: Context) -> None:",
        "THN301": "@Workflow(steps=[A, loop([A], until=lambda ctx, s: True)])",
    } == lines
    assert [] == called


def test_a_nested_workflow_is_judged_too() -> None:
    """A fault inside a workflow that is a step stops the app, and is told of the workflow that has it."""

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class Needing:
        def __init__(self, s: State[S]) -> None:
            self.s = s

    @Workflow(steps=[Needing])
    class Inner:
        pass

    @Workflow(steps=[Inner], state=S)
    class Outer:
        pass

    with pytest.raises(ContractError) as caught:
        Thena(Outer)

    (finding,) = caught.value.findings
    assert finding.fault.message.endswith("Add `state=YourState` to `@Workflow` on `Inner`.")


def test_problems_without_a_code_come_along_with_the_findings() -> None:
    """Nothing is kept for the next try."""

    @Agent(provider=PROVIDER, prompt=PROMPT, output=S)
    class A:
        def __init__(self, ctx: Context) -> None:
            pass

    with pytest.raises(ContractError) as caught:
        Thena(flow(A))

    (told,) = caught.value.problems
    assert told.text.startswith("`output` of `A` is the class `S`, which a model can't be told about (")
    assert [told.render()] == caught.value.__notes__


# -- prompts


@pytest.mark.behaviour("T183")
def test_a_prompt_file_is_read_beside_the_file_of_its_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read when the app is made, from wherever the program was started, without a byte order mark."""
    package = tmp_path / "told"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "x.agent.md").write_bytes(b"\xef\xbb\xbfYou are h\xc3\xa9re.\n")
    (package / "flow.py").write_text(
        "from pathlib import Path\n"
        "from thena_runtime import Agent, ScriptedProvider, Workflow\n"
        "provider = ScriptedProvider(['ok'])\n"
        "@Agent(provider=provider, prompt='./x.agent.md')\n"
        "class A: ...\n"
        "@Agent(provider=provider, prompt=Path('x.agent.md'))\n"
        "class B: ...\n"
        "@Workflow(steps=[A, B])\n"
        "class Flow: ...\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    from told import flow as module  # type: ignore[import-not-found]

    app = Thena(module.Flow)
    (package / "x.agent.md").unlink()
    app.run_sync("hi")

    assert ["You are hére.\n"] * 2 == [call.messages[0].content for call in module.provider.calls]


def test_a_prompt_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """The text says which file it is, and what to do."""
    broken = tmp_path / "broken.agent.md"
    broken.write_bytes(b"\xff\xfe\x00")

    text = problem(with_agent(prompt=broken))

    assert text.startswith("the prompt file of `A` can't be read (")
    assert text.endswith(f": {broken}). Save it as UTF-8 text.")


# -- problems, one by one


def no_complete() -> type:
    """A class that is no provider."""
    return type("Model", (), {})


class Needy(ScriptedProvider):
    """A provider that can't be made without knowing more."""

    def __init__(self, model: str) -> None:
        super().__init__(["ok"])


PROVIDERS = "Give it an object with `complete` and `close`, or a class or function that makes one without arguments."
PROMPTS = 'Give `@Agent` a file beside the class (`prompt="./A.agent.md"`) or a text (`prompt=Prompt("...")`).'
TOOLS = "Put a class with `@Tool(...)` there, an object of one, or a function."


@pytest.mark.behaviour("T185", "T346")
@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"provider": None}, f"THN106 `A` has no `provider=`. {PROVIDERS}"),
        (
            {"provider": "gpt"},
            (
                "THN106 `A` has a value of type `str` as its provider, which is none. "
                'Give the name of a model to a provider, as in `provider=OpenAIProvider("gpt-4o")`.'
            ),
        ),
        (
            {"provider": no_complete()},
            f"THN106 `A` has the class `Model` as its provider, which has no method `complete`. {PROVIDERS}",
        ),
        (
            {"provider": Needy},
            (
                "THN106 `A` has the class `Needy` as its provider, which needs `model`, and is called without "
                f"arguments. {PROVIDERS}"
            ),
        ),
        ({"prompt": None}, f"THN104 `A` has no `prompt=`, so its model isn't told what to do. {PROMPTS}"),
        (
            {"prompt": 7},
            'THN117 `prompt` of `A` is `7`. Give the name of a file beside the class, or a text: `Prompt("...")`.',
        ),
        ({"tools": S}, "THN117 `tools` of `A` is the class `S`. Give a list: `[...]`."),
        ({"tools": [S]}, f"THN102 `A` has the undecorated class `S` as `tools[0]`, which is no tool. {TOOLS}"),
        ({"promt": "x"}, "THN110 `promt` is no option of `@Agent` on `A`. Use `prompt` instead."),
        (
            {"retries": 3},
            (
                "THN110 `retries` is no option of `@Agent` on `A`. "
                "Use one of `provider`, `prompt`, `tools`, `sampling`, `tool_calls`, `output`."
            ),
        ),
        (
            {"sampling": 0.5},
            ("THN117 `sampling` of `A` is a value of type `float`. Give a mapping, such as `{'temperature': 0}`."),
        ),
    ],
)
def test_an_agent_that_can_not_work_is_refused(options: dict[str, object], text: str) -> None:
    """Each text names the agent, what is wrong, and the repair."""
    assert text == problem(with_agent(**options))


@pytest.mark.behaviour("W27")
def test_an_agent_with_parameters_that_nothing_fills_is_refused() -> None:
    """Required ones that ask for nothing, that ask for what a constructor can't have, or for what isn't there yet."""

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class A:
        def __init__(self, name: str) -> None: ...

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class B:
        def __init__(self, args: Input[dict]) -> None: ...  # type: ignore[type-arg]

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class C:
        def __init__(self, m: Annotated[object, memory]) -> None: ...

    assert problem(flow(A)) == (
        "THN208 `A.__init__` parameter 0 `name` is required, and nothing fills it. "
        "Give it a default, or ask for what there is, as in `name: State[...]`."
    )
    assert problem(flow(B)) == (
        "THN203 `B.__init__` parameter 0 `args` asks for the input of a tool call, "
        "and when the object is made there is no call. Take `Input[...]` in a tool's `execute`."
    )
    assert problem(flow(C)) == (
        "THN205 `C.__init__` parameter 0 `m` asks for a memory, and the app of workflow `Flow` registers no store. "
        "Add one: `ThenaConfig(memory=[YourStore])`."
    )


def test_a_hook_that_needs_more_than_it_is_given_is_refused() -> None:
    """The text says how many there are."""

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class A:
        def before_prompt(self, prompt: str, ctx: Context, more: int) -> None: ...

    assert (
        "THN501 `A.before_prompt` needs 3 arguments, but it is called with `(prompt, ctx)`. "
        "Make it a method of `(self, prompt, ctx)`, which may leave out the last ones." == problem(flow(A))
    )


@pytest.mark.behaviour("W27")
def test_a_marker_that_would_have_no_effect_is_refused() -> None:
    """On a hook, on an agent's own `run` and in a tool's constructor nothing else is given in silence."""

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class A:
        def before_prompt(self, prompt: str, s: State[S]) -> None: ...

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class Late:
        async def after_response(self, response: str, *, m: Annotated[object, memory] = None) -> None: ...

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class B:
        def run(self, input: Input[dict], ctx: Context) -> None: ...  # type: ignore[type-arg]

    @Tool(name="t", description="x")
    class T:
        def __init__(self, s: State[S]) -> None: ...

        def execute(self) -> None: ...

    assert (
        "THN206 `A.before_prompt` parameter 1 `s` asks for the state, but it is called with `(prompt, ctx)`. "
        "Put it on a parameter of `A.__init__`, and keep what it is given on `self`." == problem(flow(A, state=S))
    )
    assert "THN206 `Late.after_response` parameter 1 `m` asks for a memory" in problem(flow(Late))
    assert (
        "THN206 `B.run` parameter 0 `input` asks for the input, but it is called with `(input, ctx)`. "
        "Put it on a parameter of a tool's `execute`." == problem(flow(B))
    )
    assert (
        "THN206 `T.__init__` parameter 0 `s` asks for the state, which a tool is given in `execute`. "
        "Put it on a parameter of `T.execute`."
        == problem(flow(Agent(provider=PROVIDER, prompt=PROMPT, tools=[T])(type("C", (), {})), state=S))
    )


@pytest.mark.behaviour("T192")
def test_a_tool_that_can_not_work_is_refused() -> None:
    """What a model couldn't call, and what Python couldn't fill."""

    def two_inputs(self: object, a: Input[dict], b: str) -> None: ...  # type: ignore[type-arg]

    def variadic(self: object, *paths: str) -> None: ...

    def no_schema(self: object, path: str, callback: S) -> None: ...

    def generator(self: object) -> object:
        yield 1

    def fine(self: object) -> None: ...

    def unknown(self: object, path: "Missing") -> None: ...  # type: ignore[name-defined]  # noqa: F821

    assert (
        "THN103 `T` has no method `execute`, so there is nothing to do when a model calls it. "
        "Add `execute` to `T`: its parameters are what the model fills in." == problem(with_tool(None))
    )
    assert "takes the whole input as `a`, and parameter 1 `b` beside it" in problem(with_tool(two_inputs))
    assert "THN404 `T.execute` parameter 0 `*paths` takes any number of arguments" in problem(with_tool(variadic))
    assert "THN403 `T.execute` parameter 1 `callback` is filled in by the model" in problem(with_tool(no_schema))
    assert "THN405 `T.execute` is a generator, because it has a `yield`" in problem(with_tool(generator))
    assert (
        "THN211 `T.execute` parameter 0 `path` is annotated with `Missing`, "
        "which can't be evaluated when the app is made. "
        "Import it at run time: at the top of the module, outside of `if TYPE_CHECKING`." == problem(with_tool(unknown))
    )
    assert (
        'THN109 `T` has the name `"read file"`, which no provider accepts. '
        "Give it a name of 1 to 64 letters, digits, `_` and `-`." == problem(with_tool(fine, name="read file"))
    )
    assert (
        "THN118 `@Tool` on `T` has no `description=`, which tells a model what the tool is for. "
        'Add `description="..."` to it.' == problem(with_tool(fine, description=None))
    )
    assert "THN110 `descripton` is no option of `@Tool` on `T`. Use `description` instead." == problem(
        with_tool(fine, descripton="x")
    )


def test_two_tools_of_one_name_are_refused() -> None:
    """A model couldn't tell them apart."""

    def read() -> None:
        """Read."""

    @Tool(name="read", description="Read.")
    class Read:
        def execute(self) -> None: ...

    assert problem(with_agent(tools=[read, Read])).startswith("THN108 `A` has two tools named `read`, and a model")


def test_a_function_without_a_docstring_is_no_tool() -> None:
    """The docstring is all that the model is told."""

    def read() -> None: ...

    assert problem(with_agent(tools=[read])).startswith("THN109 `read` has no docstring, and a model is told by it")


@pytest.mark.parametrize(
    ("steps", "options", "text"),
    [
        ([], {}, "THN107 `steps` of workflow `Flow` is empty, so there is nothing to run."),
        ([parallel([])], {}, "THN107 `steps[0].steps` of workflow `Flow` is empty, so there is nothing to run."),
        (
            ["loop without steps"],
            {},
            "THN107 `steps[0].steps` of workflow `Flow` is missing, so there is nothing to run.",
        ),
        (
            ["loop without until"],
            {},
            "THN303 `steps[0].until` of workflow `Flow` is missing, so the loop can't ask whether it is done.",
        ),
        (
            ["until no function"],
            {},
            "THN303 `steps[0].until` of workflow `Flow` is a value of type `bool`, which can't be called,",
        ),
        (
            ["no iterations"],
            {},
            "THN305 `steps[0].max_iterations` of workflow `Flow` is 0, and a loop counts from 1.",
        ),
        (
            ["half an iteration"],
            {},
            "`steps[0].max_iterations` of `Flow` is a value of type `Fraction`. Give a whole number from 1, or",
        ),
        (
            ["on_fail with three"],
            {},
            "THN306 `steps[0].on_fail` of workflow `Flow` needs 3 arguments, but it is called with `(ctx, failure)`.",
        ),
        (
            ["loop of a state"],
            {},
            "THN304 `steps[0].state` names `S`, but workflow `Flow` declares none as its state.",
        ),
        (
            ["agent"],
            {"state": "S"},
            "THN601 `state=` of workflow `Flow` is a value of type `str`, which is no class,",
        ),
        (
            ["agent"],
            {"state": Needy},
            "THN601 `state=` of workflow `Flow` is `Needy`, which can't be made without `model`,",
        ),
    ],
)
def test_steps_that_can_not_be_walked_are_refused(steps: list[object], options: dict[str, object], text: str) -> None:
    """Each text says where, by position."""

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class A:
        pass

    made = {
        "agent": A,
        "loop without steps": loop(until=until_answered),  # type: ignore[call-overload]
        "half an iteration": loop([A], until=until_answered, max_iterations=Fraction(1, 2)),  # type: ignore[call-overload]
        "loop without until": loop([A]),  # type: ignore[call-overload]
        "until no function": loop([A], until=True),  # type: ignore[call-overload]
        "no iterations": loop([A], until=until_answered, max_iterations=0),
        "on_fail with three": loop([A], until=until_answered, on_fail=lambda ctx, failure, more: None),
        "loop of a state": loop([A], until=until_answered, state=S),  # type: ignore[call-overload]
    }

    assert problem(flow(*[made.get(str(step), step) for step in steps], **options)).startswith(text)


def test_a_decorator_without_its_call_is_refused() -> None:
    """The text shows what to write."""

    @Agent  # type: ignore[call-overload]
    class A:
        pass

    @Tool  # type: ignore[call-overload]
    class T:
        pass

    @Workflow  # type: ignore[call-overload]
    class W:
        pass

    for workflow, name, decorator in (
        (flow(A), "A", "Agent"),
        (with_agent(tools=[T]), "T", "Tool"),
        (W, "W", "Workflow"),
    ):
        assert (
            f"THN112 `{name}` is decorated with `@{decorator}` without a call. Write `@{decorator}(...)`."
            == problem(workflow)
        )


def test_two_declarations_on_one_class_are_refused() -> None:
    """A class is one thing."""

    @Agent(provider=PROVIDER, prompt=PROMPT)
    @Tool(name="t", description="x")
    class Both:
        def execute(self) -> None: ...

    assert (
        "THN114 `Both` has `@Agent` and `@Tool`, but a class is declared only once. Take all of them away but one."
        == problem(flow(Both))
    )


def test_a_workflow_that_contains_itself_is_refused() -> None:
    """It could only be written through a list that is changed later."""

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class A:
        pass

    steps: list[type] = [A]

    @Workflow(steps=steps)
    class Flow:
        pass

    steps.append(Flow)

    assert (
        "THN111 `steps[1]` of workflow `Flow` is that workflow itself, so a run of it would never end. "
        "Take `Flow` out of these steps, and repeat steps with `loop`." == problem(Flow)
    )


@pytest.mark.behaviour("T190")
@pytest.mark.parametrize("target", [S, "Flow", with_agent()(), None], ids=["class", "string", "instance", "nothing"])
def test_only_a_workflow_makes_an_app(target: object) -> None:
    """The text says what to give."""
    with pytest.raises(TypeError, match=r"is no workflow\. Give `Thena` a class decorated with `@Workflow"):
        Thena(target)  # type: ignore[arg-type]


def test_a_config_is_a_config() -> None:
    """A dict in its place is told at once."""
    with pytest.raises(TypeError, match=r"got a `dict` as its config\. Give it `ThenaConfig"):
        Thena(with_agent(), {"log": True})  # type: ignore[arg-type]

    assert ThenaConfig(log=True) == Thena(with_agent(), ThenaConfig(log=True)).config


@pytest.mark.parametrize("copied", [replace, copy.copy, copy.deepcopy])
def test_a_copy_of_a_config_forgets_no_option(copied: Callable[[ThenaConfig], ThenaConfig]) -> None:
    """An option that doesn't exist is told of after `dataclasses.replace` too, and what was changed is changed."""
    misspelt: dict[str, Any] = {"budgt": None}
    config = copied(ThenaConfig(**misspelt, keep_bytes=7))
    again = copied(replace(config, log=True))

    for each in (config, again):
        with pytest.raises(ContractError) as caught:
            Thena(with_agent(), each)
        assert ["THN110 `budgt` is no option of `ThenaConfig` of an app of `Flow`. Use `budget` instead."] == [
            finding.fault.render().removeprefix("[thena] ") for finding in caught.value.findings
        ]
    assert (False, True, 7) == (config.log, again.log, again.keep_bytes)
    assert replace(ThenaConfig(), keep_bytes=7) == ThenaConfig(keep_bytes=7)


def test_what_a_copy_hands_on_is_no_option() -> None:
    """Whoever gives it by hand is told like of any other name."""
    by_hand: dict[str, Any] = {"given": {"budgt": None}}
    with pytest.raises(ContractError, match="THN110 `given` is no option of `ThenaConfig`"):
        Thena(with_agent(), ThenaConfig(**by_hand))


def test_an_agent_may_be_declared_once_and_used_twice() -> None:
    """Its problem is told once."""

    @Agent(provider=PROVIDER, prompt=None)  # type: ignore[call-overload]
    class A:
        pass

    assert problem(flow(A, A)).startswith("THN104 `A` has no `prompt=`,")


def test_what_is_remembered_is_not_inherited() -> None:
    """A subclass of an agent is no agent until it is declared."""

    @Agent(provider=PROVIDER, prompt=PROMPT)
    class A:
        pass

    class B(A):
        pass

    with pytest.raises(ContractError) as caught:
        Thena(flow(B))

    assert ["THN101"] == [finding.fault.code for finding in caught.value.findings]


def test_an_app_without_tools_loads_neither_pydantic_nor_an_http_client() -> None:
    """What is slow to import comes with the first tool, or with a provider that needs it."""
    source = (
        "import sys\n"
        "from thena_runtime import Agent, Prompt, ScriptedProvider, Thena, Workflow\n"
        "@Agent(provider=ScriptedProvider(['ok']), prompt=Prompt('p'))\n"
        "class A: ...\n"
        "@Workflow(steps=[A])\n"
        "class Flow: ...\n"
        "Thena(Flow).run_sync('x')\n"
        "print(sorted({'pydantic', 'httpx', 'rich'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", source],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert ("[]\n", "") == (done.stdout, done.stderr)
