"""What a run may spend, as its author says it, and what is told when a limit stops it.

Left out on purpose: the counting, which is `thena_runtime.budget.meter`'s.
"""

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias

from thena_contract.run_faults.budget_exceeded import BudgetExceeded
from thena_contract.run_faults.budget_not_kept import BudgetNotKept
from thena_runtime.errors import RunFaultError

LimitName: TypeAlias = Literal["max_duration", "max_chat_calls", "max_tool_calls", "max_tokens", "max_cost_usd"]
Mode: TypeAlias = Literal["stop", "raise"]

_COUNTS: Final[tuple[LimitName, ...]] = ("max_chat_calls", "max_tool_calls", "max_tokens")
_AMOUNTS: Final[tuple[LimitName, ...]] = ("max_duration", "max_cost_usd")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunUsage:
    """What a run has spent so far, the runs nested in it included: `ctx.usage()`.

    `tokens` and `cost_usd` are those of the model calls that are over; `cost_usd` knows only the calls whose provider
    told a price. `elapsed` is in seconds.
    """

    chat_calls: int = 0
    tool_calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    elapsed: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetBreach:
    """Which limit stopped a run: what `on_exceeded` is told.

    `spent` is how much of the limit was used up, and `None` where a provider didn't say. `needed` is what the call
    that was refused might have taken, where that was known. `usage` is all that was spent at that moment.
    """

    limit: LimitName
    allowed: float
    spent: float | None
    needed: float | None = None
    usage: RunUsage

    @property
    def fault(self) -> BudgetExceeded | BudgetNotKept:
        """What is wrong, as a value: the limit is spent, or nothing tells whether it is."""
        allowed = _number(self.allowed)
        if self.spent is None:
            return BudgetNotKept(limit=self.limit, allowed=allowed, wanted=_WANTED[self.limit])
        spent = f"{_number(self.spent)} spent"
        if self.needed is not None:
            spent += f", and the next call may take {_number(self.needed)}"
        return BudgetExceeded(limit=self.limit, allowed=allowed, spent=spent)

    def __str__(self) -> str:
        return self.fault.message


_WANTED: Final = {"max_tokens": "its usage", "max_cost_usd": "its prices"}


class BudgetExceededError(RunFaultError):
    """A limit of a budget with `mode="raise"` ended the run. `breach` says which limit it was.

    No hook sees it and no model is told of it.
    """

    code: ClassVar[str] = BudgetExceeded.code

    def __init__(self, breach: BudgetBreach) -> None:
        super().__init__(breach)
        self.breach = breach

    @property
    def fault(self) -> BudgetExceeded | BudgetNotKept:
        """What the breach comes to."""
        return self.breach.fault


class BudgetNotKeptError(BudgetExceededError):
    """A limit is set on what the provider doesn't tell. It ends the run whatever the `mode`."""

    code: ClassVar[str] = BudgetNotKept.code


OnExceeded: TypeAlias = Callable[[BudgetBreach], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a run may spend, the runs nested in it included. A limit that isn't given isn't set.

    Args:
        max_duration: Seconds from `app.run(...)` on. What goes on then is cancelled at its next await.
        max_chat_calls: Calls of models. One that fails counts; what a provider tries again within a call doesn't.
        max_tool_calls: Calls of tools. One that fails counts, and so does one that can't be executed (an unknown tool,
            wrong arguments); one that a middleware answers doesn't.
        max_tokens: Tokens of prompts and answers together.
        max_cost_usd: US dollars, by the prices that the providers were given.
        mode: `"stop"` ends the run with the output that was there, `"raise"` with `BudgetExceededError`.
        on_exceeded: Called once for each run, with the `BudgetBreach`, when the first limit stops something.
    """

    max_duration: float | None = None
    max_chat_calls: int | None = None
    max_tool_calls: int | None = None
    max_tokens: int | None = None
    max_cost_usd: float | None = None
    mode: Mode = "stop"
    on_exceeded: OnExceeded | None = None

    def __post_init__(self) -> None:
        for name in _COUNTS:
            _check_count(name, getattr(self, name))
        for name in _AMOUNTS:
            _check_amount(name, getattr(self, name))
        if self.mode not in ("stop", "raise"):
            raise ValueError(f"[thena] `mode` of `Budget` is {self.mode!r}. Write `'stop'` or `'raise'`.")
        if self.on_exceeded is not None:
            _check_callback(self.on_exceeded)


def _check_count(name: str, value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(
            f"[thena] `{name}` of `Budget` is of type `{type(value).__name__}`. "
            "Give a whole number, or leave it out for no limit."
        )
    if value < 0:
        raise ValueError(f"[thena] `{name}` of `Budget` is {value}. Give 0 or more, or leave it out for no limit.")


def _check_amount(name: str, value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        hint = " Write `.total_seconds()` after a `timedelta`." if name == "max_duration" else ""
        raise TypeError(
            f"[thena] `{name}` of `Budget` is of type `{type(value).__name__}`. "
            f"Give a number, or leave it out for no limit.{hint}"
        )
    if math.isnan(value) or math.isinf(value) or value < 0:
        raise ValueError(
            f"[thena] `{name}` of `Budget` is {value}. Give a finite number from 0, or leave it out for no limit."
        )


def _check_callback(function: object) -> None:
    if not callable(function):
        raise TypeError(
            f"[thena] `on_exceeded` of `Budget` is of type `{type(function).__name__}`, which can't be called. "
            "Give a function that takes the `BudgetBreach`."
        )
    if inspect.iscoroutinefunction(function):
        raise TypeError(
            "[thena] `on_exceeded` of `Budget` is async, and a limit doesn't wait. "
            "Make it a plain function, which may put the breach in a queue."
        )
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # Python can't tell its parameters
    try:
        signature.bind(None)
    except TypeError:
        raise TypeError(
            "[thena] `on_exceeded` of `Budget` can't be called with one argument. Let it take the `BudgetBreach`."
        ) from None


def _number(value: float) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
