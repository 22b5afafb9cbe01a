"""The page of all runs in a folder, newest first, and what is told there of each."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from thena_runtime.report.html import attribute, counted, dollars, duration, page, text
from thena_runtime.report.page import OUTCOMES, SEARCH, moment

Summary = Mapping[str, Any]
"""What a report says of its run as a whole: `run` of its document."""


def index_of(runs: Sequence[Summary]) -> str:
    """Write the page of these runs."""
    newest = sorted(runs, key=lambda run: (run.get("started") or 0.0, run["id"]), reverse=True)
    return page("Runs", _parts(newest), name="index")


def _parts(runs: Sequence[Summary]) -> Iterator[str]:
    yield f"<header><h1>{counted(len(runs), 'run')}</h1></header>\n{SEARCH}<main>\n<table>\n<thead><tr><th>run</th>"
    yield '<th>outcome</th><th>prompt</th><th class="number">time</th><th class="number">model calls</th>'
    yield '<th class="number">tool calls</th><th class="number">tokens</th><th class="number">cost</th></tr></thead>\n'
    yield "<tbody>\n"
    for run in runs:
        yield from _row(run)
    yield "</tbody>\n</table>\n</main>\n"


def _row(run: Summary) -> Iterator[str]:
    said, kind = OUTCOMES.get(run.get("stopped_by"), ("stopped", "stopped"))
    tokens = (run.get("prompt_tokens") or 0) + (run.get("completion_tokens") or 0)
    cost = run.get("cost_usd")
    yield f'<tr class="{kind}"><td><a href="{attribute(run["id"])}/index.html">{text(run["workflow"])}</a> '
    yield f'<small>{moment(run.get("started"))}</small></td><td><em class="word {kind}">{said}</em></td>'
    yield f'<td class="prompt">{text(run.get("title") or "")}</td>'
    for cell in (
        duration(run.get("duration") or 0.0),
        f"{run['chat_calls']:,}",
        f"{run['tool_calls']:,}",
        f"{tokens:,}" if tokens else "",
        "" if cost is None else dollars(cost),
    ):
        yield f'<td class="number">{cell}</td>'
    yield "</tr>\n"
