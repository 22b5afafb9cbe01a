"""The page of one run, readable without a script: its tree, with everything that happened in each node.

A message stands in one place, where it first came up, and other places refer to it. Left out on purpose: what a script
adds, which finds in the page what it needs (`page.js`).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from thena_runtime.report.document import Document
from thena_runtime.report.html import counted, dollars, duration, page, text

_NAMED: Final = frozenset({"workflow", "agent", "tool"})
_TOLD: Final = frozenset(
    {
        *("chat_calls", "tool_calls", "tokens", "cost_usd", "stopped_by", "iterations", "fails", "replayed", "repair"),
        *("prompt_tokens", "completion_tokens", "cached_tokens", "finish_reason", "attempts", "exceeded"),
    }
)
"""The data of a node that its row tells in words."""

_LONG: Final = 64 * 1024
"""Characters that a text may have to be shown at once."""
_SHORT: Final = 1000
_PREVIEW: Final = 80

OUTCOMES: Final[Mapping[str | None, tuple[str, str]]] = {
    None: ("finished", "ok"),
    "stop": ("stopped by the code", "stopped"),
    "budget": ("stopped by its budget", "stopped"),
    "exhausted": ("stopped: iterations exhausted", "stopped"),
    "fails": ("stopped: tools kept failing", "stopped"),
    "repeats": ("stopped: nothing new any more", "stopped"),
    "abort": ("aborted", "cancelled"),
    "error": ("failed", "error"),
}
"""What is said of a run by what it was stopped by, and the class of it."""

_WORDS: Final = {"error": "failed", "cancelled": "cancelled", "skipped": "skipped", "unfinished": "unfinished"}


def page_of(document: Document) -> str:
    """Write the page of a run."""
    run = document["run"]
    return page(f"{run['workflow']}: {_outcome(run)[0]}", _Page(document).parts(), name="run")


def _outcome(run: Mapping[str, Any]) -> tuple[str, str]:
    return OUTCOMES.get(run.get("stopped_by"), ("stopped", "stopped"))


class _Page:
    """One page that is being written."""

    def __init__(self, document: Document) -> None:
        self.whole = document
        self.run: Mapping[str, Any] = document["run"]
        self.tools: Sequence[Mapping[str, Any]] = document["tools"]
        self.messages: Sequence[Mapping[str, Any]] = document["messages"]
        self.nodes: Sequence[Mapping[str, Any]] = document["nodes"]
        self.children: dict[int | None, list[Mapping[str, Any]]] = {}
        for node in self.nodes:
            self.children.setdefault(node.get("parent"), []).append(node)
        # Where each message stands, by its number: what an answer or a result says is told where it came up.
        self.places: dict[int, str] = {}
        self.asked_by: dict[str, Mapping[str, Any]] = {}
        self.requests: dict[int | None, Mapping[str, Any]] = {}
        for node in self.nodes:
            if "result" in node:
                self.places.setdefault(node["result"], f"result of {node['name']}")
            for request in node.get("requests", ()):
                number = request.get("number")
                if number is not None:
                    self.requests[number] = request
                if "answer" in request:
                    self.places.setdefault(
                        request["answer"], "answer" if number is None else f"answer of model call {number}"
                    )
            if "call_id" in node:
                self.asked_by.setdefault(node["call_id"], node)
        self.shown: set[int] = set()
        self.span = max([self.run.get("duration") or 0.0, *(_end(node) for node in self.nodes)]) or 1.0

    def parts(self) -> Iterator[str]:
        """The page's body."""
        yield from self._head()
        yield SEARCH
        yield "<main>\n"
        yield from self._tree()
        yield "</main>\n"
        yield from self._tools()
        yield from self._foot()

    # -- what the run was

    def _head(self) -> Iterator[str]:
        run = self.run
        said, kind = _outcome(run)
        yield f'<header>\n<p class="up"><a href="../index.html">all runs</a></p>\n<h1>{text(run["workflow"])} '
        yield f'<em class="word {kind}">{said}</em></h1>\n'
        yield f'<p class="when">{moment(run.get("started"))} <code>{text(run["id"])}</code></p>\n'
        yield '<dl class="figures">\n'
        for name, value in self._figures():
            yield f"<div><dt>{name}</dt><dd>{value}</dd></div>\n"
        yield "</dl>\n"
        whole = self.whole
        if "error" in whole:
            yield '<div class="failure">'
            yield f"<pre>{text(whole['error'])}</pre>"
            yield from _traceback(whole)
            place = self._source()
            if place is not None:
                yield f'<p><a href="#n{place["id"]}">where it comes from: {text(_label(place))}</a></p>'
            yield "</div>\n"
        if "prompt" in whole:
            yield f'<details class="io" open><summary>Prompt</summary>{_body(whole["prompt"])}</details>\n'
        if "output" in whole:
            yield f'<details class="io" open><summary>Output</summary>{_body(_written(whole["output"]))}</details>\n'
        yield "</header>\n"

    def _figures(self) -> Iterator[tuple[str, str]]:
        run = self.run
        yield "time", duration(run.get("duration") or 0.0)
        yield "model calls", f"{run['chat_calls']:,}"
        yield "tool calls", f"{run['tool_calls']:,}"
        sent, said = run.get("prompt_tokens") or 0, run.get("completion_tokens") or 0
        if sent or said:
            cached = f", {run['cached_tokens']:,} of them cached" if run.get("cached_tokens") else ""
            yield "tokens", f"{sent + said:,} <small>{sent:,} in{cached}, {said:,} out</small>"
        if run.get("cost_usd") is not None:
            yield "cost", dollars(run["cost_usd"])
        if run.get("replayed"):
            saved = [f"{run['saved_tokens']:,} tokens"] if run.get("saved_tokens") else []
            saved += [dollars(run["saved_usd"])] if run.get("saved_usd") else []
            spared = f" <small>{', '.join(saved)} saved</small>" if saved else ""
            yield "replayed", f"{run['replayed']:,}{spared}"
        if run["failed_nodes"]:
            yield "failed", f"{run['failed_nodes']:,}"

    def _source(self) -> Mapping[str, Any] | None:
        """The node that the run's error comes from."""
        source = self.nodes[0].get("raised_in") if self.nodes else None
        return next((node for node in self.nodes if node["id"] == source), None)

    # -- the tree

    def _tree(self) -> Iterator[str]:
        # Without recursion, for nothing bounds how deep runs are nested.
        yield '<ol class="tree">\n'
        stack: list[Mapping[str, Any] | str] = [*reversed(self.children.get(None, ()))]
        while stack:
            node = stack.pop()
            if isinstance(node, str):
                yield node
                continue
            inner = self.children.get(node["id"], ())
            yield from self._row(node, has_children=bool(inner))
            if inner:
                yield "<ol>\n"
                stack.append("</ol></li>\n")
                stack.extend(reversed(inner))
            else:
                yield "</li>\n"
        yield "</ol>\n"

    def _row(self, node: Mapping[str, Any], *, has_children: bool) -> Iterator[str]:
        status, kind = node["status"], node["kind"]
        classes = " ".join([kind, *([] if status == "ok" else [status]), *(["parent"] if has_children else [])])
        yield f'<li id="n{node["id"]}" class="{classes}">'
        content = "".join(self._content(node))
        row = self._summary(node)
        if content:
            yield f'<details><summary class="row">{row}</summary><div class="content">{content}</div></details>'
        else:
            yield f'<div class="row" tabindex="0">{row}</div>'

    def _summary(self, node: Mapping[str, Any]) -> str:
        word, note, taken = _WORDS.get(node["status"]), self._note(node), node.get("duration")
        name = f" <b>{text(node['name'])}</b>" if node["kind"] in _NAMED else ""
        said = "" if word is None else f' <em class="word {node["status"]}">{word}</em>'
        more = f" <i>{text(note)}</i>" if note else ""
        left = min(99.7, node["start"] / self.span * 100)
        width = max(0.3, min(100 - left, (taken or 0.0) / self.span * 100))
        return (
            f"<span><small>{node['kind']}</small>{name}{said}{more}</span>"
            f"<span>{'' if taken is None or node['status'] == 'skipped' else duration(taken)}</span>"
            f'<svg><rect x="{left:.1f}%" width="{width:.1f}%"/></svg>'
        )

    def _note(self, node: Mapping[str, Any]) -> str:
        data: Mapping[str, Any] | None = node.get("data")
        if data is None:
            return self._preview(node)
        parts = []
        iterations, attempts = _number(data, "iterations"), _number(data, "attempts")
        if iterations:
            parts.append(counted(int(iterations), "iteration"))
        if _number(data, "fails"):
            parts.append(counted(int(_number(data, "fails")), "failed call"))
        if data.get("stopped_by"):
            parts.append(f"stopped by {data['stopped_by']}")
        if data.get("exceeded"):
            parts.append(f"{data['exceeded']} reached")
        if data.get("replayed"):
            parts.append("replayed")
        if data.get("repair"):
            parts.append("asked again for an answer that fits")
        if "finish_reason" in data:
            parts.append(f"cut off ({data['finish_reason']})")
        if attempts > 1:
            parts.append(counted(int(attempts), "attempt"))
        tokens = _number(data, "prompt_tokens") + _number(data, "completion_tokens")
        if tokens:
            parts.append(f"{tokens:,} tokens")
        if _number(data, "cost_usd"):
            parts.append(dollars(_number(data, "cost_usd")))
        preview = self._preview(node)
        return ", ".join([*parts, preview] if preview else parts)

    def _preview(self, node: Mapping[str, Any]) -> str:
        """The beginning of what a row is about."""
        if "error" in node and "raised_in" not in node:
            return _shortened(node["error"])
        if node["kind"] == "tool" and "arguments" in node:
            return _shortened(_compact(node["arguments"]))
        for request in reversed(node.get("requests", ())):
            if "answer" in request:
                message = self.messages[request["answer"]]
                return _shortened(message["content"] or ", ".join(call["name"] for call in message.get("calls", ())))
        return ""

    # -- what happened in a node

    def _content(self, node: Mapping[str, Any]) -> Iterator[str]:
        if "error" in node:
            yield from self._error(node)
        for request in node.get("requests", ()):
            yield from self._request(request)
        if "arguments" in node:
            yield f"<h4>asked for with</h4>{_body(_pretty(node['arguments']))}"
        if "called_with" in node:
            yield f"<h4>called with</h4>{_body(_pretty(node['called_with']))}"
        if "result" in node:
            yield "<h4>result</h4>"
            yield self._message(node["result"])
        others = [] if "data" not in node else [each for each in node["data"].items() if each[0] not in _TOLD]
        if others:
            yield '<h4>data</h4><dl class="data">'
            for name, value in others:
                yield f"<dt>{text(name)}</dt><dd>{text(_written(value))}</dd>"
            yield "</dl>"

    def _error(self, node: Mapping[str, Any]) -> Iterator[str]:
        source = node.get("raised_in")
        if source is not None:
            yield f'<p class="error">{text(node["error"])} <a href="#n{source}">where it comes from</a></p>'
            return
        result = node.get("result")
        # What the model was told of a failure stands below.
        if result is None or self.messages[result]["content"] != node["error"]:
            yield f'<pre class="error">{text(node["error"])}</pre>'
        yield from _traceback(node)

    def _request(self, request: Mapping[str, Any]) -> Iterator[str]:
        number = request.get("number")
        if number is not None:
            about = [request["provider"], request.get("model"), *(_sampling(request.get("sampling")))]
            told = text(", ".join(filter(None, about)))
            yield f'<h4 id="c{number}">model call {number} <small>{told}</small></h4>'
            tools = request.get("tools", ())
            offered = [f'<a href="#t{tool}">{text(self.tools[tool]["name"])}</a>' for tool in tools]
            # What is as in the call that this one goes on from isn't said again.
            if offered and tools != self._before(request).get("tools"):
                yield f'<p class="offered">may call {", ".join(offered)}</p>'
            yield from self._sent(request)
        if "answer" in request:
            yield "<h4>answer</h4>" if number is not None else "<h4>answer of a middleware</h4>"
            yield self._message(request["answer"])

    def _sent(self, request: Mapping[str, Any]) -> Iterator[str]:
        system, kept, new = request.get("system", ()), request.get("kept", 0), request.get("new", ())
        if not (system or kept or new):
            return
        numbers = f'data-number="{request["number"]}" data-system="{_joined(system)}" data-new="{_joined(new)}"'
        yield f'<div class="sent" {numbers} data-after="{request.get("after", "")}" data-kept="{kept}">'
        yield f"<h4>sent: {counted(len(system) + kept + len(new), 'message')}</h4>"
        is_head_kept = system == self._before(request).get("system", ())
        for number in () if is_head_kept else system:
            yield self._message(number, is_brief=True)
        if kept:
            after, known = request["after"], kept + (len(system) if is_head_kept else 0)
            yield f'<p class="kept">{counted(known, "message")} as in <a href="#c{after}">model call {after}</a>'
            yield ", then:</p>" if new else "</p>"
        for number in new:
            yield self._message(number, is_brief=True)
        yield "</div>"

    def _before(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """The request that this one goes on from, empty where there is none."""
        return self.requests.get(request.get("after"), {})

    def _message(self, number: int, *, is_brief: bool = False) -> str:
        """A message where it stands, or else where that is. Briefly: one that came up elsewhere isn't told here.

        A short answer or result that was given before is told again.
        """
        message = self.messages[number]
        role = message["role"]
        is_again = number in self.shown
        is_long = len(message["content"]) > _SHORT
        if (is_again or number in self.places) if is_brief else (is_again and is_long):
            place = text(self.places.get(number, "as above"))
            return f'<p class="{role}"><a href="#m{number}">{place}</a></p>'
        self.shown.add(number)
        flags = ["failed"] if message.get("is_error") else []
        if "finish_reason" in message:
            flags.append(f"cut off ({message['finish_reason']})")
        said = "".join(f'<em class="word error">{text(flag)}</em>' for flag in flags)
        content = _body(message["content"]) if message["content"] or not message.get("calls") else ""
        calls = "".join(self._call(call) for call in message.get("calls", ()))
        place = "" if is_again else f' id="m{number}"'
        return f'<div class="{role}"{place}>{said}{content}{calls}</div>'

    def _call(self, call: Mapping[str, Any]) -> str:
        """A call for a tool: its arguments stand in the tool's own node, where there is one."""
        marks = [word for word, name in (("found in the text", "source"), ("cut off", "is_cut_off")) if name in call]
        said = f" <small>{', '.join(marks)}</small>" if marks else ""
        node = self.asked_by.get(call["id"])
        if node is not None and node.get("arguments") == call["arguments"]:
            return f'<p class="call">calls <a href="#n{node["id"]}">{text(call["name"])}</a>{said}</p>'
        return f'<div class="call">calls <b>{text(call["name"])}</b>{said}{_body(_pretty(call["arguments"]))}</div>'

    # -- the rest

    def _tools(self) -> Iterator[str]:
        if not self.tools:
            return
        yield '<section class="tools">\n<h2>Tools that models were told of</h2>\n'
        for number, tool in enumerate(self.tools):
            name, description = text(tool["name"]), tool["description"]
            yield f'<details id="t{number}"><summary><b>{name}</b> {text(_shortened(description))}</summary>'
            yield f'<div class="content">{_body(description)}{_body(_pretty(tool["parameters"]))}</div></details>\n'
        yield "</section>\n"

    def _foot(self) -> Iterator[str]:
        run = self.run
        said = [
            "What has the form of a secret is shown as [REDACTED]."
            if run["is_redacted"]
            else "Nothing was masked: what this page holds may be secret."
        ]
        if not run["has_content"]:
            said.append("The report was made without contents.")
        if not run["is_whole"]:
            said.append("Something in the run couldn't be kept and is missing here.")
        yield f'<footer>{" ".join(said)} The same as JSON: <a href="run.json">run.json</a></footer>\n'


SEARCH: Final = (
    '<nav hidden><input type="search" placeholder="search" aria-label="search" autocomplete="off" spellcheck="false">'
    '<span class="chips" role="group" aria-label="show"></span><output></output>'
    '<button class="help" aria-expanded="false">?</button></nav>\n'
)


def _number(data: Mapping[str, Any], name: str) -> float:
    """A number of a node, whose data may be a user's."""
    value = data.get(name)
    return value if isinstance(value, int | float) else 0


def _end(node: Mapping[str, Any]) -> float:
    return float(node["start"] + (node.get("duration") or 0.0))


def moment(seconds: float | None) -> str:
    """A date as HTML: as it is everywhere, for the script to show as it is here."""
    if seconds is None:
        return ""
    try:
        date = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return ""
    return f'<time datetime="{date.isoformat(timespec="milliseconds")}">{date:%Y-%m-%d %H:%M:%S} UTC</time>'


def _label(node: Mapping[str, Any]) -> str:
    return f"{node['kind']} {node['name']}" if node["kind"] in _NAMED else str(node["kind"])


def _traceback(part: Mapping[str, Any]) -> Iterator[str]:
    if part.get("traceback"):
        yield f'<details class="trace"><summary>traceback</summary><pre>{text(part["traceback"])}</pre></details>'


def _body(content: str) -> str:
    """A text of any length; of a long one the rest is there to be opened."""
    if len(content) <= _LONG:
        return f"<pre>{text(content)}</pre>"
    head = f"<pre>{text(content[:_LONG])}</pre>"
    summary = f"<summary>show all, {len(content):,} characters</summary>"
    return f'<div class="long">{head}<details>{summary}<pre>{text(content[_LONG:])}</pre></details></div>'


def _written(value: Any) -> str:  # a JSON value
    return value if isinstance(value, str) else _pretty(value)


def _pretty(value: Any) -> str:  # a JSON value
    short = _compact(value)
    return short if len(short) <= _PREVIEW else json.dumps(value, ensure_ascii=False, indent=2)


def _compact(value: Any) -> str:  # a JSON value
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _shortened(value: str) -> str:
    flat = " ".join(value[: _PREVIEW * 5].split())
    return flat if len(flat) <= _PREVIEW else f"{flat[: _PREVIEW - 1]}…"


def _sampling(sampling: Mapping[str, Any] | None) -> list[str]:
    return [f"{name} {_compact(value)}" for name, value in (sampling or {}).items()]


def _joined(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))
