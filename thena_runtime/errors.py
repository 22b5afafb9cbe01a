"""Every exception that a user of the runtime may want to catch, but a provider's and a budget's, which live with those.

Left out on purpose: texts of faults, which live in `thena_contract`.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, NamedTuple

from thena_contract.anchor import Anchor
from thena_contract.fault import Fault, Finding
from thena_contract.run_faults.fatal_tool import FatalTool
from thena_contract.run_faults.output_mismatch import OutputMismatch
from thena_contract.run_faults.outside_a_run import OutsideARun
from thena_contract.run_faults.run_aborted import RunAborted as AbortedFault


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


class RunFaultError(Exception):
    """The base of what only a run can show. `code` is that of `fault`, and `docs/faults` has its page."""

    code: ClassVar[str]

    @property
    def fault(self) -> Fault:
        """What is wrong, as a value."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.fault.render()


class OutsideRunError(RunFaultError, RuntimeError):
    """Something that exists only inside a run was asked for outside."""

    code: ClassVar[str] = OutsideARun.code

    def __init__(self, fault: OutsideARun) -> None:
        super().__init__(fault)
        self._fault = fault

    @property
    def fault(self) -> OutsideARun:
        """What was used, and where it can be."""
        return self._fault


class FatalToolError(RunFaultError):
    """Raised by a tool to end the run, where any other exception would be shown to the model.

    The text that it is raised with is its `reason`; `tool` is the name of the tool that was called, once that is known.
    """

    code: ClassVar[str] = FatalTool.code
    tool: str | None = None

    @property
    def reason(self) -> str:
        """What the tool said."""
        return Exception.__str__(self)

    @property
    def fault(self) -> FatalTool:
        """The tool and its reason."""
        return FatalTool(tool=self.tool or type(self).__name__, reason=self.reason or _NO_REASON)


class RunStoppedError(Exception):
    """A run was stopped before it gave what is awaited: `stopped_by` says what stopped it.

    `wanted` is what it didn't give: the `"output"` of a nested run, or the `"answer"` of a model or the `"result"` of a
    tool to a task of the user's own that had asked for it.
    """

    def __init__(self, workflow: str, stopped_by: str, wanted: str = "output") -> None:
        self.workflow = workflow
        self.stopped_by = stopped_by
        self.wanted = wanted
        super().__init__(workflow, stopped_by, wanted)

    def __str__(self) -> str:
        return f"the run of `{self.workflow}` gave no {self.wanted}: it was stopped ({self.stopped_by})"


class OutputError(RunFaultError):
    """What should have been data of a declared type isn't: a model's answer after its repair, or a run's output."""

    code: ClassVar[str] = OutputMismatch.code

    def __init__(self, fault: OutputMismatch) -> None:
        super().__init__(fault)
        self._fault = fault

    @property
    def fault(self) -> OutputMismatch:
        """Who gave no value of which type, and what came instead."""
        return self._fault


class RunAborted(RunFaultError):  # noqa: N818 - it is an outcome that was asked for
    """The run was aborted. `reason` is what `abort` was given, where a run can't raise that itself."""

    code: ClassVar[str] = AbortedFault.code

    def __init__(self, reason: object = None) -> None:
        self.reason = reason
        super().__init__(reason)

    @property
    def fault(self) -> AbortedFault:
        """The reason, as text."""
        if self.reason is None:
            return AbortedFault(reason=_NO_REASON)
        return AbortedFault(reason=str(self.reason) or type(self.reason).__name__)


_NO_REASON: Final = "no reason is given"
