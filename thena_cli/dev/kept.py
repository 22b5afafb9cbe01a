"""The answers of models that a session keeps from run to run, in its memory and nowhere else.

They are JSON to whoever keeps them: a run makes and reads them (`thena_runtime.replay`).
"""

import json
from collections.abc import Mapping
from typing import Any, Final

_LIMIT: Final = 32 * 2**20
"""Bytes of answers that are kept; those used longest ago go first."""

Row = Mapping[str, Any]  # JSON: a wire


class KeptAnswers:
    """What models answered in this session, by call; owned by the session.

    A run tells its answers in order, and the n-th to one call takes the place of the n-th of earlier runs. What a run
    didn't come to stays: it may have been stopped, or the next save undoes the last one.
    """

    def __init__(self, limit: int = _LIMIT) -> None:
        self._limit = limit
        self._size = 0
        # The calls in the order in which they were last made.
        self._answers: dict[str, list[tuple[Row, int]]] = {}
        self._heard: dict[str, int] = {}

    def begin(self) -> list[Row]:
        """What the run that begins now may use."""
        self._heard = {}
        return [row for answers in self._answers.values() for row, _ in answers]

    def hear(self, row: Row) -> None:
        """Keep an answer of the run."""
        key, size = str(row["key"]), len(json.dumps(row))
        answers = self._answers.setdefault(key, [])
        position = self._heard.get(key, 0)
        self._heard[key] = position + 1
        self._size += size
        if position < len(answers):
            self._size -= answers[position][1]
            answers[position] = (row, size)
        else:
            answers.append((row, size))
        self._answers[key] = self._answers.pop(key)
        while self._size > self._limit:
            oldest = next(iter(self._answers))
            self._size -= sum(size for _, size in self._answers.pop(oldest))
