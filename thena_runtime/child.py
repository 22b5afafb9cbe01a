"""`python -m thena_runtime.child TARGET`: run a user's workflow here, and say what happens as JSON lines.

This is the one place where user code is imported. The parent reads lines from the real stdout; whatever the user's
code prints goes to stderr. After any number of `event` lines exactly one of `result`, `findings`, `error` and
`cancelled` is written, and the process ends: 0 after a result, 130 after `cancelled`, 1 otherwise.
"""

import argparse
import asyncio
import importlib
import inspect
import json
import os
import signal
import sys
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, make_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NoReturn, TextIO

from thena_contract import vocabulary
from thena_runtime.app import Thena
from thena_runtime.build.describe import declared_as
from thena_runtime.build.schema import json_of_output
from thena_runtime.errors import ContractError
from thena_runtime.observability.events import Event
from thena_runtime.run.handle import RunHandle

_OWN: Final = (Path(__file__).parent, Path(inspect.__file__).parent / "asyncio", Path(importlib.__file__).parent)
"""Folders whose frames say nothing about the user's code."""

CANCELLED: Final = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be run."""

    target: str
    root: str | None = None
    prompt: str = ""
    cwd: str | None = None


class TargetError(Exception):
    """The target names no workflow, or more than one."""


@dataclass(slots=True)
class Line:
    """The way to the parent. A parent that is gone ends nothing: the run is told by its signal."""

    stream: TextIO
    open_nodes: list[Event] = field(default_factory=list)

    def event(self, event: Event) -> None:
        """Pass an event on, and keep which nodes are open."""
        if event.phase == "start":
            self.open_nodes.append(event)
        else:
            self.open_nodes = [node for node in self.open_nodes if node.id != event.id]
        self._write(f'{{"type":"event","event":{event.to_json()}}}')

    def say(self, type_: str, /, **values: object) -> None:
        """Write any other line."""
        self._write(json.dumps({"type": type_, **values}, ensure_ascii=False, separators=(",", ":"), default=str))

    def _write(self, line: str) -> None:
        with suppress(OSError, ValueError):
            self.stream.write(f"{line}\n")
            self.stream.flush()


def main() -> NoReturn:
    """Do what the command line, or the order on stdin, says."""
    line = Line(_take_stdout())
    order = _parse(sys.argv[1:])
    if order is None:
        order = _wait_for_order()
    try:
        code = _obey(order, line)
    except KeyboardInterrupt:
        # Outside a run there is nothing that could clean up.
        line.say("cancelled", at=None)
        _leave()
    sys.exit(code)


def _leave() -> NoReturn:
    """End at once: a tool's worker thread that hears nothing must not keep a process whose last word is said."""
    sys.stderr.flush()
    os._exit(CANCELLED)


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
    parser.add_argument("--wait", action="store_true", help="read one JSON order from stdin")
    given = parser.parse_args(arguments)
    if given.wait:
        return None
    if given.target is None:
        parser.error("a target is needed, or --wait")
    return Order(target=given.target, root=given.root, prompt=given.prompt)


def _wait_for_order() -> Order:
    """Import what is slow, then wait: whoever orders a run later gets it sooner."""
    import httpx  # noqa: F401
    from pydantic import TypeAdapter

    import thena_runtime.providers.openai  # noqa: F401

    # As for a tool's arguments: pydantic loads what it needs for a dataclass when it meets the first one.
    TypeAdapter(make_dataclass("Warm", [("text", str)])).json_schema()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        said: Mapping[str, Any] = json.loads(sys.stdin.buffer.readline() or b"null") or {}
    except KeyboardInterrupt:
        _leave()
    if not said:
        sys.exit(0)  # the parent is gone and wants nothing
    return Order(target=said["target"], root=said.get("root"), prompt=said.get("prompt") or "", cwd=said.get("cwd"))


def _obey(order: Order, line: Line) -> int:
    # From here to the event loop's own handlers both signals are a KeyboardInterrupt.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if order.cwd is not None:
        os.chdir(order.cwd)
    if order.root is not None:
        sys.path.insert(0, order.root)
    module_name, _, name = order.target.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ContractError as error:
        return _say_findings(error, line)
    except (Exception, SystemExit) as error:
        return _say_error("import", error, line)
    try:
        app = _app(module, name or None)
    except ContractError as error:
        return _say_findings(error, line)
    except Exception as error:
        return _say_error("target", error, line)
    try:
        return asyncio.run(_run(app, order.prompt, line))
    except SystemExit as error:  # a tool that calls `sys.exit` tears the event loop down
        return _say_error("run", error, line)


async def _run(app: Thena, prompt: str, line: Line) -> int:
    loop = asyncio.get_running_loop()
    innermost: list[str | None] = []
    handle = app.run(prompt, log=line.event)

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
    if innermost:
        line.say("cancelled", at=innermost[0])
        _leave()
    return _say_end(handle, line)


def _say_end(handle: RunHandle, line: Line) -> int:
    try:
        output = json_of_output(handle.result)
    except ContractError as error:
        return _say_findings(error, line)
    except (Exception, asyncio.CancelledError) as error:
        return _say_error("run", error, line)
    line.say("result", run_id=handle.run_id, output=output, stopped_by=handle.stopped_by)
    return 0


# -- targets


def _app(module: ModuleType, name: str | None) -> Thena:
    if name is None:
        return _only(module)
    try:
        found = vars(module)[name]
    except KeyError:
        known = _listed([*_apps(module), *_workflows(module)])
        raise TargetError(f"module `{module.__name__}` has no `{name}`. {known}") from None
    if isinstance(found, Thena):
        return found
    if declared_as(found) == vocabulary.WORKFLOW:
        return Thena(found)
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
        if isinstance(value, type) and declared_as(value) == vocabulary.WORKFLOW and value.__module__ == module.__name__
    }


def _choice(module: ModuleType, names: list[str]) -> str:
    return "Type one of: " + ", ".join(f"{module.__name__}:{name}" for name in names)


def _listed(names: list[str]) -> str:
    return f"It has: {', '.join(names)}." if names else "It has no app and no workflow."


# -- what is said


def _say_findings(error: ContractError, line: Line) -> int:
    rows = []
    for finding in error.findings:
        place = error.places.get(finding.anchor)
        rows.append(
            {
                "code": finding.fault.code,
                "name": finding.fault.name,
                "severity": finding.fault.severity.value,
                "message": finding.fault.message,
                "module": finding.anchor.declaration.module,
                "declaration": finding.anchor.declaration.qualname,
                "label": finding.anchor.label,
                "path": None if place is None else place.path,
                "line": None if place is None else place.line,
            }
        )
    line.say("findings", findings=rows)
    return 1


def _say_error(kind: str, error: BaseException, line: Line) -> int:
    line.say("error", kind=kind, error=_one_line(error), traceback=_user_traceback(error))
    return 1


def _one_line(error: BaseException) -> str:
    if isinstance(error, TargetError):
        return str(error)
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _user_traceback(error: BaseException) -> str:
    """The traceback without our own frames and asyncio's; all of it where nothing else is in it."""
    if isinstance(error, TargetError):
        return ""
    told = traceback.TracebackException.from_exception(error)
    seen: set[int] = set()
    part: traceback.TracebackException | None = told
    while part is not None and id(part) not in seen:
        seen.add(id(part))
        kept = [frame for frame in part.stack if _is_users(frame.filename)]
        part.stack = traceback.StackSummary.from_list(kept)
        part = part.__cause__ or (None if part.__suppress_context__ else part.__context__)
    return "".join(told.format())


def _is_users(filename: str) -> bool:
    if filename.startswith("<frozen importlib"):
        return False
    path = Path(filename)
    return not any(path.is_relative_to(folder) for folder in _OWN)


if __name__ == "__main__":
    main()
