"""What the runs of a session are told, one after the other.

Left out on purpose: processes (`children.py`), and which save or key makes a run.
"""

from collections.abc import Sequence
from dataclasses import replace

from thena_cli.dev.child import Order
from thena_cli.dev.kept import KeptAnswers, Row
from thena_cli.dev.messages import Cancelled, Finished, Outcome


class Orders:
    """The order of a session, with the prompt that was typed last and the answers of earlier runs; owned by it."""

    def __init__(self, order: Order, *, is_replaying: bool) -> None:
        self._order = order
        self._answers = KeptAnswers() if is_replaying else None
        self._is_anew = False
        self.failed_prompt: str | None = None
        """The prompt whose run failed last, and hasn't gone well since."""

    @property
    def prompt(self) -> str:
        """What runs are asked to do."""
        return self._order.prompt

    def change(self, *, prompt: str | None, is_anew: bool) -> None:
        """Have the next runs asked something else, and the very next one answered anew."""
        if prompt is not None:
            self._order = replace(self._order, prompt=prompt)
        self._is_anew = is_anew

    def next(self) -> Order:
        """What the run is told that begins now."""
        is_anew, self._is_anew = self._is_anew, False
        answers: Sequence[Row] | None = None if self._answers is None else self._answers.begin()
        return replace(self._order, answers=[] if is_anew and answers else answers)

    def keep(self, answer: Row) -> None:
        """Keep an answer that a model gave in the run."""
        if self._answers is not None:
            self._answers.hear(answer)

    def end(self, outcome: Outcome) -> None:
        """Keep the prompt of a run that failed, until it goes well."""
        if isinstance(outcome, Cancelled):
            return
        if not isinstance(outcome, Finished):
            self.failed_prompt = self.prompt
        elif self.failed_prompt == self.prompt:
            self.failed_prompt = None
