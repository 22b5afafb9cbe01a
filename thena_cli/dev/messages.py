"""What a child process says, line by line: the reading half of its protocol.

Left out on purpose: pipes and processes (`child.py`), and what any of it looks like (`screen.py`).
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from thena_contract.frozen import frozen
from thena_contract.graph import Edge, Graph, Node
from thena_runtime.observability.events import Event


@frozen
class Noted:
    """A node of the run's tree began or ended."""

    event: Event


@frozen(kw_only=True)
class Used:
    """Files that the run imported, read or wrote since it last told."""

    imported: tuple[Path, ...] = ()
    read: tuple[Path, ...] = ()
    written: tuple[Path, ...] = ()


@frozen
class Kept:
    """An answer of a model, as JSON, that a later run may use again."""

    answer: Mapping[str, Any]  # JSON: a wire


@frozen
class Asks:
    """The program waits for a line of its standard input."""


@frozen
class Reported:
    """The report of the run is written."""

    page: Path


@frozen
class Printed:
    """A line that the user's code, or a library, wrote."""

    text: str


@frozen(kw_only=True)
class Spoken:
    """A piece of what an agent's model says, in which model call of the run, counted from 1."""

    text: str
    kind: str
    agent: str
    turn: int


@frozen
class Finished:
    """The run came to its end."""

    output: object
    stopped_by: str | None


@frozen(kw_only=True)
class StartFault:
    """One fault that start-up found, and where, as far as a class object can tell. Not every fault has a code."""

    code: str | None
    name: str | None
    severity: str
    message: str
    path: str | None
    line: int | None


@frozen
class Refused:
    """Start-up judged the workflow and did not run it."""

    faults: tuple[StartFault, ...]


@frozen(kw_only=True)
class Judged:
    """Start-up judged the workflow and would run it; `faults` are only warnings."""

    workflow: str
    workflows: int
    agents: int
    tools: int
    faults: tuple[StartFault, ...]


@frozen
class Drawn:
    """The graph of a workflow."""

    graph: Graph


@frozen
class Failed:
    """The target could not be imported or found, or its run raised, which has the code of a fault if it is one.

    `missing` is the module that an import didn't find.
    """

    kind: str
    error: str
    traceback: str
    code: str | None = None
    missing: str | None = None


@frozen
class Cancelled:
    """The run was stopped from outside, at the innermost node that was open."""

    at: str | None


@frozen
class Died:
    """The process is gone without a last word: it was killed, crashed, or called `os._exit`."""

    code: int


Told = Noted | Spoken | Used | Kept | Asks | Reported
"""What a run tells before its outcome."""

Outcome = Finished | Judged | Drawn | Refused | Failed | Cancelled | Died


def exit_code(outcome: Outcome) -> int:
    """What a command answers: 0 for a result, 2 for a target or arguments that mean nothing, 1 for all else."""
    match outcome:
        case Finished() | Judged() | Drawn():
            return 0
        case Failed(kind="target" | "arguments"):
            return 2
        case _:
            return 1


def read_message(line: str) -> Told | Outcome:
    """Read one line of the child's. Raises `ValueError` for anything the protocol does not have."""
    try:
        said = json.loads(line)
        return _read(said)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a message of the child: {line[:200]!r}") from error


def _read(said: Mapping[str, Any]) -> Told | Outcome:
    match said["type"]:
        case "event":
            return Noted(Event.from_json(json.dumps(said["event"])))
        case "token":
            return Spoken(text=said["text"], kind=said["kind"], agent=said["agent"], turn=said["turn"])
        case "asks":
            return Asks()
        case "reported":
            return Reported(Path(said["page"]))
        case "answered":
            return Kept(said["answer"])
        case "used":
            return Used(imported=_paths(said["imported"]), read=_paths(said["read"]), written=_paths(said["written"]))
        case "judged":
            return Judged(
                workflow=str(said["workflow"]),
                workflows=int(said["workflows"]),
                agents=int(said["agents"]),
                tools=int(said["tools"]),
                faults=tuple(map(_read_fault, said["findings"])),
            )
        case "graph":
            return Drawn(
                Graph(
                    tuple(Node(**node) for node in said["nodes"]),
                    tuple(Edge(**edge) for edge in said["edges"]),
                )
            )
        case "result":
            return Finished(said["output"], _text(said["stopped_by"]))
        case "findings":
            found = said["findings"]
            if not isinstance(found, list):
                raise TypeError("findings is a list")
            return Refused(tuple(_read_fault(row) for row in found))
        case "error":
            return Failed(
                kind=str(said["kind"]),
                error=str(said["error"]),
                traceback=str(said.get("traceback") or ""),
                code=_text(said.get("code")),
                missing=_text(said.get("missing")),
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


def _paths(listed: Iterable[str]) -> tuple[Path, ...]:
    return tuple(map(Path, listed))


def _text(value: object) -> str | None:
    return None if value is None else str(value)
