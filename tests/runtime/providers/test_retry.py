"""When another attempt is allowed, and how long the wait before it is."""

from datetime import UTC, datetime
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.loopback import Answer, serving
from thena_runtime.providers.openai import OpenAIProvider
from thena_runtime.providers.provider import CompletionRequest, ProviderError
from thena_runtime.providers.retry import RetryPolicy, is_retryable_status, read_retry_after

NOON = datetime(2026, 1, 2, 12, 0, 0, tzinfo=UTC)


@pytest.mark.behaviour("T049", "T050", "T051", "T052", "T053", "T054", "T055")
@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_a_passing_trouble_is_worth_another_attempt(status: int) -> None:
    """Overload, time-outs and failures of the server may be over at the next attempt."""
    assert is_retryable_status(status)


@pytest.mark.behaviour("T056", "T057", "T058", "T059", "T060", "T061")
@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 409, 413, 422, 501])
def test_a_refusal_is_final(status: int) -> None:
    """What the server refuses once it refuses again."""
    assert not is_retryable_status(status)


@pytest.mark.behaviour("T044", "T045")
def test_true_is_the_default_policy_and_false_a_single_attempt() -> None:
    """The `retry=` option reads a policy, `True` or `False`."""
    policy = RetryPolicy(max_attempts=7)
    assert policy is RetryPolicy.of(policy)
    assert RetryPolicy() == RetryPolicy.of(True)
    assert not RetryPolicy.of(False).allows(1)


@pytest.mark.behaviour("T042", "T043", "T046")
def test_options_that_are_not_given_are_the_default_ones() -> None:
    """Three attempts, waits from half a second to eight, twice as long each time, the server's word first."""
    assert (3, 0.5, 2.0, 8.0, True, 60.0) == values_of(RetryPolicy())
    assert (3, 0.5, 2.0, 1.0, True, 60.0) == values_of(RetryPolicy(max_delay=1.0))


def values_of(policy: RetryPolicy) -> tuple[object, ...]:
    numbers = (policy.max_attempts, policy.initial_delay, policy.factor, policy.max_delay)
    return (*numbers, policy.respect_retry_after, policy.max_retry_after)


@pytest.mark.behaviour("T048")
@pytest.mark.parametrize("value", [None, -1, float("nan"), "3", True])
def test_an_option_that_is_no_number_is_refused(value: object) -> None:
    """An option that is `None` means nothing, so it is refused as any other that can't be honoured."""
    with pytest.raises(ValueError, match=r"`RetryPolicy` got `max_attempts=.*`\. Give a number"):
        RetryPolicy(max_attempts=value)  # type: ignore[arg-type]


async def test_a_policy_may_decide_and_is_told() -> None:
    """`is_retryable` decides in the place of the usual rules, and `on_retry` is told of each attempt that failed."""
    told: list[tuple[int, int | None, float]] = []
    policy = RetryPolicy(
        initial_delay=0.0,
        is_retryable=lambda failed: failed.status == 404,
        on_retry=lambda failed, delay: told.append((failed.attempt, failed.status, delay)),
    )
    missing, busy = Answer(status=404), Answer(status=503, body="busy")
    async with serving(missing, missing, busy) as server:
        provider = OpenAIProvider("m", base_url=server.url, retry=policy)
        with pytest.raises(ProviderError, match="status 503: busy after 3 attempts"):
            await provider.complete(CompletionRequest(messages=()))
        await provider.close()
    assert [(1, 404, 0.0), (2, 404, 0.0)] == told
    assert 3 == len(server.asked)


class Deciding:
    """An object that decides, asynchronously."""

    async def __call__(self, failed: object, delay: float = 0.0) -> bool:
        return True


async def decide(failed: object, delay: float = 0.0) -> bool:
    """Decide, asynchronously."""
    return True


@pytest.mark.parametrize("option", ["is_retryable", "on_retry"])
@pytest.mark.parametrize("function", [decide, Deciding(), partial(decide, delay=1.0)])
def test_an_async_function_is_refused_where_nobody_awaits_it(option: str, function: object) -> None:
    """What it returns would count as yes, and nothing in it would ever run."""
    with pytest.raises(TypeError) as caught:
        RetryPolicy(**{option: function})  # type: ignore[arg-type]
    assert f"`RetryPolicy` got an async `{option}`, which nobody awaits. Write it as a plain function." == str(
        caught.value
    )


@pytest.mark.parametrize("option", ["is_retryable", "on_retry"])
def test_what_can_not_be_called_is_refused(option: str) -> None:
    """A flag in the place of a function is told when the policy is made."""
    with pytest.raises(TypeError) as caught:
        RetryPolicy(**{option: True})  # type: ignore[arg-type]
    assert f"`RetryPolicy` got `{option}=True`, which can't be called. Give it a function." == str(caught.value)


@pytest.mark.filterwarnings("error")
async def test_a_decision_that_turns_out_to_be_async_is_no_yes() -> None:
    """A plain function may return a coroutine: the call fails after its one attempt, and says so."""
    policy = RetryPolicy(is_retryable=lambda failed: decide(failed))  # type: ignore[arg-type, return-value]
    async with serving(Answer(status=503)) as server:
        provider = OpenAIProvider("m", base_url=server.url, retry=policy)
        with pytest.raises(TypeError, match=r"gave something to await, which nobody does\. Return `True` or `False`"):
            await provider.complete(CompletionRequest(messages=()))
        await provider.close()
    assert 1 == len(server.asked)


@pytest.mark.behaviour("T047")
@pytest.mark.parametrize(("attempts", "allowed"), [(0, [False, False]), (1, [False, False]), (2, [True, False])])
def test_the_first_attempt_counts(attempts: int, allowed: list[bool]) -> None:
    """`max_attempts` includes the first attempt, which always takes place."""
    policy = RetryPolicy(max_attempts=attempts)
    assert allowed == [policy.allows(attempt) for attempt in (1, 2)]


@pytest.mark.behaviour("T064", "T065")
def test_the_wait_doubles_up_to_its_limit() -> None:
    """At most half a second is waited first, then twice as long each time, but never over the limit."""
    policy = RetryPolicy()
    assert [0.5, 1.0, 2.0, 4.0, 8.0, 8.0] == [policy.delay(attempt, chance=1.0) for attempt in range(1, 7)]
    assert 8.0 == policy.delay(100_000, chance=1.0)


@given(attempt=st.integers(1, 50), chance=st.floats(0, 1))
@pytest.mark.behaviour("T066")
def test_the_wait_is_a_random_part_of_its_limit(attempt: int, chance: float) -> None:
    """Whatever the chance, the wait lies between nothing and the limit of that attempt."""
    policy = RetryPolicy()
    assert 0.0 <= policy.delay(attempt, chance=chance) <= policy.delay(attempt, chance=1.0)


@pytest.mark.behaviour("T067", "T068", "W37")
def test_the_server_says_how_long_to_wait_but_not_for_ever() -> None:
    """`Retry-After` takes the place of the computed wait, is capped, and can be disregarded."""
    assert 3.0 == RetryPolicy().delay(1, chance=0.0, retry_after=3.0)
    assert 60.0 == RetryPolicy().delay(1, chance=0.0, retry_after=86_400.0)
    assert 0.5 == RetryPolicy(respect_retry_after=False).delay(1, chance=1.0, retry_after=3.0)


@pytest.mark.behaviour("T069", "T070", "T071", "T072", "T073", "T074", "T075")
@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("3", 3.0),
        ("0", 0.0),
        ("1.5", 1.5),
        ("-4", 0.0),
        ("Fri, 02 Jan 2026 12:00:10 GMT", 10.0),
        ("Fri, 02 Jan 2026 12:00:10 -0000", 10.0),
        ("Fri, 02 Jan 2026 11:00:00 GMT", 0.0),
        (None, None),
        ("", None),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("Fri, 99 Jan 2026 12:00:10 GMT", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(header: str | None, seconds: float | None) -> None:
    """Seconds and dates are read, the past is no wait, and what can't be read says nothing."""
    assert seconds == read_retry_after(header, now=NOON)


@given(st.text())
def test_any_retry_after_can_be_read(header: str) -> None:
    """No header that a server may send raises or makes a negative or endless wait."""
    seconds = read_retry_after(header, now=NOON)
    assert seconds is None or 0.0 <= seconds < float("inf")
