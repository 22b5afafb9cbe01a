"""The report of a run: what stands in it, what doesn't, and that a run never minds it."""

import asyncio
import base64
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from thena_runtime import (
    Agent,
    Budget,
    ChatInvocation,
    Completion,
    CompletionRequest,
    FunctionCall,
    Prompt,
    ReportOptions,
    ScriptedProvider,
    Thena,
    ThenaConfig,
    Usage,
    Workflow,
    context_window,
    current_context,
    loop,
    parallel,
    tool_call,
    until_answered,
)
from thena_runtime.redaction import redact_text
from thena_runtime.report.capture import Capture
from thena_runtime.steps import Step
from thena_runtime.testing import FakeClock


def flow(*steps: Step) -> type:
    """A workflow of these steps."""

    @Workflow(steps=steps)
    class Flow:
        pass

    return Flow


def speaker(*turns: object, tools: tuple[object, ...] = (), name: str = "Speaker") -> type:
    """An agent that plays these turns."""

    @Agent(provider=ScriptedProvider(turns), prompt=Prompt("p"), tools=tools)  # type: ignore[arg-type]
    class Speaker:
        pass

    Speaker.__name__ = name
    return Speaker


def look(word: str) -> str:
    """Look a word up."""
    if word == "nothing":
        raise ValueError("there is no such word, password=hunter22")
    return f"about {word}"


def reading(folder: Path, **options: Any) -> ThenaConfig:
    """A config whose runs are written to a folder, at a clock that stands still."""
    return ThenaConfig(clock=FakeClock(), report=ReportOptions(folder=folder, **options))


def documents(folder: Path) -> list[dict[str, Any]]:
    """The reports in a folder, in the order in which the runs began."""
    return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*/run.json"))]


async def document(app: Thena, folder: Path, prompt: str = "go", **options: Any) -> dict[str, Any]:
    """Run once, however that ends, and read the report."""
    async with app:
        handle = app.run(prompt, **options)
        await handle.settle()
    [found] = documents(folder)
    assert found["run"]["id"] == handle.run_id
    return found


def without_ids(value: Any) -> Any:
    """A JSON value with the ids of calls numbered in the order in which they come up."""
    names: dict[str, str] = {}
    text = re.sub(
        r"call_[0-9a-f]{32}", lambda found: names.setdefault(found[0], f"call {len(names) + 1}"), json.dumps(value)
    )
    return json.loads(text)


@pytest.mark.behaviour("T329", "T336", "T325", "T287", "W49")
async def test_a_report_has_the_tree_of_the_run_and_each_message_once(tmp_path: Path) -> None:
    """Every node with what was sent, answered, called and told; a request says only what is new in it."""
    turns = (tool_call("look", word="key sk-abcdefghijklmnop1234"), tool_call("look", word="nothing"), "done")
    app = Thena(flow(loop([speaker(*turns, tools=(look,))], until=until_answered)), reading(tmp_path))

    found = without_ids(await document(app, tmp_path, "my token=abcd1234", observe=False))

    traces = [each.pop("traceback") for each in found["nodes"] if "traceback" in each]
    assert [True] == ['test_report.py", line ' in trace and ", in look\n" in trace for trace in traces]
    run_id = found["run"].pop("id")
    expected = {
        "thena_report": 1,
        "run": {
            "workflow": "Flow",
            "started": 1_000_000_000.0,
            "duration": 0.0,
            "chat_calls": 3,
            "tool_calls": 2,
            "failed_nodes": 1,
            "has_content": True,
            "is_whole": True,
            "title": "my token=[REDACTED]",
            "is_redacted": True,
        },
        "prompt": "my token=[REDACTED]",
        "output": "done",
        "tools": found["tools"],
        "messages": [
            {"role": "system", "content": "p"},
            {"role": "user", "content": "my token=[REDACTED]"},
            {
                "role": "assistant",
                "content": "",
                "calls": [{"id": "call 1", "name": "look", "arguments": {"word": "key sk-[REDACTED]"}}],
            },
            {"role": "tool", "content": "about key sk-[REDACTED]", "call_id": "call 1", "tool": "look"},
            {
                "role": "assistant",
                "content": "",
                "calls": [{"id": "call 2", "name": "look", "arguments": {"word": "nothing"}}],
            },
            {
                "role": "tool",
                "content": "there is no such word, password=[REDACTED]",
                "call_id": "call 2",
                "tool": "look",
                "is_error": True,
            },
            {"role": "assistant", "content": "done"},
        ],
        "nodes": [
            node(1, None, "workflow", "Flow", data={"chat_calls": 3, "tool_calls": 2, "tokens": 0}),
            node(2, 1, "loop", "loop", data={"stopped_by": "until", "iterations": 3, "fails": 1}),
            node(3, 2, "agent", "Speaker"),
            node(4, 3, "chat", "chat", requests=[request(1, system=[0], new=[1], answer=2)]),
            node(5, 4, "tool", "look", call_id="call 1", arguments={"word": "key sk-[REDACTED]"}, result=3),
            node(6, 2, "agent", "Speaker"),
            node(7, 6, "chat", "chat", requests=[request(2, system=[0], after=1, kept=1, new=[2, 3], answer=4)]),
            node(
                8,
                7,
                "tool",
                "look",
                status="error",
                error="there is no such word, password=[REDACTED]",
                call_id="call 2",
                arguments={"word": "nothing"},
                result=5,
            ),
            node(9, 2, "agent", "Speaker"),
            node(10, 9, "chat", "chat", requests=[request(3, system=[0], after=2, kept=3, new=[4, 5], answer=6)]),
        ],
    }  # fmt: skip
    assert expected == found
    assert ["look"] == [tool["name"] for tool in found["tools"]]
    assert sorted([run_id, "index.html"]) == sorted(path.name for path in tmp_path.iterdir())


def node(
    number: int, parent: int | None, kind: str, name: str, *, status: str = "ok", **more: object
) -> dict[str, Any]:
    """A node of a report of a run that took no time."""
    above = {} if parent is None else {"parent": parent}
    return {"id": number, **above, "kind": kind, "name": name, "start": 0.0, "duration": 0.0, "status": status, **more}


def request(number: int, **more: object) -> dict[str, Any]:
    """A request of a report to the scripted model, which is told of one tool."""
    return {"number": number, "provider": "ScriptedProvider", "tools": [0], **more}


def said(found: dict[str, Any], number: int) -> list[str]:
    """What was sent with a request: its messages put together, in the words of the report alone."""
    requests = {each["number"]: each for node in found["nodes"] for each in node.get("requests", ())}

    def others(number: int) -> list[int]:
        asked = requests[number]
        before = others(asked["after"])[: asked["kept"]] if "after" in asked else []
        return [*before, *asked.get("new", ())]

    numbers = [*requests[number].get("system", ()), *others(number)]
    return [found["messages"][each]["content"] for each in numbers]


async def test_what_was_sent_can_be_put_together_again(tmp_path: Path) -> None:
    """Of every call, behind a window, in branches and with a prompt that is never the same, word for word."""
    sent: list[list[str]] = []

    class Model:
        async def complete(self, request: CompletionRequest) -> Completion:
            await asyncio.sleep(0)
            sent.append([message.content for message in request.messages])
            return Completion(content="", tool_calls=(FunctionCall(name="look", arguments={"word": str(len(sent))}),))

        async def close(self) -> None: ...

    @Agent(provider=Model(), prompt=Prompt("p"), tools=[look])
    class Caller:
        def before_prompt(self, prompt: str) -> str:
            return f"{prompt} {len(sent)}"

    rounds = loop([Caller], until=until_answered, max_iterations=7, max_repeats=None)
    app = Thena(flow(rounds, parallel([rounds, rounds]), rounds), reading(tmp_path))
    app.use(chat=context_window(max_turns=3))

    found = await document(app, tmp_path)

    assert 28 == len(sent)
    assert sorted(sent) == sorted(said(found, number) for number in range(1, 29))


@pytest.mark.parametrize("turns", [20, 40, 80])
async def test_a_report_grows_with_the_run_and_not_with_its_square(turns: int, tmp_path: Path) -> None:
    """Twice as many turns take twice as much, where each of them sends the whole conversation."""
    calls = [tool_call("look", word=f"{number:05}") for number in range(turns)]
    rounds = loop([speaker(*calls, "done", tools=(look,))], until=until_answered, max_iterations=None)
    await document(Thena(flow(rounds), reading(tmp_path)), tmp_path)

    [page] = tmp_path.glob("*/index.html")
    empty = 16_000
    assert page.stat().st_size - empty < turns * 1_700
    assert page.with_name("run.json").stat().st_size < turns * 900


@pytest.mark.behaviour("T307")
async def test_nothing_is_cut_off_and_a_long_text_is_shown_when_it_is_asked_for(tmp_path: Path) -> None:
    """An answer of a million characters is whole in both files; the page shows the first 64 K at once."""
    long = "word " * 200_000
    found = await document(Thena(flow(speaker(long)), reading(tmp_path)), tmp_path)

    assert [long] == [message["content"] for message in found["messages"] if message["role"] == "assistant"]
    [page] = tmp_path.glob("*/index.html")
    shown = page.read_text("utf-8")
    assert 1 + 1 == shown.count("<summary>show all, 1,000,000 characters</summary>"), "as the answer, and the output"


@pytest.mark.parametrize(("answer", "told"), [("again", 2), ("again " * 300, 1)])
async def test_a_short_answer_is_told_wherever_it_is_given(answer: str, told: int, tmp_path: Path) -> None:
    """A long one once; the second time a link leads to it."""
    await document(Thena(flow(speaker(answer), speaker(answer)), reading(tmp_path)), tmp_path)

    [page] = tmp_path.glob("*/index.html")
    text = page.read_text("utf-8")
    assert told == len(re.findall(r'<h4>answer</h4><div class="assistant"', text))
    assert 2 - told == len(re.findall(r'<h4>answer</h4><p class="assistant"><a href="#m2">', text))


# -- what ends a run


class Failing:
    """A model that can't be reached."""

    async def complete(self, request: CompletionRequest) -> Completion:
        raise ConnectionError("no route to the model")

    async def close(self) -> None: ...


def agent_of(provider: object) -> type:
    """An agent with a provider of a test's own."""

    @Agent(provider=provider, prompt=Prompt("p"))  # type: ignore[arg-type]
    class Speaker:
        pass

    return Speaker


async def test_a_failure_is_told_where_it_comes_from(tmp_path: Path) -> None:
    """The innermost node has the traceback, those around it refer to it, and what was sent is there all the same."""
    found = await document(Thena(flow(agent_of(Failing())), reading(tmp_path)), tmp_path)

    workflow, agent, chat = found["nodes"]
    assert [3, 3, None] == [node.get("raised_in") for node in (workflow, agent, chat)]
    assert "in complete" in chat["traceback"]
    assert ["p", "go"] == said(found, 1)
    assert ("error", "ConnectionError: no route to the model") == (found["run"]["stopped_by"], found["error"])
    [page] = tmp_path.glob("*/index.html")
    text = page.read_text("utf-8")
    assert '<em class="word error">failed</em>' in text
    assert '<a href="#n3">where it comes from: chat</a>' in text


async def ends(folder: Path, steps: tuple[Step, ...], act: Callable[[Any], object] = id, **options: Any) -> str:
    """How the page says that a run ended."""
    async with Thena(flow(*steps), ThenaConfig(report=ReportOptions(folder=folder))) as app:
        handle = app.run("go", **options)
        await asyncio.sleep(0.01)
        act(handle)
        await handle.settle()
        assert handle.report is not None
    found = re.search(r'<h1>Flow <em class="word \w+">(.*?)</em></h1>', handle.report.read_text("utf-8"))
    assert found is not None
    return found[1]


async def test_every_end_of_a_run_has_its_own_words(tmp_path: Path) -> None:
    """Finished, stopped by code or budget or a brake, aborted and failed are told apart."""

    def stopping(word: str) -> str:
        """Stop."""
        current_context().stop()
        return word

    asking = speaker(tool_call("look", word="a"), tools=(look,))
    brake = loop([asking], until=until_answered, max_iterations=2, max_repeats=None)
    found = [
        await ends(tmp_path, (speaker("ok"),)),
        await ends(tmp_path, (speaker(tool_call("stopping", word="a"), tools=(stopping,)), speaker("ok"))),
        await ends(tmp_path, (speaker("ok"), speaker("ok")), budget=Budget(max_chat_calls=1)),
        await ends(tmp_path, (brake,)),
        await ends(tmp_path, (loop([asking], until=until_answered, max_repeats=2),)),
        await ends(
            tmp_path, (loop([speaker(tool_call("look", word="nothing"), tools=(look,))], until=until_answered),)
        ),
        await ends(tmp_path, (agent_of(ScriptedProvider(["ok"], delay=60)),), lambda handle: handle.abort("enough")),
        await ends(tmp_path, (agent_of(Failing()),)),
    ]
    assert [
        "finished",
        "stopped by the code",
        "stopped by its budget",
        "stopped: iterations exhausted",
        "stopped: nothing new any more",
        "stopped: tools kept failing",
        "aborted",
        "failed",
    ] == found
    index = (tmp_path / "index.html").read_text("utf-8")
    assert [1] * 8 == [index.count(f">{words}</em>") for words in found]


async def test_the_usage_is_added_up(tmp_path: Path) -> None:
    """Tokens and cost of all calls, and what a middleware answers is told as that."""

    class Model:
        model = "tiny"

        async def complete(self, request: CompletionRequest) -> Completion:
            return Completion(
                content="a", usage=Usage(prompt_tokens=5, completion_tokens=2, cached_tokens=1, cost_usd=0.5)
            )

        async def close(self) -> None: ...

    async def shouting(call: ChatInvocation, go_on: Callable[[], Awaitable[Completion]]) -> Completion:
        answer = await go_on()
        return Completion(content=answer.content.upper(), usage=answer.usage)

    app = Thena(flow(agent_of(Model()), agent_of(Model())), reading(tmp_path))
    app.use(chat=shouting)
    found = await document(app, tmp_path)

    totals = ("prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd")
    assert [10, 4, 2, 1.0] == [found["run"][name] for name in totals]
    first = found["nodes"][2]["requests"]
    assert [("Model", "tiny", "a"), ("middleware", None, "A")] == [
        (each["provider"], each.get("model"), found["messages"][each["answer"]]["content"]) for each in first
    ]


# -- what doesn't stand in it


@pytest.mark.behaviour("T328")
async def test_a_report_without_contents_has_the_tree_and_the_numbers(tmp_path: Path) -> None:
    """No prompt, answer, argument, result or text of an error; of an error its class."""
    turns = (tool_call("look", word="nothing"), "an answer")
    rounds = loop([speaker(*turns, tools=(look,))], until=until_answered)
    found = await document(Thena(flow(rounds), reading(tmp_path, content=False)), tmp_path, "a question")

    told = json.dumps(found) + next(tmp_path.glob("*/index.html")).read_text("utf-8")
    assert [] == [word for word in ("nothing", "an answer", "a question", "no such word") if word in told]
    assert [("tool", "look", "error", "ValueError")] == [
        (node["kind"], node["name"], node["status"], node["error"]) for node in found["nodes"] if "error" in node
    ]
    assert (2, 1) == (found["run"]["chat_calls"], found["run"]["tool_calls"])


@pytest.mark.behaviour("T324", "T326", "T327")
async def test_what_is_masked_is_the_users_to_say(tmp_path: Path) -> None:
    """By default secrets are; `False` masks nothing; a function masks what it wants and may have the default go on."""

    def mine(name: str, text: str) -> str:
        return redact_text(name, text.replace("Ada", f"<{name}>"))

    turns = (tool_call("look", word="nothing"), "Ada's password=hunter22")
    seen = []
    for option in (True, False, mine):
        folder = tmp_path / str(len(seen))
        rounds = loop([speaker(*turns, tools=(look,))], until=until_answered)
        found = await document(Thena(flow(rounds), reading(folder, redact=option)), folder)
        failed = [node["error"] for node in found["nodes"] if "error" in node]
        seen.append((found["output"], *failed, found["run"]["is_redacted"]))

    assert [
        ("Ada's password=[REDACTED]", "there is no such word, password=[REDACTED]", True),
        ("Ada's password=hunter22", "there is no such word, password=hunter22", False),
        ("<output>'s password=[REDACTED]", "there is no such word, password=[REDACTED]", True),
    ] == seen


async def test_the_runs_data_is_never_in_it_and_metadata_is_masked(tmp_path: Path) -> None:
    """What a caller carries through stays with the caller; what code adds to a node is masked by its names."""

    def note(word: str) -> str:
        """Note."""
        ctx = current_context()
        ctx.meta(seen=[ctx.data["account"][:3]], api_key="k", iterations="many", attempts=None)
        return word

    rounds = loop([speaker(tool_call("note", word="a"), "ok", tools=(note,))], until=until_answered)
    found = await document(Thena(flow(rounds), reading(tmp_path)), tmp_path, data={"account": "acme-account"})

    assert "acme-account" not in json.dumps(found)
    assert [{"seen": ["acm"], "api_key": "[REDACTED]", "iterations": "many", "attempts": None}] == [
        node["data"] for node in found["nodes"] if node["kind"] == "tool"
    ]


# -- what is hostile

EVIL = (
    "</script><script>document.title='x'</script><img src=x onerror=\"alert(1)\"><!-- ]]> &amp; \" ' "
    "\u2028 \x00 \x1b[31mred \ud800 \u202e \x9b \r\n \r"
)


class Markup(HTMLParser):
    """What of a page is markup: its elements, and the attributes that could do something."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.scripts = 0
        self.acting: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See an element."""
        self.elements.add(tag)
        self.scripts += tag == "script"
        self.acting += [f"{name}={value}" for name, value in attrs if name in ("src", "style") or name.startswith("on")]
        self.acting += [str(value) for name, value in attrs if name == "href" and re.match(r"\s*\w+:", value or "")]


async def test_a_text_stays_a_text_whoever_wrote_it(tmp_path: Path) -> None:
    """Markup, controls, halves of characters: in a prompt, an answer, a name, arguments, results, data and errors."""

    def evil(text: str) -> str:
        """Give it back."""
        current_context().meta(**{EVIL: EVIL})
        if "raise" in text:
            raise ValueError(EVIL)
        return text

    calls = (
        FunctionCall(name="evil", arguments={"text": EVIL, EVIL: float("nan")}),
        FunctionCall(name="evil", arguments={"text": f"raise {EVIL}"}),
        FunctionCall(name=EVIL, arguments=EVIL),
    )

    class Model:
        model = EVIL

        async def complete(self, request: CompletionRequest) -> Completion:
            done = sum(message.role == "tool" for message in request.messages)
            return Completion(content=EVIL, tool_calls=calls[done : done + 1])

        async def close(self) -> None: ...

    @Agent(provider=Model(), prompt=Prompt(EVIL), tools=[evil])
    class Victim:
        pass

    app = Thena(flow(loop([Victim], until=until_answered, max_fails=None)), reading(tmp_path, redact=False))
    found = await document(app, tmp_path, EVIL)

    assert EVIL == found["output"] == found["messages"][0]["content"] == found["messages"][1]["content"]
    assert {"text": EVIL, EVIL: "nan"} == next(node["arguments"] for node in found["nodes"] if node["kind"] == "tool")
    for page in (next(tmp_path.glob("*/index.html")), tmp_path / "index.html"):
        text = page.read_text("utf-8")
        seen = Markup()
        seen.feed(text)
        assert {"img", "iframe", "object", "form", "base"} & seen.elements == set()
        assert (1, ["data:,"]) == (seen.scripts, seen.acting)
        assert re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text) is None


async def test_a_page_lets_nothing_run_but_its_own_script_and_style(tmp_path: Path) -> None:
    """Its policy forbids everything, and names these two by their hashes."""
    await document(Thena(flow(speaker(EVIL)), reading(tmp_path)), tmp_path)

    for page in (next(tmp_path.glob("*/index.html")), tmp_path / "index.html"):
        text = page.read_text("utf-8")
        style, script = (
            base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
            for tag in ("style", "script")
            for part in re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        )
        expected = (
            f"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; img-src data:; "
            "base-uri 'none'; form-action 'none'"
        )
        assert [expected] == re.findall('<meta http-equiv="Content-Security-Policy" content="([^"]+)">', text)


@pytest.mark.parametrize("depth", [50, 300])
async def test_arguments_that_go_deep_are_kept_as_far_as_anybody_reads(depth: int, tmp_path: Path) -> None:
    """A structure that is nested without end ends no report."""
    deep: object = "x"
    for _ in range(depth):
        deep = [deep]
    found = await document(
        Thena(flow(speaker(tool_call("look", word=deep), tools=(look,))), reading(tmp_path)), tmp_path
    )
    assert 1 == sum(node["kind"] == "tool" for node in found["nodes"])
    assert len(list(tmp_path.glob("*/index.html"))) == 1


# -- that a run never minds


@pytest.mark.behaviour("W47")
async def test_a_folder_that_can_not_be_written_is_one_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Runs go as they go, and what is wrong is said once, with what to do."""
    blocked = tmp_path / "a file"
    blocked.touch()
    async with Thena(flow(speaker("ok")), ThenaConfig(report=ReportOptions(folder=blocked))) as app:
        handles = [app.run("go") for _ in range(3)]
        assert ["ok"] * 3 == await asyncio.gather(*handles)

    told = capsys.readouterr().err
    expected = (
        f"[thena] the report of the run {handles[0].run_id} couldn't be written to `{blocked}` (Not a directory). "
        "Name a folder that can be written to.\n"
    )
    assert expected == told


async def test_a_redactor_that_fails_costs_the_report_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is written that wasn't masked, nothing half, and the run gives what it gives."""

    def broken(name: str, text: str) -> str:
        raise LookupError(name)

    async with Thena(flow(speaker("ok")), reading(tmp_path, redact=broken)) as app:
        assert "ok" == await app.run("go")

    assert [] == list(tmp_path.iterdir())
    assert "couldn't be made (LookupError: " in capsys.readouterr().err


async def test_what_can_not_be_kept_is_missing_and_told(tmp_path: Path) -> None:
    """A value whose own code fails is named by its type; a failure of ours leaves a mark and no trace in the run."""

    class Odd:
        def __repr__(self) -> str:
            raise RuntimeError("no words")

    capture = Capture("r", "Flow", "go", has_content=True)
    capture.returned(None, {}, None)  # type: ignore[arg-type]
    assert capture.is_whole, "outside of any node there is nothing to keep"
    capture.end(output=[Odd()])
    assert (["<Odd>"], True) == (capture.output, capture.is_whole)

    class Model(ScriptedProvider):
        @property
        def model(self) -> str:
            raise RuntimeError("no name")

    found = await document(Thena(flow(agent_of(Model(["ok"]))), reading(tmp_path)), tmp_path)
    assert ("ok", False) == (found["output"], found["run"]["is_whole"])
    assert "is missing here" in next(tmp_path.glob("*/index.html")).read_text("utf-8")


@pytest.mark.behaviour("T292")
async def test_a_run_that_keeps_nothing_for_listeners_has_its_report(tmp_path: Path) -> None:
    """`observe=False` is about the handle; the model is asked whole either way."""
    found = await document(Thena(flow(speaker("ok")), reading(tmp_path)), tmp_path, observe=False)
    assert ["workflow", "agent", "chat"] == [node["kind"] for node in found["nodes"]]


async def test_the_runs_own_option_stands_before_the_apps(tmp_path: Path) -> None:
    """Both ways, in `run` and `run_sync`, after which the report is there; the handle says where."""
    quiet, loud = Thena(flow(speaker("ok"))), Thena(flow(speaker("ok")), reading(tmp_path / "a"))
    async with loud:
        assert loud.run("go", report=False).report is None
    own = ReportOptions(folder=tmp_path / "b")
    await asyncio.to_thread(quiet.run_sync, "go", report=own)
    assert 1 == len(documents(tmp_path / "b"))
    async with quiet:
        handle = quiet.run("go", report=own)
        assert tmp_path / "b" / handle.run_id / "index.html" == handle.report

    assert (0, 2) == (len(documents(tmp_path / "a")), len(documents(tmp_path / "b")))


def test_a_report_is_written_before_the_process_ends(tmp_path: Path) -> None:
    """Where nobody closes the app, and the folder is the default: `report` where the program was."""
    program = (
        "import asyncio, os\n"
        "from thena_runtime import *\n"
        "@Agent(provider=ScriptedProvider(['ok']), prompt=Prompt('p'))\n"
        "class A: ...\n"
        "@Workflow(steps=[A])\n"
        "class Flow: ...\n"
        "async def main():\n"
        "    handle = Thena(Flow, ThenaConfig(report=True)).run('go')\n"
        "    os.chdir('/')\n"
        "    await handle\n"
        "asyncio.run(main())\n"
    )
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert ("", 0) == (done.stderr, done.returncode)
    assert 1 == len(documents(tmp_path / "report"))


@pytest.mark.parametrize("option", ["report", 1, {"folder": "x"}])
def test_what_is_no_report_option_is_refused(option: object) -> None:
    """When the config is made."""
    with pytest.raises(TypeError, match="Give `True`, `False` or `ReportOptions"):
        ThenaConfig(report=option)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{"folder": ""}, {"folder": 1}, {"content": "no"}, {"redact": "no"}])
def test_what_report_options_can_not_be_is_refused(options: dict[str, Any]) -> None:
    """Each names the option and what to give."""
    with pytest.raises(TypeError, match=f"`{next(iter(options))}` of `ReportOptions` is .* Give "):
        ReportOptions(**options)


# -- the page of all runs


def rows(folder: Path) -> list[str]:
    """The runs on the page of all, in its order."""
    return re.findall(r'<tr class="\w+"><td><a href="([^"]+)/index.html">', (folder / "index.html").read_text("utf-8"))


@pytest.mark.behaviour("T330", "T335", "T230", "T246")
async def test_the_page_of_all_runs_links_to_each_newest_first(tmp_path: Path) -> None:
    """Runs at the same time included, each with a tree of its own; so are those that another process has written."""
    clock = FakeClock()
    first, second = (
        Thena(flow(speaker("ok")), ThenaConfig(clock=clock, report=ReportOptions(folder=tmp_path))) for _ in range(2)
    )
    async with first:
        early = first.run("go")
        await early
    await clock.advance(60)
    async with second:
        late = [second.run(f"go {number}") for number in range(5)]
        await asyncio.gather(*late)

    assert [*reversed([handle.run_id for handle in late]), early.run_id] == rows(tmp_path)
    assert [1] * 6 == [sum(node["kind"] == "agent" for node in found["nodes"]) for found in documents(tmp_path)]


@pytest.mark.behaviour("T247", "T332", "T333", "T245", "W53")
async def test_the_page_of_all_runs_is_made_of_the_reports_that_are_there(tmp_path: Path) -> None:
    """What is broken, foreign or thrown away isn't on it; thousands are no trouble."""
    app = Thena(flow(speaker("ok")), reading(tmp_path))
    await app.run("go")
    await app.close()
    [there] = [path for path in tmp_path.iterdir() if path.is_dir()]
    said = (there / "run.json").read_text("utf-8")
    for number in range(2_000):
        (tmp_path / f"other {number}").mkdir()
        (tmp_path / f"other {number}" / "run.json").write_text(said.replace(there.name, f"other {number}"), "utf-8")
    for name, text in {
        "cut": said[:40],
        "junk": "[]",
        "alien": said,
        "old": said.replace('report":1', 'report":0'),
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_text(text, encoding="utf-8")
    (tmp_path / "empty").mkdir()
    (there / "run.json").unlink()

    async with Thena(flow(speaker("ok")), reading(tmp_path)) as again:
        handle = again.run("go")
        await handle

    assert {handle.run_id, *(f"other {number}" for number in range(2_000))} == set(rows(tmp_path))
