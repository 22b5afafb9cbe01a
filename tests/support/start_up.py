"""What `Thena(...)` says about a project, seen from outside: a child process imports it and hands its findings back.

Run as a script: `python start_up.py MODULE OUT` imports MODULE and pickles what it raised to the file OUT.
"""

import importlib
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

from thena_contract.fault import Finding


def findings_at_start_up(folder: Path, module: str) -> tuple[Finding, ...]:
    """Import a module in a child and return the findings of the `ContractError` that it raised, or none.

    Raises `AssertionError` with the child's output where the import failed in any other way.
    """
    with tempfile.TemporaryDirectory() as out:
        answer = Path(out, "findings.pickle")
        child = subprocess.run(
            [sys.executable, __file__, module, str(answer)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(Path(__file__).parents[2])])},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert child.returncode == 0, child.stderr
        findings: tuple[Finding, ...] = pickle.loads(answer.read_bytes())
        return findings


def _main(module: str, answer: str) -> None:
    from thena_runtime.errors import ContractError

    findings: tuple[Finding, ...] = ()
    try:
        importlib.import_module(module)
    except ContractError as error:
        findings = tuple(error.findings)
    Path(answer).write_bytes(pickle.dumps(findings))


if __name__ == "__main__":
    _main(*sys.argv[1:])
