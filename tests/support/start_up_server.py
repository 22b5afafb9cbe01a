"""What `Thena(...)` says about many projects, each imported in a process of its own that is forked from a warm one.

Run as a script: reads `folder module` lines, and answers each with a pickle, its length before it.
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
from typing import IO

from thena_contract.anchor import Ref
from thena_contract.assembly import Assembly
from thena_contract.fault import Finding

_LENGTH = struct.Struct("!I")


@dataclass(frozen=True, slots=True)
class StartUp:
    """What the runtime said: the findings of every severity, the assemblies that it judged, and what else it raised."""

    findings: frozenset[Finding]
    assemblies: tuple[Assembly, ...]
    refused: str | None

    @property
    def workflows(self) -> frozenset[Ref]:
        """The workflows that were judged."""
        return frozenset(one.workflow.ref for one in self.assemblies if one.workflow is not None)


@dataclass(slots=True)
class Server:
    """The warm process. Owned by the fixture that starts it."""

    process: "subprocess.Popen[bytes]"

    def ask(self, folder: Path, module: str) -> StartUp:
        """Import a module of a project and hand back what its apps were told."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"{module} {folder}\n".encode())
        self.process.stdin.flush()
        (length,) = _LENGTH.unpack(self.process.stdout.read(_LENGTH.size))
        return StartUp(*pickle.loads(self.process.stdout.read(length)))


@contextmanager
def started() -> Iterator[Server]:
    """Start the warm process, and end it."""
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": root, "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.start_up_server"],
        cwd=root,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        try:
            yield Server(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()


def _serve() -> None:
    import pydantic  # noqa: F401 - warm for every fork

    import thena_runtime.app  # noqa: F401 - warm for every fork

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
    import importlib
    import warnings

    from thena_runtime.build import compile as compiling
    from thena_runtime.errors import ContractError

    judged: list[Assembly] = []
    found: set[Finding] = set()
    judge = compiling.judge

    def listening(assemblies: tuple[Assembly, ...]) -> tuple[Finding, ...]:
        # An app tells its warnings only where it has no error, and the judge is one function: what it says is all.
        judged.extend(assemblies)
        findings = judge(assemblies)
        found.update(findings)
        return findings

    compiling.judge = listening  # type: ignore[assignment]
    os.chdir(folder)
    sys.path.insert(0, folder)
    refused = None
    with Path(os.devnull).open("w") as nowhere, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sys.stdout = sys.stderr = nowhere
        try:
            importlib.import_module(module)
        except ContractError:
            pass
        except BaseException as error:
            refused = f"{type(error).__name__}: {error}"
    # This module is `__main__` here, so its own class would have another name than for the asker.
    out.write(pickle.dumps((frozenset(found), tuple(judged), refused)))


if __name__ == "__main__":
    _serve()
