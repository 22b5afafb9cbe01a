"""What becomes of a project, seen from outside: a child process imports it and hands back what was raised.

Run as a script: `python start_up.py MODULE OUT` imports MODULE and pickles what it raised to the file OUT.
"""

import importlib
import os
import pickle
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from thena_contract.assembly import Assembly
from thena_contract.fault import Finding


@dataclass(frozen=True, slots=True)
class Failure:
    """What a run raised: its code, and the innermost line of the project that it came through."""

    file: str
    line: int
    code: str


def findings_at_start_up(folder: Path, module: str) -> tuple[Finding, ...]:
    """Import a module in a child and return the findings of the `ContractError` that it raised, or of its apps.

    Raises `AssertionError` with the child's output where the import failed in any other way.
    """
    findings, failure = _imported(folder, module)
    assert failure is None, failure
    return findings


def failure_of_run(folder: Path, module: str) -> Failure | None:
    """Import a module that runs its own app in a child; return what the run raised, or nothing.

    Raises `AssertionError` with the child's output where anything without a code was raised.
    """
    findings, failure = _imported(folder, module)
    assert findings == ()
    return failure


def _imported(folder: Path, module: str) -> tuple[tuple[Finding, ...], Failure | None]:
    with tempfile.TemporaryDirectory() as out:
        answer = Path(out, "answer.pickle")
        child = subprocess.run(
            # Without -P this file's neighbours would come before the project's modules of the same name.
            [sys.executable, "-P", __file__, module, str(answer)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(Path(__file__).parents[2])])},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert child.returncode == 0, child.stderr
        findings, failure = pickle.loads(answer.read_bytes())
        return findings, None if failure is None else Failure(*failure)


def _main(module: str, answer: str) -> None:
    from thena_runtime.build import compile as compiling
    from thena_runtime.errors import ContractError, RunFaultError

    findings: dict[Finding, None] = {}
    failure: tuple[str, int, str] | None = None
    judge = compiling.judge

    def listening(assemblies: Iterable[Assembly]) -> tuple[Finding, ...]:
        # An app tells its warnings only where it has no error, and the judge is one function: what it says is all.
        found = judge(assemblies)
        findings.update(dict.fromkeys(found))
        return found

    compiling.judge = listening  # type: ignore[attr-defined]
    warnings.simplefilter("ignore")
    try:
        importlib.import_module(module)
    except ContractError:
        pass
    except RunFaultError as error:
        here = Path.cwd()
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if here in Path(frame.filename).parents]
        failure = (Path(frames[-1].filename).relative_to(here).as_posix(), frames[-1].lineno or 0, error.code)
    Path(answer).write_bytes(pickle.dumps((tuple(findings), failure)))


if __name__ == "__main__":
    _main(*sys.argv[1:])
