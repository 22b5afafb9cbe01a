"""What a test needs of the machine beyond Python: a missing tool skips the test, or fails it where all are required."""

import os
import shutil
from typing import NoReturn

import pytest


def require_tool(name: str) -> str:
    """Return the path of an executable; skip the test where it is missing.

    With `THENA_REQUIRE_TOOLS=1` in the environment (as in continuous integration) a missing tool is a failure.
    """
    path = shutil.which(name)
    return path if path is not None else do_without(f"needs `{name}`, which is not on PATH")


def do_without(reason: str) -> NoReturn:
    """Skip the test for what is missing, or fail it where nothing may be."""
    if os.environ.get("THENA_REQUIRE_TOOLS") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
