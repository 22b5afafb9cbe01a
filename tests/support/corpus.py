"""The corpus: projects as engineers write them, each started and run by its own `main`, in a process of its own.

Run as a script: reads `folder module` lines, and answers each with a pickle, its length before it. The process is warm
and forks for each line.
"""

import os
import pickle
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from thena_contract.fault import Finding

CORPUS: Final = Path(__file__).parents[1] / "corpus"
PROJECTS: Final = sorted(path for path in CORPUS.iterdir() if path.is_dir() and path.name != "__pycache__")

_LENGTH: Final = struct.Struct("!I")
_GUARD: Final = 'if __name__ == "__main__"'


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a program: how many apps it made, what the judge said, what was warned of, and what it raised."""

    apps: int
    findings: frozenset[Finding]
    warned: tuple[str, ...]
    refused: str | None
    """What making an app raised, or importing its module."""
    failed: str | None
    """What the program raised otherwise."""

    @property
    def trouble(self) -> bool:
        """Whether anything was said or raised."""
        return bool(self.findings or self.warned or self.refused or self.failed)


def root_of(project: Path) -> Path:
    """The folder that the project's modules are imported from."""
    return project / "src" if (project / "src").is_dir() else project


def programs_of(project: Path) -> list[str]:
    """The modules that can be run as a program."""
    root = root_of(project)
    return sorted(
        ".".join(path.relative_to(root).with_suffix("").parts)
        for path in root.rglob("*.py")
        if _GUARD in path.read_text(encoding="utf-8")
    )


@dataclass(slots=True)
class Runner:
    """The warm process. Owned by the fixture that starts it."""

    process: "subprocess.Popen[bytes]"

    def run(self, project: Path, module: str) -> Ran:
        """Run a module of a project as a program."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"{module} {root_of(project)}\n".encode())
        self.process.stdin.flush()
        (length,) = _LENGTH.unpack(self.process.stdout.read(_LENGTH.size))
        return Ran(*pickle.loads(self.process.stdout.read(length)))


@contextmanager
def running() -> Iterator[Runner]:
    """Start the warm process, and end it."""
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": root, "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.corpus"],
        cwd=root,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        try:
            yield Runner(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()


def _serve() -> None:
    import httpx  # noqa: F401 - warm for every fork
    import pydantic  # noqa: F401 - warm for every fork

    import thena_runtime.testing  # noqa: F401 - warm for every fork

    while line := sys.stdin.readline():
        module, _, folder = line.rstrip("\n").partition(" ")
        source, sink = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(source)
            with os.fdopen(sink, "wb") as out:
                _answer(out, folder, module)
            os._exit(0)
        os.close(sink)
        with os.fdopen(source, "rb") as inlet:
            answer = inlet.read()
        os.waitpid(child, 0)
        sys.stdout.buffer.write(_LENGTH.pack(len(answer)) + answer)
        sys.stdout.buffer.flush()


def _answer(out: IO[bytes], folder: str, module: str) -> None:
    import runpy
    import traceback
    import warnings

    from thena_runtime.app import Thena
    from thena_runtime.build import compile as compiling
    from thena_runtime.errors import ThenaWarning

    apps: list[Thena] = []
    found: set[Finding] = set()
    refused: list[str] = []
    judge, make = compiling.judge, Thena.__init__

    def listening(assemblies: object) -> object:
        findings = judge(assemblies)  # type: ignore[arg-type]
        found.update(findings)
        return findings

    def counting(self: Thena, *args: object, **options: object) -> None:
        try:
            make(self, *args, **options)  # type: ignore[arg-type]
        except BaseException as error:
            refused.append(f"{type(error).__name__}: {error}")
            raise
        apps.append(self)

    compiling.judge = listening  # type: ignore[assignment]
    Thena.__init__ = counting  # type: ignore[assignment]
    os.chdir(folder)
    sys.path.insert(0, folder)
    sys.argv = [module]
    failed = None
    stdout, stderr = sys.stdout, sys.stderr
    with Path(os.devnull).open("w") as nowhere, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sys.stdout = sys.stderr = nowhere
        try:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        except SystemExit as ended:
            failed = None if ended.code in (None, 0) else f"exit code {ended.code}"
        except BaseException:
            failed = traceback.format_exc()
        sys.stdout, sys.stderr = stdout, stderr
    warned = tuple(str(one.message) for one in caught if issubclass(one.category, ThenaWarning))
    # This module is `__main__` here, so its own class would have another name than for the asker.
    out.write(pickle.dumps((len(apps), frozenset(found), warned, refused[0] if refused else None, failed)))


if __name__ == "__main__":
    _serve()
