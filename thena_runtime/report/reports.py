"""Reports on their way to the disk, in a thread beside the runs, so that no run waits for a disk or fails with one.

A report comes into its folder whole or not at all: it is written under another name first. The page of all runs is made
of the folders that are there, so a report can be thrown away like any folder.
"""

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from thena_runtime.observability.recorder import Moment
from thena_runtime.redaction import Redactor
from thena_runtime.report.capture import Capture
from thena_runtime.report.document import FORMAT, Document, document_of
from thena_runtime.report.index import Summary, index_of
from thena_runtime.report.page import page_of
from thena_runtime.settings import ReportOptions

PAGE: Final = "index.html"
DATA: Final = "run.json"


@dataclass(frozen=True, slots=True)
class Report:
    """The report of one run: what it keeps, the folder of all reports, and what masks this one."""

    witness: Capture
    folder: Path
    redactor: Redactor | None
    write: Callable[["Report"], None]

    @property
    def page(self) -> Path:
        """The page that is written when the run is over."""
        return self.folder / self.witness.run_id / PAGE

    @property
    def moment(self) -> Callable[[Moment], None]:
        """Keeps that a node opens or closes."""
        return self.witness.moment

    def end(self, *, output: object = None, stopped_by: str | None = None, error: BaseException | None = None) -> None:
        """The run is over: have its report written."""
        self.witness.end(output=output, stopped_by=stopped_by, error=error)
        self.write(self)


class Reports:
    """The reports of one app. Owned by it; they are all there once it is closed, or the process has ended."""

    def __init__(self) -> None:
        # Whoever ends the process waits for its threads, so nothing is lost where nobody closes the app.
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="thena report")
        self._waiting: dict[Future[None], Path] = {}
        self._known: dict[Path, dict[str, Summary]] = {}
        # Folders whose page of all runs lacks one.
        self._outdated: set[Path] = set()
        self._failures: set[str] = set()

    def begin(self, options: ReportOptions, *, run_id: str, workflow: str, prompt: str) -> Report:
        """Begin the report of a run. Where it goes is decided now: a program may go elsewhere meanwhile."""
        capture = Capture(run_id, workflow, prompt, has_content=options.content)
        return Report(capture, Path(options.folder).absolute(), options.redactor, self._submit)

    def _submit(self, report: Report) -> None:
        try:
            written = self._writer.submit(self._write, report)
        except RuntimeError:
            # Python is ending and starts no thread any more, or the app was closed before the run was over.
            self._write(report)
            return
        self._waiting[written] = report.folder
        written.add_done_callback(lambda over: self._waiting.pop(over, None))

    async def settle(self) -> None:
        """Wait until everything is written."""
        while waiting := tuple(self._waiting):
            await asyncio.wait([asyncio.wrap_future(each) for each in waiting])

    def close(self) -> None:
        """Write nothing more than what waits."""
        self._writer.shutdown(wait=False)

    def _write(self, report: Report) -> None:
        folder = report.folder
        try:
            _write_run(document_of(report.witness, report.redactor), folder)
            self._outdated.add(folder)
        except Exception as error:
            self._warn(report, error)
        # Of many that end at once, the last one writes the page of all.
        if folder not in self._outdated or list(self._waiting.values()).count(folder) > 1:
            return
        try:
            self._write_index(folder)
        except Exception as error:
            self._warn(report, error)

    def _write_index(self, folder: Path) -> None:
        self._outdated.discard(folder)
        names: list[str] = []
        # Another process may have written a report and its own page meanwhile.
        while names != (names := _names(folder)):
            before = self._known.get(folder, {})
            known = {name: before.get(name) or _summary(folder / name / DATA) for name in names}
            self._known[folder] = {name: run for name, run in known.items() if run is not None}
            _replace(folder / PAGE, [index_of(list(self._known[folder].values()))])

    def _warn(self, report: Report, error: Exception) -> None:
        if isinstance(error, OSError):
            fact = f"couldn't be written to `{report.folder}` ({error.strerror or error})"
            repair = "Name a folder that can be written to."
        else:
            fact = f"couldn't be made ({type(error).__name__}: {error})"
            repair = "The run went as it went; look at what `redact` of `ReportOptions` does."
        told = f"{fact}. {repair}"
        if told not in self._failures:
            self._failures.add(told)
            print(f"[thena] the report of the run {report.witness.run_id} {told}", file=sys.stderr)


def _write_run(document: Document, folder: Path) -> None:
    run_id = document["run"]["id"]
    made = folder / f".{run_id}.{os.getpid()}"
    made.mkdir(parents=True)
    try:
        _write(made / DATA, _json(document))
        _write(made / PAGE, [page_of(document)])
        made.rename(folder / run_id)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def _json(document: Document) -> Iterable[str]:
    """The document, each part on a line of its own, and the run first, which is read alone."""
    yield f'{{"thena_report":{document["thena_report"]},"run":{_encoded(document["run"])}'
    for name, part in document.items():
        if name not in ("thena_report", "run"):
            yield f',\n"{name}":{_encoded(part)}'
    yield "}\n"


_encoded: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def _write(path: Path, parts: Iterable[str]) -> None:
    # Half of a character that Python holds as two comes as its escape, which JSON knows.
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        file.writelines(parts)


def _replace(path: Path, parts: Iterable[str]) -> None:
    made = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        _write(made, parts)
        made.replace(path)
    except BaseException:
        made.unlink(missing_ok=True)
        raise


def _names(folder: Path) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir())


def _summary(path: Path) -> Summary | None:
    """What the first line of a report says; `None` for what is none of this version."""
    try:
        with path.open(encoding="utf-8") as file:
            said: dict[str, Any] = json.loads(f"{file.readline().rstrip().removesuffix(',')}}}")
        run = said["run"]
        is_known = said["thena_report"] == FORMAT and run["id"] == path.parent.name
        return {**run, "chat_calls": int(run["chat_calls"]), "tool_calls": int(run["tool_calls"])} if is_known else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
