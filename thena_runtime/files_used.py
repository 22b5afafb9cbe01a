"""Which files this process imports, reads and writes, for whoever wants to run again when one of them has changed.

Python itself tells of each file that it opens, by its audit events; what a library opens past Python isn't heard.
Left out on purpose: what is installed, and which of the others are of interest.
"""

import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Final

_INSTALLED: Final = tuple(
    {os.path.realpath(folder) + os.sep for folder in (sys.prefix, sys.base_prefix, Path(os.__file__).parent)}
)
_WRITES: Final = os.O_WRONLY | os.O_RDWR


class FilesUsed:
    """The files of one process; it lives as long as the process, for an audit hook can't be taken away."""

    def __init__(self) -> None:
        self._read: dict[str, None] = {}
        self._written: dict[str, None] = {}
        self._imported: set[str] = set()
        self._told: set[str] = set()

    def listen(self) -> None:
        """Hear of what is opened from now on."""
        sys.addaudithook(self._hear)

    @property
    def is_new(self) -> bool:
        """Whether a file was opened since they were last told."""
        return bool(self._read or self._written)

    def take(self) -> dict[str, list[str]]:
        """What was imported, read and written since this was last asked, as absolute paths."""
        read, self._read = self._read, {}
        written, self._written = self._written, {}
        imported = {path for module in tuple(sys.modules.values()) if (path := _source(module)) is not None}
        new, self._imported = imported - self._imported, imported
        return {
            "imported": sorted(path for path in new if not _is_installed(path)),
            "read": self._untold(read, "r"),
            "written": self._untold(written, "w"),
        }

    def _untold(self, paths: dict[str, None], how: str) -> list[str]:
        told = [path for path in paths if how + path not in self._told and not _is_installed(path)]
        self._told.update(how + path for path in told)
        return told

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:  # whatever the event has
        if event != "open":
            return
        path, mode, flags = arguments
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if not isinstance(path, str) or path.endswith(".pyc"):
            return
        is_written = any(sign in mode for sign in "wax+") if isinstance(mode, str) else bool((flags or 0) & _WRITES)
        opened = self._written if is_written else self._read
        opened[os.path.abspath(path)] = None  # noqa: PTH100 - in a hook that every open file waits for


def _source(module: object) -> str | None:
    if not isinstance(module, ModuleType):
        return None
    # Past `__getattribute__`, by which a module that is loaded lazily would load itself.
    path = object.__getattribute__(module, "__dict__").get("__file__")
    return path if isinstance(path, str) else None


def _is_installed(path: str) -> bool:
    return path.startswith(_INSTALLED)
