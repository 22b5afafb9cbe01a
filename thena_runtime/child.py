"""`python -m thena_runtime.child TARGET`: run a user's workflow here, and say what happens as JSON lines.

This is the one place where user code is imported. The parent reads lines from the real stdout; whatever the user's
code prints goes to stderr. After any number of `event`, `token`, `used`, `answered`, `asks` and `reported` lines
exactly one of `result`, `judged`, `graph`, `findings`, `error` and `cancelled` is written, and the process ends: 0
after the first three, 130 after `cancelled`, 1 otherwise. When the parent is gone, however it went, the run is aborted
as by Ctrl-C.
"""

import argparse
import asyncio
import importlib
import json
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, make_dataclass
from pathlib import Path
from types import ModuleType
from typing import IO, Any, Final, NoReturn, TextIO

from thena_contract import vocabulary
from thena_runtime.app import Thena
from thena_runtime.asking import Asking
from thena_runtime.build.describe_bare import refusal
from thena_runtime.build.schema import json_of_output
from thena_runtime.build.things import declared_as
from thena_runtime.decorators import Declaration
from thena_runtime.errors import ContractError, Location, Problem, RunFaultError, StartUpError, ThenaWarning
from thena_runtime.files_used import FilesUsed
from thena_runtime.inspection import drawing, finding_row, judgement
from thena_runtime.observability.events import Event
from thena_runtime.observability.tokens import Token
from thena_runtime.order import Order, OrderError, budget_of, data_of, report_of, seed_of
from thena_runtime.replay import Answered, Replay
from thena_runtime.run.handle import RunHandle
from thena_runtime.user_traceback import is_users, user_traceback

CANCELLED: Final = 130
GRACE: Final = 1.0
"""Seconds that a run has to clean up once its parent is gone."""

_PROBLEM: Final = "[thena] "


class TargetError(Exception):
    """The target names no workflow, or more than one."""


@dataclass(slots=True)
class Line:
    """The way to the parent. A parent that is gone is no error here: the run is told by a signal."""

    stream: TextIO
    traces: bool = False
    """Whether an error is told with its whole traceback."""
    used: FilesUsed | None = None
    """The files that this process uses, where somebody wants to know."""
    open_nodes: list[Event] = field(default_factory=list)
    turn: threading.RLock = field(default_factory=threading.RLock)

    def event(self, event: Event) -> None:
        """Pass an event on, and keep which nodes are open."""
        if event.phase == "start":
            self.open_nodes.append(event)
        else:
            self.open_nodes = [node for node in self.open_nodes if node.id != event.id]
            if self.used is not None and self.used.is_new:
                self._files()
        self._write(f'{{"type":"event","event":{event.to_json()}}}')

    def token(self, token: Token) -> None:
        """Pass on a piece of what a model says."""
        self._say("token", {"text": token.text, "kind": token.kind, "agent": token.agent, "turn": token.turn})

    def answered(self, answer: Answered) -> None:
        """Pass on an answer of a model, for a later run to use again."""
        self._say("answered", {"answer": answer.to_json()})

    def written(self, path: str) -> None:
        """Say that a file is about to be written."""
        self._say("used", {"imported": [], "read": [], "written": [path]})

    def reports_to(self, page: Path) -> None:
        """Hear no more of the files that a run's report is written to."""
        if self.used is not None:
            self.used.leave_out(page.parents[1])

    def reported(self, page: Path) -> None:
        """Say where the report of the run is."""
        self._say("reported", {"page": str(page)})

    def asks(self) -> None:
        """Say that the program waits for a line of standard input."""
        self._say("asks", {})

    def end(self, type_: str, /, **values: object) -> None:
        """Write the last word."""
        self._files()
        self._say(type_, values)

    def _files(self) -> None:
        if self.used is not None:
            self._say("used", {**self.used.take(), "written": []})

    def _say(self, type_: str, values: Mapping[str, object]) -> None:
        self._write(json.dumps({"type": type_, **values}, ensure_ascii=False, separators=(",", ":"), default=str))

    def _write(self, line: str) -> None:
        # Files are written in any thread, and by whatever a signal interrupts this with.
        with self.turn, suppress(OSError, ValueError):
            self.stream.write(f"{line}\n")
            self.stream.flush()


class Parent:
    """What is known of whoever started this process: a pipe of which it holds the other end for as long as it lives."""

    def __init__(self) -> None:
        self._is_gone = False

    def watch(self, pipe: int) -> None:
        """Abort the run once the other end is closed, and end what does not end by itself."""
        os.set_inheritable(pipe, False)
        threading.Thread(target=self._wait, args=(pipe,), daemon=True).start()

    def end_group_if_gone(self) -> None:
        """End what this process started too, which is the parent's work while there is one."""
        if self._is_gone:
            _end_group()

    def _wait(self, pipe: int) -> None:
        while os.read(pipe, 1):
            pass
        self._is_gone = True
        # Nobody reads any more: what a clean-up prints must not break it.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for number in (1, 2):
            os.dup2(nowhere, number)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(GRACE)
        _end_group()


_PARENT: Final = Parent()


def main() -> NoReturn:
    """Do what the command line, or the order on stdin, says."""
    line = Line(_take_stdout())
    order = _parse(sys.argv[1:])
    try:
        code = _obey(order or _wait_for_order(), line)
    except KeyboardInterrupt:
        # Outside a run there is nothing that could clean up.
        line.end("cancelled", at=None)
        _leave()
    _PARENT.end_group_if_gone()
    sys.exit(code)


def _leave() -> NoReturn:
    """End at once: a tool's worker thread that hears nothing must not keep a process whose last word is said."""
    _PARENT.end_group_if_gone()
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(CANCELLED)


def _end_group() -> None:
    """End this process now, and where it leads a group, everything that it started."""
    number = os.getpid()
    if os.getpgrp() == number:
        os.killpg(number, signal.SIGKILL)
    os.kill(number, signal.SIGKILL)


def _take_stdout() -> TextIO:
    """Keep the real stdout for the lines, and send what the user's code prints to stderr."""
    own = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return os.fdopen(own, "w", encoding="utf-8", errors="backslashreplace", newline="\n")


def _parse(arguments: list[str]) -> Order | None:
    parser = argparse.ArgumentParser(prog="python -m thena_runtime.child")
    parser.add_argument("target", nargs="?", help="module or module:name")
    parser.add_argument("--root", help="a folder to import from")
    parser.add_argument("--prompt", default="")
    parser.add_argument("--guess", help="the name to prefer in a module, if it is there")
    parser.add_argument("--file", help="the file that the module must be")
    parser.add_argument("--wait", action="store_true", help="read one JSON order from stdin")
    parser.add_argument("--order", type=int, metavar="FD", help="a pipe with one JSON order")
    parser.add_argument("--lifeline", type=int, metavar="FD", help="a pipe that is closed when the parent is gone")
    given = parser.parse_args(arguments)
    if given.lifeline is not None:
        _PARENT.watch(given.lifeline)
    if given.wait:
        return None
    if given.order is not None:
        with open(given.order, "rb") as pipe:  # noqa: PTH123 - a descriptor
            return _read(pipe)
    if given.target is None:
        parser.error("a target is needed, or --order or --wait")
    return Order(target=given.target, root=given.root, prompt=given.prompt, guess=given.guess, file=given.file)


def _wait_for_order() -> Order:
    """Import what is slow, then wait: whoever orders a run later gets it sooner."""
    import httpx  # noqa: F401
    from pydantic import TypeAdapter

    import thena_runtime.providers.openai  # noqa: F401

    # As for a tool's arguments: pydantic loads what it needs for a dataclass when it meets the first one.
    TypeAdapter(make_dataclass("Warm", [("text", str)])).json_schema()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return _read(sys.stdin.buffer)
    except KeyboardInterrupt:
        _leave()


def _read(pipe: IO[bytes]) -> Order:
    said: Mapping[str, Any] = json.loads(pipe.readline() or b"null") or {}
    if not said:
        sys.exit(0)  # the parent is gone and wants nothing
    return Order.from_json(said)


def _obey(order: Order, line: Line) -> int:
    line.traces = order.traces
    if order.tells_files:
        line.used = FilesUsed(written=line.written)
        line.used.listen()
    if order.asks:
        sys.stdin = Asking(sys.stdin.buffer, asks=line.asks)
    # From here to the event loop's own handlers both signals are a KeyboardInterrupt, also where a shell that started
    # its parent in the background had one of them ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    if order.cwd is not None:
        try:
            os.chdir(order.cwd)
        except OSError as error:
            reason = f"the folder `{order.cwd}` can't be entered: {error.strerror}. Go to one that can."
            return _say_error("target", TargetError(reason), line)
    if order.root is not None:
        sys.path.insert(0, order.root)
    sys.path += [folder for folder in order.behind if folder not in sys.path]
    if order.act != "run":
        # They are told among what was found.
        warnings.simplefilter("ignore", ThenaWarning)
    module_name, _, name = order.target.partition(":")
    try:
        module = importlib.import_module(module_name)
        _require_file(module, order.file)
        app = _app(module, name or None, order.guess)
    except ContractError as error:
        return _say_findings(error, line)
    except TargetError as error:
        return _say_error("target", error, line)
    except (Exception, SystemExit) as error:
        problems = _problems(error)
        return _say_problems(problems, line) if problems else _say_error("import", error, line)
    try:
        match order.act:
            case "check":
                line.end("judged", **judgement(app))
                return 0
            case "graph":
                line.end("graph", **drawing(app))
                return 0
        return asyncio.run(_run(app, order, line))
    except OrderError as error:
        return _say_error("arguments", error, line)
    except SystemExit as error:  # a tool that calls `sys.exit` tears the event loop down
        return _say_error("run", error, line)


async def _run(app: Thena, order: Order, line: Line) -> int:
    loop = asyncio.get_running_loop()
    innermost: list[str | None] = []
    handle = _started(app, order, line)
    page = handle.report
    if page is not None:
        line.reports_to(page)

    def cancel() -> None:
        if not innermost and not handle.done:
            innermost.append(line.open_nodes[-1].kind if line.open_nodes else None)
        handle.abort("a signal")

    # Where a loop has no signal handlers (Windows), an interrupt still cancels the tasks, and clean-ups run.
    with suppress(NotImplementedError):
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(each, cancel)
    await handle.settle()
    await app.close()
    if page is not None and page.exists():
        line.reported(page)
    if innermost:
        line.end("cancelled", at=innermost[0])
        _leave()
    return _say_end(handle, line)


def _started(app: Thena, order: Order, line: Line) -> RunHandle:
    try:
        handle = app.run(
            order.prompt,
            state=seed_of(order.state),
            data=data_of(order.data, app.data),
            budget=budget_of(order.budget),
            log=line.event,
            report=report_of(order.report, app.config.report),
            replay=None
            if order.answers is None
            else Replay(map(Answered.from_json, order.answers), told=line.answered),
        )
    except (TypeError, ValueError) as error:
        # Nothing has begun: what is wrong is what the run was given.
        raise OrderError(" ".join(str(error).split()).removeprefix(_PROBLEM)) from error
    if order.speaks:
        handle.on_token(line.token)
    return handle


def _say_end(handle: RunHandle, line: Line) -> int:
    try:
        output = json_of_output(handle.result)
    except ContractError as error:
        return _say_findings(error, line)
    except (Exception, asyncio.CancelledError) as error:
        return _say_error("run", error, line)
    line.end("result", run_id=handle.run_id, output=output, stopped_by=handle.stopped_by)
    return 0


# -- targets


def _require_file(module: ModuleType, file: str | None) -> None:
    """Refuse a module that Python took from elsewhere, such as one of its own that was loaded already."""
    found = getattr(module, "__file__", None)
    if file is not None and not (found is not None and Path(file).exists() and Path(found).samefile(file)):
        raise TargetError(
            f"`{file}` can't be imported as `{module.__name__}`, which is {found or 'a module without a file'}. "
            "Give the file another name."
        )


def _app(module: ModuleType, name: str | None, guess: str | None) -> Thena:
    if name is None:
        guessed = None if guess is None else vars(module).get(guess)
        if isinstance(guessed, Thena):
            return guessed
        return Thena(guessed) if isinstance(guessed, type) and _is_workflow(guessed) else _only(module)
    try:
        found = vars(module)[name]
    except KeyError:
        known = _listed([*_apps(module), *_workflows(module)])
        raise TargetError(f"module `{module.__name__}` has no `{name}`. {known}") from None
    if isinstance(found, Thena):
        return found
    if isinstance(found, type) and _is_workflow(found):
        return Thena(found)
    if isinstance(found, Declaration):
        raise TargetError(refusal(found))
    raise TargetError(f"`{module.__name__}:{name}` is neither a `Thena` app nor a workflow class.")


def _only(module: ModuleType) -> Thena:
    apps = _apps(module)
    # Two names of one app are one app.
    if len({id(app) for app in apps.values()}) == 1:
        return next(iter(apps.values()))
    if apps:
        raise TargetError(f"module `{module.__name__}` has several apps. {_choice(module, list(apps))}")
    workflows = _workflows(module)
    if len(workflows) == 1:
        return Thena(next(iter(workflows.values())))
    if workflows:
        raise TargetError(f"module `{module.__name__}` has several workflows. {_choice(module, list(workflows))}")
    for value in vars(module).values():
        if isinstance(value, Declaration) and value.decorator == vocabulary.WORKFLOW:
            raise TargetError(refusal(value))
    raise TargetError(
        f"module `{module.__name__}` has no app and no workflow. Write `app = Thena(YourWorkflow)` there, "
        "or name another module."
    )


def _apps(module: ModuleType) -> dict[str, Thena]:
    return {name: value for name, value in vars(module).items() if isinstance(value, Thena)}


def _workflows(module: ModuleType) -> dict[str, type]:
    """The workflow classes that are defined in this module, and not those that it imports."""
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and _is_workflow(value) and value.__module__ == module.__name__
    }


def _is_workflow(cls: type) -> bool:
    return declared_as(cls) == vocabulary.WORKFLOW


def _choice(module: ModuleType, names: list[str]) -> str:
    return "Type one of: " + ", ".join(f"{module.__name__}:{name}" for name in names)


def _listed(names: list[str]) -> str:
    return f"It has: {', '.join(names)}." if names else "It has no app and no workflow."


# -- what is said


def _say_findings(error: ContractError, line: Line) -> int:
    rows = [finding_row(finding, error.places.get(finding.anchor)) for finding in error.findings]
    line.end("findings", findings=[*rows, *map(_problem_row, error.problems)])
    return 1


def _problems(error: BaseException) -> Sequence[Problem]:
    """What start-up refuses and no rule has a code for; a sentence that the framework marks as its own is one too."""
    if isinstance(error, StartUpError):
        return error.problems
    text = " ".join(str(error).split())
    if isinstance(error, ValueError | TypeError) and text.startswith(_PROBLEM):
        return [Problem(text.removeprefix(_PROBLEM), _line_of_user(error))]
    return []


def _say_problems(problems: Sequence[Problem], line: Line) -> int:
    line.end("findings", findings=[*map(_problem_row, problems)])
    return 1


def _problem_row(problem: Problem) -> dict[str, object]:
    place = problem.place
    return {
        "code": None,
        "name": None,
        "severity": "error",
        "message": problem.text,
        "module": None,
        "declaration": None,
        "label": "",
        "path": None if place is None else place.path,
        "line": None if place is None else place.line,
    }


def _line_of_user(error: BaseException) -> Location | None:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if is_users(frame.filename)]
    return Location(frames[-1].filename, frames[-1].lineno or 1) if frames else None


def _say_error(kind: str, error: BaseException, line: Line) -> int:
    code = error.code if isinstance(error, RunFaultError) else None
    if isinstance(error, TargetError | OrderError) or (code is not None and not line.traces):
        # The text says all that helps.
        trace = ""
    else:
        trace = "".join(traceback.format_exception(error)) if line.traces else user_traceback(error)
    line.end("error", kind=kind, code=code, error=_one_line(error), traceback=trace, missing=_missing(error, kind))
    return 1


def _missing(error: BaseException, kind: str) -> str | None:
    """The package that an import didn't find; a module inside one that was found is a matter of the code."""
    name = error.name if kind == "import" and isinstance(error, ModuleNotFoundError) else None
    return None if name is None or "." in name else name


def _one_line(error: BaseException) -> str:
    if isinstance(error, TargetError | OrderError):
        return str(error)
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


if __name__ == "__main__":
    main()
