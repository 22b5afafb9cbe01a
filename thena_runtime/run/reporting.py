"""What runs and their app ask of reports, whose own modules are loaded only where there are to be any."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from thena_runtime.observability.recorder import Moment
from thena_runtime.observability.witness import Witness
from thena_runtime.settings import ReportOptions


class Reporting(Protocol):
    """The report of one run."""

    @property
    def page(self) -> Path:
        """The page that is written when the run is over."""
        ...

    @property
    def witness(self) -> Witness:
        """Who keeps what the run is about."""
        ...

    @property
    def moment(self) -> Callable[[Moment], object]:
        """Keeps that a node opens or closes."""
        ...

    def end(self, *, output: object = None, stopped_by: str | None = None, error: BaseException | None = None) -> None:
        """The run is over, and its report is to be written."""
        ...


class Reporter(Protocol):
    """The reports of one app."""

    def begin(self, options: ReportOptions, *, run_id: str, workflow: str, prompt: str) -> Reporting:
        """Begin the report of a run."""
        ...

    async def settle(self) -> None:
        """Wait until everything is written."""
        ...

    def close(self) -> None:
        """Write nothing more than what waits."""
        ...
