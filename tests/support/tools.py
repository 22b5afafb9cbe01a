"""What a test needs of the machine beyond Python: a missing tool skips the test, or fails it where all are required."""

import os
import shutil

import pytest


def require_tool(name: str) -> str:
    """Return the path of an executable; skip the test where it is missing.

    With `THENA_REQUIRE_TOOLS=1` in the environment (as in continuous integration) a missing tool is a failure.
    """
    path = shutil.which(name)
    if path is not None:
        return path
    reason = f"needs `{name}`, which is not on PATH"
    if os.environ.get("THENA_REQUIRE_TOOLS") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
