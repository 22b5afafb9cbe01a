"""When a request is worth another attempt, and how long to wait before it; pure.

It sends nothing and waits for nothing (`thena_runtime.providers.transport` does), and is told the time and the chance.
"""

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

RETRYABLE_STATUSES: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedAttempt:
    """An attempt that failed: its number, counted from 1, the HTTP status if there was one, and what happened."""

    attempt: int
    max_attempts: int
    status: int | None
    fact: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often to try, and the waits between attempts in seconds.

    `max_attempts` includes the first. A server's `Retry-After` takes the place of the computed wait, up to
    `max_retry_after`, unless `respect_retry_after` is off. `is_retryable` decides in the place of the usual rules
    whether an attempt may be followed by another; `on_retry` is told of each attempt that will be, and the wait.
    """

    max_attempts: int = 3
    initial_delay: float = 0.5
    factor: float = 2.0
    max_delay: float = 8.0
    respect_retry_after: bool = True
    max_retry_after: float = 60.0
    is_retryable: Callable[[FailedAttempt], bool] | None = None
    on_retry: Callable[[FailedAttempt, float], object] | None = None

    def __post_init__(self) -> None:
        for name in ("max_attempts", "initial_delay", "factor", "max_delay", "max_retry_after"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or isinstance(value, bool) or not value >= 0:
                raise ValueError(f"`RetryPolicy` got `{name}={value!r}`. Give a number that is not below zero.")
        for name in ("is_retryable", "on_retry"):
            function = getattr(self, name)
            if function is not None and not callable(function):
                raise TypeError(f"`RetryPolicy` got `{name}={function!r}`, which can't be called. Give it a function.")
            if any(map(inspect.iscoroutinefunction, _functions(function))):
                raise TypeError(
                    f"`RetryPolicy` got an async `{name}`, which nobody awaits. Write it as a plain function."
                )

    @classmethod
    def of(cls, choice: "RetryPolicy | bool") -> "RetryPolicy":
        """Read a `retry=` option: `True` is the default policy, `False` a single attempt."""
        if isinstance(choice, RetryPolicy):
            return choice
        return cls() if choice else cls(max_attempts=1)

    def allows(self, attempt: int) -> bool:
        """Say whether the attempt of this number, counted from 1, may be followed by another."""
        return attempt < self.max_attempts

    def repeats(self, failed: FailedAttempt, *, usually: bool) -> bool:
        """Say whether a failed attempt is worth another; `usually` is what the usual rules say.

        Raises `TypeError` where `is_retryable` turns out to be async, for whatever it gave would count as yes.
        """
        if self.is_retryable is None:
            return usually
        answer: object = self.is_retryable(failed)
        if inspect.isawaitable(answer):
            if inspect.iscoroutine(answer):
                answer.close()
            raise TypeError(
                "`is_retryable` of `RetryPolicy` gave something to await, which nobody does. Return `True` or `False`."
            )
        return bool(answer)

    def delay(self, attempt: int, *, chance: float, retry_after: float | None = None) -> float:
        """Compute the wait after the attempt of this number, counted from 1.

        `chance` is between 0 and 1: the wait is that part of a limit that grows with each attempt, so that many
        clients that failed together don't come back together.
        """
        if retry_after is not None and self.respect_retry_after:
            return min(retry_after, self.max_retry_after)
        # The exponent is bounded: a float overflows long after the wait has reached its limit.
        limit = self.initial_delay * self.factor ** min(attempt - 1, 64)
        return chance * min(limit, self.max_delay)


def _functions(value: object) -> tuple[object, object]:
    """What is called: a function itself, or the method of an object that can be called."""
    return value, inspect.getattr_static(type(value), "__call__", None)


def is_retryable_status(status: int) -> bool:
    """Say whether the same request may succeed later although it was answered with this HTTP status."""
    return status in RETRYABLE_STATUSES


def read_retry_after(value: str | None, *, now: datetime) -> float | None:
    """Read a `Retry-After` header, seconds or a date, as seconds from `now`; `None` where it says nothing readable."""
    text = (value or "").strip()
    try:
        seconds = float(text)
    except ValueError:
        return _seconds_until(text, now)
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _seconds_until(text: str, now: datetime) -> float | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if date.tzinfo is None:  # "-0000": the time is in UTC, and nothing is said of the server's own zone
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - now).total_seconds())
