"""A run's report as JSON values, with every secret masked: what `run.json` holds and the page shows."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from thena_runtime.observability.recorder import Node
from thena_runtime.redaction import Redactor, redact
from thena_runtime.report.capture import Capture, Content, Exchange

FORMAT: Final = 1
"""Counts the versions of what `run.json` looks like."""

Document = dict[str, Any]
"""The JSON object of a report.

`run` has what a line about it tells. `prompt`, `output`, `error` and `traceback` are there as far as there are any.
`nodes` are the tree, in the order in which they began; `messages` and `tools` stand once and are referred to by number.
"""

_LONGEST_TITLE: Final = 100


def document_of(capture: Capture, redactor: Redactor | None) -> Document:
    """Write down a run that is over. Raises whatever the redactor does."""
    nodes = [_node(node, began - capture.nodes[0][1], capture) for node, began in capture.nodes]
    run = _run(capture, nodes)
    messages, tools = capture.messages, capture.tools
    frame = _said(
        prompt=capture.prompt if capture.has_content else None,
        output=capture.output,
        error=capture.error,
        traceback=capture.traceback,
    )
    if redactor is not None:
        nodes = [_masked(node, redactor) for node in nodes]
        messages, tools = [_masked(message, redactor) for message in messages], redact(tools, redactor)
        frame = _masked(frame, redactor)
    # What an overview of many runs shows is what each begins with.
    run["title"] = _title(frame.get("prompt", ""))
    run["is_redacted"] = redactor is not None
    return {"thena_report": FORMAT, "run": run, **frame, "tools": tools, "messages": messages, "nodes": nodes}


_FREE: Final = frozenset(
    {"name", "error", "traceback", "data", "arguments", "called_with", "content", "calls", "tool", "prompt", "output"}
)
"""What holds the words of users, models and tools; all else is the runtime's own."""


def _masked(part: Mapping[str, Any], redactor: Redactor) -> dict[str, Any]:
    return {name: redact(value, redactor, name) if name in _FREE else value for name, value in part.items()}


def _run(capture: Capture, nodes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    root = nodes[0] if nodes else {}
    data: Mapping[str, Any] = root.get("data", {})
    asked = [node.get("data", {}) for node in nodes if node["kind"] == "chat"]
    return _said(
        id=capture.run_id,
        workflow=capture.workflow,
        started=capture.nodes[0][1] if capture.nodes else None,
        duration=root.get("duration"),
        stopped_by=capture.stopped_by,
        chat_calls=data.get("chat_calls", 0),
        tool_calls=data.get("tool_calls", 0),
        prompt_tokens=_sum(asked, "prompt_tokens"),
        completion_tokens=_sum(asked, "completion_tokens"),
        cached_tokens=_sum(asked, "cached_tokens"),
        cost_usd=_sum(asked, "cost_usd"),
        replayed=sum(1 for each in asked if each.get("replayed")) or None,
        saved_tokens=_sum(asked, "saved_tokens"),
        saved_usd=_sum(asked, "saved_usd"),
        failed_nodes=sum(1 for node in nodes if node["status"] == "error"),
        has_content=capture.has_content,
        is_whole=capture.is_whole,
    )


def _node(node: Node, start: float, capture: Capture) -> dict[str, Any]:
    content = capture.contents.get(node.id) or Content()
    error = node.error if capture.has_content or node.error is None else content.error or "failed"
    is_over = not node.is_open
    return _said(
        id=node.id,
        parent=None if node.parent is None else node.parent.id,
        kind=node.kind,
        name=node.name,
        start=round(start, 6),
        duration=round(node.duration, 6) if is_over else None,
        status=node.status if is_over else "unfinished",
        error=error,
        raised_in=content.raised_in,
        traceback=content.traceback,
        data=capture.data.get(node.id),
        requests=[_exchange(each) for each in content.exchanges] or None,
        call_id=content.call_id,
        arguments=content.arguments,
        called_with=content.changed,
        result=content.result,
    )


def _exchange(exchange: Exchange) -> dict[str, Any]:
    return _said(
        number=exchange.number,
        provider=exchange.provider,
        model=exchange.model,
        sampling=exchange.sampling or None,
        tools=exchange.tools or None,
        system=exchange.system or None,
        after=exchange.after,
        kept=exchange.kept or None,
        new=exchange.new or None,
        answer=exchange.answer,
    )


def _said(**values: Any) -> dict[str, Any]:  # JSON values: a wire
    """The values that there are."""
    return {name: value for name, value in values.items() if value is not None}


def _sum(rows: Iterable[Mapping[str, Any]], name: str) -> float | None:
    """The sum of a number over those that have it; `None` where none has."""
    numbers = [value for row in rows if isinstance(value := row.get(name), int | float)]
    return sum(numbers) if numbers else None


def _title(prompt: str) -> str:
    flat = " ".join(prompt[: _LONGEST_TITLE * 10].split())
    return flat if len(flat) <= _LONGEST_TITLE else f"{flat[: _LONGEST_TITLE - 1]}…"
