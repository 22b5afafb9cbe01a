"""Thena's entry with `observe=False`: nothing is kept for listeners, so that no token can be streamed."""

from typing import Any  # what a run gives

import thena_entry

VERSION = thena_entry.VERSION


class Entry(thena_entry.Entry):
    """An entry: see `measure.py`."""

    async def one(self, latency: float = 0.0) -> Any:
        """One turn."""
        return await self.one_turn.run(f"0 {latency}", observe=False)

    async def tools(self, turns: int, latency: float = 0.0) -> Any:
        """Many turns."""
        return await self.many_turns.run(f"{turns} {latency}", observe=False)

    stream = None  # nothing can be seen


def make() -> Entry:
    """Make the entry."""
    return Entry()
