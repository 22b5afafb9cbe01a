"""Providers that aren't what they say: each is named, and never hides how a run ended."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from thena_runtime import Agent, Budget, Completion, CompletionRequest, Prompt, ScriptedProvider, Thena, Usage, Workflow


def app_of(provider: object) -> Thena:
    """An app of one agent with this provider, or with what this makes."""

    @Agent(provider=provider, prompt=Prompt("p"))  # type: ignore[arg-type]
    class A:
        pass

    @Workflow(steps=[A])
    class Flow:
        pass

    return Thena(Flow)


class Plain:
    """Nothing in it is async."""

    def complete(self, request: CompletionRequest) -> object:
        """Answer at once."""
        return "x"

    def close(self) -> None:
        """Do nothing."""


class Text:
    """Answers with a text alone."""

    async def complete(self, request: CompletionRequest) -> object:
        """Answer."""
        return "x"

    async def stream(self, request: CompletionRequest, emit: object) -> object:
        """Answer in pieces."""
        return "x"

    async def close(self) -> None:
        """Do nothing."""


class Yielding(Text):
    """Answers by yielding."""

    async def complete(self, request: CompletionRequest) -> AsyncIterator[str]:  # type: ignore[override]
        """Yield the answer."""
        yield "x"


class Handing:
    """Has methods that aren't async themselves and hand on what is."""

    def __init__(self) -> None:
        self.inner = ScriptedProvider(["ok"])

    def complete(self, request: CompletionRequest) -> object:
        """Hand on."""
        return self.inner.complete(request)

    def close(self) -> object:
        """Hand on."""
        return self.inner.close()


class Unclosable(ScriptedProvider):
    """Can't be closed."""

    async def close(self) -> None:
        """Fail."""
        raise OSError("the socket is gone")


NOT_ASYNC = (
    "[thena] `complete` of provider `Plain` isn't async: it returned a value of type `str`. "
    "Write `async def complete`, and return a `Completion(content=...)`."
)
NO_COMPLETION = "[thena] provider `Text` answered with a value of type `str`. Return a `Completion(content=...)`."


@pytest.mark.parametrize(
    ("provider", "text"),
    [
        (Plain, NOT_ASYNC),
        (Text, NO_COMPLETION),
        (Yielding, NOT_ASYNC.replace("Plain", "Yielding").replace("`str`", "`async_generator`")),
    ],
)
@pytest.mark.parametrize("is_made", [True, False], ids=["instance", "factory"])
@pytest.mark.parametrize("budget", [None, Budget(max_tokens=1000)], ids=["no budget", "budget"])
def test_an_answer_that_is_none_is_told(
    provider: type, text: str, is_made: bool, budget: Budget | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """The text names the provider's class, what it did, and what to write; what `close` does comes after it."""
    with pytest.raises(TypeError) as caught:
        app_of(provider() if is_made else provider).run_sync("hi", budget=budget)

    assert text == str(caught.value)
    assert ("`close` of provider `Plain` isn't async" in capsys.readouterr().err) == (provider is Plain)


async def test_a_streamed_answer_that_is_none_is_told() -> None:
    """`stream` answers like `complete`."""
    with pytest.raises(TypeError) as caught:
        await app_of(Text()).run("hi", observe=True)

    assert NO_COMPLETION == str(caught.value)


def test_methods_that_hand_on_what_is_async_are_fine(capsys: pytest.CaptureFixture[str]) -> None:
    """What counts is that the answer can be awaited."""
    assert "ok" == app_of(Handing()).run_sync("hi")
    assert "" == capsys.readouterr().err


async def _run_and_close(app: Thena) -> object:
    async with app:
        return await app.run("hi")


@pytest.mark.parametrize("way", ["run_sync", "async with"])
def test_a_provider_that_can_not_be_closed_hides_nothing(way: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A run keeps its output or its error, and the failure to close is printed with the provider's class."""

    def run(app: Thena) -> object:
        return app.run_sync("hi") if way == "run_sync" else asyncio.run(_run_and_close(app))

    assert "ok" == run(app_of(Unclosable(["ok"])))
    first = capsys.readouterr().err
    with pytest.raises(LookupError, match="no such model"):
        run(app_of(Unclosable([LookupError("no such model")])))
    second = capsys.readouterr().err

    for err in (first, second):
        assert err.startswith("[thena] provider `Unclosable` couldn't be closed:\n")
        assert err.endswith("OSError: the socket is gone\n\n")


def test_others_are_closed_after_one_that_can_not_be(capsys: pytest.CaptureFixture[str]) -> None:
    """Each provider of an app is closed, whatever another one does."""
    closed: list[str] = []

    class Closable(ScriptedProvider):
        async def close(self) -> None:
            closed.append("closed")

    @Agent(provider=Unclosable(["a"]), prompt=Prompt("p"))
    class A:
        pass

    @Agent(provider=Closable(["b"]), prompt=Prompt("p"))
    class B:
        pass

    @Workflow(steps=[A, B])
    class Flow:
        pass

    assert "b" == Thena(Flow).run_sync("hi")
    assert ["closed"] == closed


def test_a_child_process_tells_the_error_of_a_bad_provider(tmp_path: Path) -> None:
    """The run's error is its last line, and not what closing raised."""
    (tmp_path / "flow.py").write_text(
        "from thena_runtime import Agent, Prompt, Workflow\n"
        "class P:\n"
        "    def complete(self, request): return 'x'\n"
        "    def close(self): pass\n"
        "@Agent(provider=P(), prompt=Prompt('p'))\n"
        "class A: ...\n"
        "@Workflow(steps=[A])\n"
        "class Flow: ...\n",
        encoding="utf-8",
    )

    done = subprocess.run(
        [sys.executable, "-m", "thena_runtime.child", "flow"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    last: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])  # a wire
    assert ("error", "run") == (last["type"], last["kind"])
    assert "`complete` of provider `P` isn't async" in last["error"]


class Miscounting(ScriptedProvider):
    """Tells a usage of its own, and answers with `ok`."""

    def __init__(self, worst: object = None, usage: object = None) -> None:
        super().__init__(["ok"])
        self.worst, self.usage = worst, usage

    def worst_case(self, request: CompletionRequest) -> Any:
        """Say what was given."""
        return self.worst

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer."""
        return Completion(content="ok", usage=self.usage)  # type: ignore[arg-type]


class Asking(Miscounting):
    """Has to ask somebody for its worst case."""

    async def worst_case(self, request: CompletionRequest) -> Usage:  # type: ignore[override]
        """Say nothing."""
        return Usage()


USAGES = [
    (Usage(prompt_tokens=-1), r"has prompt_tokens=-1\. Give a number from 0 on"),
    (Usage(completion_tokens=-5), r"has completion_tokens=-5\."),
    (Usage(cached_tokens=None), r"has cached_tokens=None\."),  # type: ignore[arg-type]
    (Usage(cost_usd=float("nan")), r"has cost_usd=nan\."),
    (Usage(cost_usd=float("inf")), r"has cost_usd=inf\."),
    ({"tokens": 3}, r"is of type `dict`\. Give a `Usage\(\.\.\.\)`, or `None`\."),
]


@pytest.mark.parametrize(("usage", "text"), USAGES)
@pytest.mark.parametrize("budget", [None, Budget(max_chat_calls=1)], ids=["no budget", "budget"])
def test_a_usage_that_can_not_be_counted_is_told(usage: object, text: str, budget: Budget | None) -> None:
    """Whether there is a budget or none, the provider, the field and the value are named."""
    error = ValueError if isinstance(usage, Usage) else TypeError
    with pytest.raises(error, match=r"^\[thena\] the usage that provider `Miscounting` told " + text):
        app_of(Miscounting(usage=usage)).run_sync("hi", budget=budget)


@pytest.mark.parametrize(("worst", "text"), USAGES)
def test_a_worst_case_that_can_not_be_counted_is_told(worst: object, text: str) -> None:
    """It is asked for where a budget needs it, and told like the usage of an answer."""
    error = ValueError if isinstance(worst, Usage) else TypeError
    with pytest.raises(error, match=r"^\[thena\] what `worst_case` of provider `Miscounting` returned " + text):
        app_of(Miscounting(worst)).run_sync("hi", budget=Budget(max_tokens=9))
    assert "ok" == app_of(Miscounting(worst)).run_sync("hi")


@pytest.mark.filterwarnings("error")
def test_a_worst_case_is_not_async() -> None:
    """The error says what to write, and nothing is left unawaited."""
    with pytest.raises(TypeError, match=r"`worst_case` of provider `Asking` is async.* Write `def worst_case`\."):
        app_of(Asking()).run_sync("hi", budget=Budget(max_tokens=9))


def test_a_completion_is_what_a_provider_answers_with() -> None:
    """A subclass is one too."""

    class Special(Completion):
        pass

    class Specialist(Text):
        async def complete(self, request: CompletionRequest) -> object:
            return Special(content="special")

    assert "special" == app_of(Specialist()).run_sync("hi")
