"""Every exception that a user of the runtime may want to catch, but a provider's (`thena_runtime.providers`).

Left out on purpose: texts of contract faults, which live with their rules in `thena_contract`.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from thena_contract.anchor import Anchor
from thena_contract.fault import Finding


class Location(NamedTuple):
    """A line of a file, counted from 1."""

    path: str
    line: int


class Problem(NamedTuple):
    """A fault in the wiring that no rule has a code for, and the line of what it is about, where that was found."""

    text: str
    place: Location | None

    def render(self) -> str:
        """The whole text, as an error shows it."""
        return f"[thena] {self.text}" + ("" if self.place is None else f"\n    {self.place.path}:{self.place.line}")


class StartUpError(ValueError):
    """A workflow can't be run, and no fault of it has a code: `problems` has them all."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n" + "\n".join(problem.render() for problem in self.problems)


class ContractError(Exception):
    """The wiring of a workflow is at fault: `findings` has every fault, `places` the lines of those that were found.

    `problems` are the faults without a code, which are notes of the error.
    """

    def __init__(
        self, findings: Sequence[Finding], places: Mapping[Anchor, Location], problems: Sequence[Problem] = ()
    ) -> None:
        self.findings = tuple(findings)
        self.places = dict(places)
        self.problems = tuple(problems)
        super().__init__(self.findings, self.places, self.problems)
        for problem in self.problems:
            self.add_note(problem.render())

    def __str__(self) -> str:
        return "\n" + "\n".join(line for finding in self.findings for line in self._lines(finding))

    def _lines(self, finding: Finding) -> list[str]:
        place = self.places.get(finding.anchor)
        line = finding.fault.render()
        return [line] if place is None else [line, f"    {place.path}:{place.line}"]


class ThenaWarning(UserWarning):
    """Something in the wiring is allowed and still looks like a mistake."""


class OutsideRunError(RuntimeError):
    """Something that exists only inside a run was asked for outside."""

    code: ClassVar[str] = "THN702"


class FatalToolError(Exception):
    """Raised by a tool to end the run, where any other exception would be shown to the model."""

    code: ClassVar[str] = "THN704"


class RunStoppedError(Exception):
    """A nested run was stopped before it gave an output: `stopped_by` says what stopped it."""

    def __init__(self, workflow: str, stopped_by: str) -> None:
        self.workflow = workflow
        self.stopped_by = stopped_by
        super().__init__(f"the nested run of `{workflow}` gave no output: it was stopped ({stopped_by})")


class OutputError(Exception):
    """What should have been data of a declared type isn't: a model's answer after its repair, or a run's output."""

    code: ClassVar[str] = "THN703"


class RunAborted(Exception):  # noqa: N818 - it is an outcome that was asked for
    """The run was aborted. `reason` is what `abort` was given, where that was no exception."""

    code: ClassVar[str] = "THN705"

    def __init__(self, reason: object = None) -> None:
        self.reason = reason
        super().__init__("the run was aborted" if reason is None else f"the run was aborted: {reason}")
