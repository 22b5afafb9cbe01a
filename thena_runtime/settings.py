"""What an app can be told beside its workflow. Only options that are honoured stand here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from thena_runtime.clock import SYSTEM_CLOCK, Clock
from thena_runtime.observability.events import Event

LogOption: TypeAlias = bool | Literal["verbose"] | Callable[[Event], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThenaConfig:
    """The settings of an app.

    `log=True` prints the tree of every run to stdout, `"verbose"` with the details of each node; a callable gets the
    events instead. `clock` is what runs tell and spend their time by; a test gives one that it moves itself.
    """

    log: LogOption = False
    clock: Clock = SYSTEM_CLOCK
