"""What a child process says, line by line: the reading half of its protocol.

Left out on purpose: pipes and processes (`child.py`), and what any of it looks like (`screen.py`).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from thena_runtime.observability.events import Event


@dataclass(frozen=True, slots=True)
class Noted:
    """A node of the run's tree began or ended."""

    event: Event


@dataclass(frozen=True, slots=True)
class Printed:
    """A line that the user's code, or a library, wrote."""

    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The run came to its end."""

    output: object
    stopped_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StartFault:
    """One fault that start-up found, and where, as far as a class object can tell. Not every fault has a code."""

    code: str | None
    name: str | None
    severity: str
    message: str
    path: str | None
    line: int | None


@dataclass(frozen=True, slots=True)
class Refused:
    """Start-up judged the workflow and did not run it."""

    faults: tuple[StartFault, ...]


@dataclass(frozen=True, slots=True)
class Failed:
    """The target could not be imported or found, or its run raised, which has the code of a fault if it is one."""

    kind: str
    error: str
    traceback: str
    code: str | None = None


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The run was stopped from outside, at the innermost node that was open."""

    at: str | None


@dataclass(frozen=True, slots=True)
class Died:
    """The process is gone without a last word: it was killed, crashed, or called `os._exit`."""

    code: int


Outcome = Finished | Refused | Failed | Cancelled | Died


def exit_code(outcome: Outcome) -> int:
    """What a command answers its shell: 0 for a result, 2 for a target that means nothing, 1 for all else."""
    match outcome:
        case Finished():
            return 0
        case Failed(kind="target"):
            return 2
        case _:
            return 1


def read_message(line: str) -> Noted | Outcome:
    """Read one line of the child's. Raises `ValueError` for anything the protocol does not have."""
    try:
        said = json.loads(line)
        return _read(said)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a message of the child: {line[:200]!r}") from error


def _read(said: Mapping[str, object]) -> Noted | Outcome:
    match said["type"]:
        case "event":
            return Noted(Event.from_json(json.dumps(said["event"])))
        case "result":
            return Finished(said["output"], _text(said["stopped_by"]))
        case "findings":
            found = said["findings"]
            if not isinstance(found, list):
                raise TypeError("findings is a list")
            return Refused(tuple(_read_fault(row) for row in found))
        case "error":
            return Failed(
                str(said["kind"]), str(said["error"]), str(said.get("traceback") or ""), _text(said.get("code"))
            )
        case "cancelled":
            return Cancelled(_text(said["at"]))
        case other:
            raise KeyError(other)


def _read_fault(row: Mapping[str, object]) -> StartFault:
    line = row["line"]
    return StartFault(
        code=_text(row["code"]),
        name=_text(row["name"]),
        severity=str(row["severity"]),
        message=str(row["message"]),
        path=_text(row["path"]),
        line=line if isinstance(line, int) else None,
    )


def _text(value: object) -> str | None:
    return None if value is None else str(value)
