"""Whatever a run deals with, as JSON values: at once, so that what its owner changes afterwards isn't in a report."""

import math
from collections.abc import Mapping
from typing import Any, Final

from thena_runtime.build.schema import json_of_output

_DEEPEST: Final = 100
_PLAIN: Final = frozenset({str, int, bool, type(None)})


def plain(value: object, depth: int = 0) -> Any:  # JSON values: a wire
    """The value as JSON has it; what can't be written so is its `repr`, and this never raises."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    try:
        if isinstance(value, float):
            # JSON has no name for the others.
            return float(value) if math.isfinite(value) else str(value)
        if depth == _DEEPEST:
            return "..."
        if isinstance(value, Mapping):
            return {
                key if type(key) is str else str(key): each if type(each) in _PLAIN else plain(each, depth + 1)
                for key, each in value.items()
            }
        if isinstance(value, list | tuple | set | frozenset):
            return [plain(each, depth + 1) for each in value]
        return _exact(value) if isinstance(value, str | int) else plain(json_of_output(value), depth + 1)
    except Exception:
        return _repr(value)


def _exact(value: str | int) -> str | int:
    """Without what a subclass adds, an enum's members for one."""
    return str.__str__(value) if isinstance(value, str) else int(value)


def _repr(value: object) -> str:
    try:
        return str.__str__(repr(value))
    except Exception:
        return f"<{type(value).__name__}>"
