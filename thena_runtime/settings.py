"""What an app can be told beside its workflow. Only options that are honoured stand here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from thena_runtime.budget.limits import Budget
from thena_runtime.clock import SYSTEM_CLOCK, Clock
from thena_runtime.observability.events import Event

LogOption: TypeAlias = bool | Literal["verbose"] | Callable[[Event], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThenaConfig:
    """The settings of an app.

    `log=True` prints the tree of every run to stdout, `"verbose"` with the details of each node; a callable gets the
    events instead. `budget` is what each run may spend. `clock` is what runs tell and spend their time by; a test gives
    one that it moves itself. `keep_bytes` is about how much of a run's events, and of what its models say, is kept for
    listeners that come late or are slow; who misses something by that is told how much.
    """

    log: LogOption = False
    budget: Budget | None = None
    clock: Clock = SYSTEM_CLOCK
    keep_bytes: int = 4 * 1024 * 1024

    def __post_init__(self) -> None:
        if not isinstance(self.keep_bytes, int) or self.keep_bytes < 0:
            raise ValueError(
                f"[thena] `keep_bytes` of `ThenaConfig` is {self.keep_bytes!r}. Give a number of bytes, not below zero."
            )
