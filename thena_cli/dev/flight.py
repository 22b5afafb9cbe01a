"""One child from its order to its end, which may come before its time.

Left out on purpose: why it is stopped, and how long it may take to stop.
"""

from collections.abc import Callable

from thena_cli.dev.child import Child
from thena_cli.dev.follow import follow, ignore
from thena_cli.dev.messages import Cancelled, Died, Failed, Noted, Outcome, Printed, Spoken, Told


class Flight:
    """A child that does what it was ordered; owned by whoever ordered it.

    What Python prints of a process that is interrupted before it has said a word, or after its last one, isn't told.
    """

    def __init__(self, child: Child) -> None:
        self.child = child
        self._is_stopping = False
        self._is_speaking = False

    def stop(self) -> None:
        """Ask it to end; what it says then of being interrupted is that it was cancelled."""
        self._is_stopping = True
        self.child.interrupt()

    async def follow(
        self,
        say: Callable[[Told | Printed], None],
        *,
        known: Callable[[Outcome], None],
        heard: Callable[[str], None] = ignore,
    ) -> None:
        """Pass on what it says and how it ends, until its process is gone (`follow.follow`)."""

        def tell(message: Told | Printed) -> None:
            if isinstance(message, Printed) and self._is_stopping and not self._is_speaking:
                return
            self._is_speaking = self._is_speaking or isinstance(message, Printed | Noted | Spoken)
            say(message)

        def end(outcome: Outcome) -> None:
            self._is_speaking = False
            # It had no time for a last word, or its last word is about being interrupted.
            is_cut_off = self._is_stopping and isinstance(outcome, Died | Failed)
            known(Cancelled(at=None) if is_cut_off else outcome)

        await follow(self.child, tell, known=end, heard=heard)
