"""What a run says about itself while it goes: the only thing that leaves the process.

An event opens or closes a node of the run's tree (workflow > loop | parallel > agent > chat > tool). Its JSON form
is one line, so that a child process can write it to a pipe and a parent can read it back (`to_json`, `from_json`).
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Kind = Literal["workflow", "loop", "parallel", "agent", "chat", "tool", "gap"]
Phase = Literal["start", "end"]
Status = Literal["ok", "error", "skipped", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One node begins or ends.

    `sequence` counts from 1 within a run; `time` is seconds since the epoch; `depth` is 0 for the root. `duration`
    (seconds), `status` and `error` are set at the end only. `data` holds JSON values about the node (an iteration
    count, `stopped_by`, token counts); message content is never in it. An event of the kind `"gap"` opens and closes
    nothing: it stands in the place of `data["lost"]` events that are no longer kept for whoever comes this late.
    """

    run_id: str
    sequence: int
    time: float
    phase: Phase
    kind: Kind
    name: str
    id: str
    parent_id: str | None
    depth: int
    duration: float | None = None
    status: Status | None = None
    error: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)  # JSON values: a wire

    def to_json(self) -> str:
        """The event as one line of JSON; a value that JSON doesn't know is written as its `str`."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"), default=str)

    @classmethod
    def from_json(cls, line: str) -> "Event":
        """Read back what `to_json` wrote. Raises `ValueError` for anything else."""
        try:
            return cls(**json.loads(line))
        except TypeError as error:
            raise ValueError(f"not an event: {line[:200]!r}") from error
