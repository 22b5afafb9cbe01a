"""What `Thena(...)`, or a run, says about a project."""

from pathlib import Path

from tests.support.warm import Failure, imported
from thena_contract.fault import Finding


def findings_at_start_up(folder: Path, module: str) -> frozenset[Finding]:
    """Import a module and return what the judge found in its apps, of every severity.

    Raises `AssertionError` where the import failed in any other way.
    """
    became = imported(folder, module)
    assert became.crash is None and became.failure is None, became.crash or became.failure
    return became.findings


def failure_of_run(folder: Path, module: str) -> Failure | None:
    """Import a module that runs its own app; return what the run raised, or nothing.

    Raises `AssertionError` where anything without a code was raised.
    """
    became = imported(folder, module)
    assert became.crash is None and not became.findings, became.crash or became.findings
    return became.failure
