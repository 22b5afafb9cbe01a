"""Programs seen from outside: each is run in a process of its own, which is forked from a warm one.

Run as a script: reads `how module folder` lines, and answers each with a pickle, its length before it. The warm process
ends with the process that started it.
"""

import os
import pickle
import struct
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO, Final, Literal

from thena_contract.anchor import Ref
from thena_contract.assembly import Assembly
from thena_contract.fault import Finding

_LENGTH: Final = struct.Struct("!I")

How = Literal["import", "program"]


@dataclass(frozen=True, slots=True)
class Failure:
    """What a run raised that has a code, and the innermost line of the project that it came through.

    One that came through no line of it is a crash.
    """

    file: str
    line: int
    code: str


@dataclass(slots=True)
class Became:
    """What became of a program."""

    findings: frozenset[Finding] = frozenset()
    """What the judge found, of every severity."""
    assemblies: tuple[Assembly, ...] = ()
    """What was judged."""
    apps: int = 0
    """How many apps were made."""
    refused: str | None = None
    """What making an app raised that was no `ContractError`."""
    warned: list[str] = field(default_factory=list)
    """The framework's warnings."""
    failure: Failure | None = None
    crash: str | None = None
    """The traceback of whatever else was raised."""

    @property
    def workflows(self) -> frozenset[Ref]:
        """The workflows that were judged."""
        return frozenset(one.workflow.ref for one in self.assemblies if one.workflow is not None)


def imported(folder: Path, module: str) -> Became:
    """Import a module of a folder."""
    return _ask("import", folder, module)


def run_as_program(folder: Path, module: str) -> Became:
    """Run a module of a folder as a program."""
    return _ask("program", folder, module)


def _ask(how: How, folder: Path, module: str) -> Became:
    process = _warm_process()
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(f"{how} {module} {folder}\n".encode())
    process.stdin.flush()
    (length,) = _LENGTH.unpack(process.stdout.read(_LENGTH.size))
    answer, failure = pickle.loads(process.stdout.read(length))
    return Became(**answer, failure=None if failure is None else Failure(*failure))


@cache
def _warm_process() -> "subprocess.Popen[bytes]":
    """One for all tests of this process; it ends when its input does."""
    return subprocess.Popen(
        # Without -P this file's neighbours would come before a project's modules of the same name.
        [sys.executable, "-P", __file__],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def _serve() -> None:
    import httpx  # noqa: F401 - warm for every fork
    import pydantic  # noqa: F401 - warm for every fork

    import thena_runtime.testing  # noqa: F401 - warm for every fork

    # A project's modules may have any name, so nothing but the framework's own folder may come before them.
    while line := sys.stdin.readline():
        how, module, folder = line.rstrip("\n").split(" ", 2)
        source, sink = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(source)
            with os.fdopen(sink, "wb") as out:
                _answer(out, how, module, Path(folder))
            os._exit(0)
        os.close(sink)
        with os.fdopen(source, "rb") as inlet:
            answer = inlet.read()
        os.waitpid(child, 0)
        sys.stdout.buffer.write(_LENGTH.pack(len(answer)) + answer)
        sys.stdout.buffer.flush()


def _answer(out: IO[bytes], how: str, module: str, folder: Path) -> None:
    import importlib
    import runpy
    import traceback
    import warnings

    from thena_runtime.app import Thena
    from thena_runtime.build import compile as compiling
    from thena_runtime.errors import ContractError, RunFaultError, ThenaWarning

    became = Became()
    failure: tuple[str, int, str] | None = None
    judge, make = compiling.judge, Thena.__init__

    def listening(assemblies: Iterable[Assembly]) -> tuple[Finding, ...]:
        # An app tells its warnings only where it has no error, and the judge is one function: what it says is all.
        judged = tuple(assemblies)
        found = judge(judged)
        became.findings |= frozenset(found)
        became.assemblies += judged
        return found

    def counting(self: Thena, *args: object, **options: object) -> None:
        try:
            make(self, *args, **options)  # type: ignore[arg-type]
        except ContractError:
            raise
        except BaseException as error:
            became.refused = became.refused or f"{type(error).__name__}: {error}"
            raise
        became.apps += 1

    compiling.judge = listening  # type: ignore[assignment]
    Thena.__init__ = counting  # type: ignore[assignment]
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    sys.argv = [module]
    stdout, stderr = sys.stdout, sys.stderr
    with Path(os.devnull).open("w") as nowhere, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sys.stdout = sys.stderr = nowhere
        try:
            if how == "import":
                importlib.import_module(module)
            else:
                runpy.run_module(module, run_name="__main__", alter_sys=True)
        except ContractError:
            pass
        except RunFaultError as error:
            frames = [one for one in traceback.extract_tb(error.__traceback__) if folder in Path(one.filename).parents]
            if frames:
                place = frames[-1]
                failure = (Path(place.filename).relative_to(folder).as_posix(), place.lineno or 0, error.code)
            else:
                became.crash = traceback.format_exc()
        except SystemExit as ended:
            became.crash = None if ended.code in (None, 0) else f"exit code {ended.code}"
        except BaseException:
            became.crash = traceback.format_exc()
        sys.stdout, sys.stderr = stdout, stderr
    became.warned = [str(one.message) for one in caught if issubclass(one.category, ThenaWarning)]
    # This module is `__main__` here, so its own classes would have another name than for the asker.
    parts = {name: getattr(became, name) for name in ("findings", "assemblies", "apps", "refused", "warned", "crash")}
    out.write(pickle.dumps((parts, failure)))


if __name__ == "__main__":
    _serve()
