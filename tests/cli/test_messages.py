"""The reading half of the child's protocol."""

import json

import pytest

from thena_cli.dev.messages import (
    Cancelled,
    Died,
    Failed,
    Finished,
    Noted,
    Outcome,
    Refused,
    StartFault,
    exit_code,
    read_message,
)
from thena_runtime.observability.events import Event

EVENT = Event(
    run_id="r", sequence=1, time=1.0, phase="start", kind="workflow", name="Flow", id="1", parent_id=None, depth=0
)
FAULT = {"code": "THN201", "severity": "error", "message": "`a` asks.", "path": "/p/a.py", "line": 3, "name": "x"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f'{{"type":"event","event":{EVENT.to_json()}}}', Noted(EVENT)),
        ('{"type":"result","run_id":"r","output":{"a":1},"stopped_by":"until"}', Finished({"a": 1}, "until")),
        ('{"type":"result","run_id":"r","output":null,"stopped_by":null}', Finished(None, None)),
        (
            json.dumps({"type": "findings", "findings": [FAULT, {**FAULT, "path": None, "line": None}]}),
            Refused(
                (
                    StartFault(code="THN201", name="x", severity="error", message="`a` asks.", path="/p/a.py", line=3),
                    StartFault(code="THN201", name="x", severity="error", message="`a` asks.", path=None, line=None),
                )
            ),
        ),
        ('{"type":"error","kind":"import","error":"E: x","traceback":"t"}', Failed("import", "E: x", "t")),
        ('{"type":"error","kind":"target","error":"E"}', Failed("target", "E", "")),
        ('{"type":"error","kind":"run","code":"THN704","error":"E"}', Failed("run", "E", "", "THN704")),
        ('{"type":"cancelled","at":"agent A"}', Cancelled("agent A")),
        ('{"type":"cancelled","at":null}', Cancelled(None)),
    ],
)
def test_every_line_of_the_protocol_is_read(line: str, message: object) -> None:
    """Each kind of line becomes its message."""
    assert message == read_message(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "hello",
        "3",
        "null",
        "[]",
        "{}",
        '{"type":"new"}',
        '{"type":"event","event":{}}',
        '{"type":"result"}',
        '{"type":"findings","findings":3}',
        '{"type":"findings","findings":[3]}',
    ],
)
def test_anything_else_is_refused(line: str) -> None:
    """A line that the protocol does not have is a ValueError, whatever it is."""
    with pytest.raises(ValueError):
        read_message(line)


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (Finished("x", None), 0),
        (Refused(()), 1),
        (Failed("run", "E", ""), 1),
        (Failed("import", "E", ""), 1),
        (Failed("target", "E", ""), 2),
        (Cancelled(None), 1),
        (Died(0), 1),
    ],
)
def test_exit_codes(outcome: Outcome, code: int) -> None:
    """Only a result is success; a target that means nothing is a usage error."""
    assert code == exit_code(outcome)
