"""What each package may load: read from the source of the contract, and seen in a fresh process for the others."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

LOADED = """
import json, sys
before = set(sys.modules)
import {module}
print(json.dumps(sorted({{name.partition(".")[0] for name in set(sys.modules) - before}})))
"""


def loaded_by(module: str) -> set[str]:
    """Import a module in a fresh process and get the top-level names of all that came with it."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(module=module)],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
    )
    return set(json.loads(done.stdout))


def imports_in(source: str) -> Iterator[str]:
    """The top-level names that a file imports anywhere, inside functions too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "relative import" if node.level else (node.module or "").partition(".")[0]


def test_the_contract_imports_only_the_standard_library() -> None:
    """No file of the contract imports anything but itself and what comes with Python."""
    allowed = sys.stdlib_module_names | {"thena_contract"}
    files = sorted((ROOT / "thena_contract").rglob("*.py"))
    imported = {str(file.relative_to(ROOT)): set(imports_in(file.read_text("utf-8"))) for file in files}
    assert "thena_contract/judge.py" in imported
    assert {} == {file: names - allowed for file, names in imported.items() if names - allowed}


@pytest.mark.parametrize(
    ("module", "forbidden"),
    [
        ("thena_contract.catalogue", {"thena_runtime", "thena_lint", "thena_lsp", "thena_cli", "pydantic", "libcst"}),
        (
            "thena_lint.check",
            {
                "thena_runtime",
                "thena_lsp",
                "thena_cli",
                "pydantic",
                "httpx",
                "rich",
                "watchfiles",
                "pygls",
                "lsprotocol",
            },
        ),
        ("thena_runtime", {"thena_lint", "thena_lsp", "thena_cli", "libcst", "pygls", "rich", "watchfiles", "httpx"}),
        ("thena_runtime.child", {"thena_lint", "thena_lsp", "thena_cli", "libcst", "pygls", "rich", "watchfiles"}),
        ("thena_lsp", {"thena_runtime", "thena_cli"}),
        ("thena_lsp.server", {"thena_runtime", "thena_cli", "pydantic", "httpx"}),
        ("thena_cli.main", {"thena_runtime", "thena_lsp", "pygls", "lsprotocol"}),
    ],
)
def test_a_package_loads_only_what_it_needs(module: str, forbidden: set[str]) -> None:
    """Importing one part leaves the others, and the libraries that only they use, alone."""
    loaded = loaded_by(module)
    assert module.partition(".")[0] in loaded
    assert set() == loaded & forbidden
