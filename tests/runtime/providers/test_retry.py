"""When another attempt is allowed, and how long the wait before it is."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thena_runtime.providers.retry import RetryPolicy, is_retryable_status, read_retry_after

NOON = datetime(2026, 1, 2, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_a_passing_trouble_is_worth_another_attempt(status: int) -> None:
    """Overload, time-outs and failures of the server may be over at the next attempt."""
    assert is_retryable_status(status)


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 409, 413, 422, 501])
def test_a_refusal_is_final(status: int) -> None:
    """What the server refuses once it refuses again."""
    assert not is_retryable_status(status)


def test_true_is_the_default_policy_and_false_a_single_attempt() -> None:
    """The `retry=` option reads a policy, `True` or `False`."""
    policy = RetryPolicy(max_attempts=7)
    assert policy is RetryPolicy.of(policy)
    assert RetryPolicy() == RetryPolicy.of(True)
    assert not RetryPolicy.of(False).allows(1)


@pytest.mark.parametrize(("attempts", "allowed"), [(0, [False, False]), (1, [False, False]), (2, [True, False])])
def test_the_first_attempt_counts(attempts: int, allowed: list[bool]) -> None:
    """`max_attempts` includes the first attempt, which always takes place."""
    policy = RetryPolicy(max_attempts=attempts)
    assert allowed == [policy.allows(attempt) for attempt in (1, 2)]


def test_the_wait_doubles_up_to_its_limit() -> None:
    """At most half a second is waited first, then twice as long each time, but never over the limit."""
    policy = RetryPolicy()
    assert [0.5, 1.0, 2.0, 4.0, 8.0, 8.0] == [policy.delay(attempt, chance=1.0) for attempt in range(1, 7)]
    assert 8.0 == policy.delay(100_000, chance=1.0)


@given(attempt=st.integers(1, 50), chance=st.floats(0, 1))
def test_the_wait_is_a_random_part_of_its_limit(attempt: int, chance: float) -> None:
    """Whatever the chance, the wait lies between nothing and the limit of that attempt."""
    policy = RetryPolicy()
    assert 0.0 <= policy.delay(attempt, chance=chance) <= policy.delay(attempt, chance=1.0)


def test_the_server_says_how_long_to_wait_but_not_for_ever() -> None:
    """`Retry-After` takes the place of the computed wait, is capped, and can be disregarded."""
    assert 3.0 == RetryPolicy().delay(1, chance=0.0, retry_after=3.0)
    assert 60.0 == RetryPolicy().delay(1, chance=0.0, retry_after=86_400.0)
    assert 0.5 == RetryPolicy(respect_retry_after=False).delay(1, chance=1.0, retry_after=3.0)


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
