"""What a call costs, and the most that it may cost."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.loopback import Answer, serving
from thena_runtime import Agent, Budget, OpenAIProvider, Prices, Prompt, Thena, Workflow
from thena_runtime.messages import Message, ToolSpec, Usage
from thena_runtime.providers.provider import Bounded, CompletionRequest

USAGE = {"prompt_tokens": 1_000_000, "completion_tokens": 500_000, "prompt_tokens_details": {"cached_tokens": 400_000}}
ANSWER = Answer(body={"choices": [{"message": {"content": "hi"}}], "usage": USAGE})
STREAM = Answer(
    chunks=['data: {"choices": [{"delta": {"content": "hi"}, "finish_reason": "stop"}]}\n\n', "data: [DONE]\n\n"]
)
PRICES = Prices(input=2.0, output=8.0, cached_input=0.5)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the machine's proxies out of the tests."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.mark.parametrize(
    ("prices", "cost"),
    [(PRICES, 0.6 * 2 + 0.4 * 0.5 + 0.5 * 8), (replace(PRICES, cached_input=None), 1.0 * 2 + 0.5 * 8), (None, None)],
)
async def test_a_call_tells_what_it_cost(prices: Prices | None, cost: float | None) -> None:
    """Cached tokens have their own price, or the full one where none is given; without prices nothing is known."""
    async with serving(ANSWER) as server:
        provider = OpenAIProvider("m", base_url=server.url, prices=prices)
        completion = await provider.complete(CompletionRequest(messages=()))
        await provider.close()
    assert completion.usage is not None
    assert cost == completion.usage.cost_usd


async def test_a_stream_tells_what_it_cost() -> None:
    """The usage of a stream is priced too; a server that tells none is told of as unknown."""
    told = Answer(chunks=['data: {"choices": [], "usage": {"prompt_tokens": 1000000}}\n\n', *(STREAM.chunks or ())])
    async with serving(told, STREAM) as server:
        provider = OpenAIProvider("m", base_url=server.url, prices=PRICES)
        first = await provider.stream(CompletionRequest(messages=()), lambda *piece: None)
        second = await provider.stream(CompletionRequest(messages=()), lambda *piece: None)
        await provider.close()
    assert (Usage(prompt_tokens=1_000_000, cost_usd=2.0), None) == (first.usage, second.usage)


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), "2", None, True])
def test_a_price_that_is_none_is_refused(value: object) -> None:
    """The error names the price and its unit."""
    with pytest.raises(ValueError, match=r"`Prices` got `input=.*`\. Give US dollars for a million tokens"):
        Prices(input=value, output=1.0)  # type: ignore[arg-type]


@given(st.lists(st.text(max_size=50), max_size=5), st.booleans())
def test_the_worst_case_covers_every_byte(texts: list[str], has_tools: bool) -> None:
    """It is known where the answer is limited, and is more than the bytes of the texts and the longest answer."""
    tools = (ToolSpec(name="t", description="d", parameters={}),) if has_tools else ()
    request = CompletionRequest(messages=tuple(Message("user", text) for text in texts), tools=tools)
    provider = OpenAIProvider("m", base_url="http://127.0.0.1/v1", sampling={"max_tokens": 100}, prices=PRICES)
    assert isinstance(provider, Bounded)
    worst = provider.worst_case(request)
    assert worst is not None
    assert 100 == worst.completion_tokens
    assert worst.prompt_tokens > sum(len(text.encode("utf-8", "replace")) for text in texts) + 10 * len(texts)
    assert worst == PRICES.applied_to(worst)


@pytest.mark.parametrize(
    "options", [{}, {"sampling": {"max_tokens": 9}, "raw": {"n": 2}}, {"raw": {"max_tokens": None}}]
)
def test_an_answer_without_a_limit_has_no_worst_case(options: dict[str, object]) -> None:
    """Nothing is said that might not be true."""
    provider = OpenAIProvider("m", base_url="http://127.0.0.1/v1", **options)  # type: ignore[arg-type]
    assert provider.worst_case(CompletionRequest(messages=())) is None


async def test_a_limit_in_dollars_is_kept_by_the_prices() -> None:
    """The call whose worst case is beyond the limit isn't sent, and the run ends with what it had."""
    async with serving(ANSWER) as server:
        provider = OpenAIProvider("m", base_url=server.url, prices=PRICES, sampling={"max_tokens": 1_000_000})
        agent = Agent(provider=provider, prompt=Prompt("p"))(type("Speaker", (), {}))
        async with Thena(Workflow(steps=[agent, agent])(type("Flow", (), {}))) as app:
            handle = app.run("x", budget=Budget(max_cost_usd=10.0))
            assert "hi" == await handle
    assert (1, "budget") == (len(server.asked), handle.stopped_by)
