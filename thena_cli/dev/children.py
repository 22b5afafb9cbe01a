"""The processes of a session: that of the run in flight, and the one that waits for the next run.

Left out on purpose: what a run is told (`orders.py`), and when it is stopped (`loop.py`).
"""

from thena_cli.dev.child import Child
from thena_cli.dev.flight import Flight


class Children:
    """At most one child that runs and one that waits; owned by a session, which must `kill` them when it is left."""

    def __init__(self, spare: Child, *, is_once: bool) -> None:
        self._spare: Child | None = spare
        self._is_once = is_once
        self._flight: Flight | None = None

    @property
    def running(self) -> Child | None:
        """The child of the run in flight."""
        return None if self._flight is None else self._flight.child

    def take_off(self) -> Flight:
        """Make the spare the child of the next run, which has yet to be told what to do."""
        spare, self._spare = self._spare, None
        self._flight = Flight(spare if spare is not None and spare.is_alive else Child.spare())
        return self._flight

    def land(self) -> None:
        """The process of the run in flight is gone."""
        self._flight = None
        self.warm_up()

    def warm_up(self) -> None:
        """Have a spare for the next run, if there may be one."""
        if self._spare is None and not self._is_once:
            self._spare = Child.spare()

    def stop(self) -> None:
        """Ask the run in flight to end."""
        if self._flight is not None:
            self._flight.stop()

    def kill_running(self) -> None:
        """End the run in flight, now."""
        if self._flight is not None:
            self._flight.child.kill()

    def kill(self) -> None:
        """End everything, now."""
        self.kill_running()
        if self._spare is not None:
            self._spare.kill()
