"""Which files this process imports, reads and writes, for whoever wants to run again when one of them has changed.

Python itself tells of each file that it opens, by its audit events; what a library opens past Python isn't heard.
What is written is told at once, before the writing begins, so that whoever watches the file knows whose change it is.
Left out on purpose: what is installed, and which of the others are of interest.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final

_INSTALLED: Final = tuple(
    {os.path.realpath(folder) + os.sep for folder in (sys.prefix, sys.base_prefix, Path(os.__file__).parent)}
)
_WRITES: Final = os.O_WRONLY | os.O_RDWR


class FilesUsed:
    """The files of one process; it lives as long as the process, for an audit hook can't be taken away.

    `written` is called with each path that is opened to be written, once, in whatever thread that is.
    """

    def __init__(self, *, written: Callable[[str], object]) -> None:
        self._tell_written = written
        self._read: dict[str, None] = {}
        self._written: set[str] = set()
        self._imported: set[str] = set()
        self._told: set[str] = set()
        self._left_out: tuple[str, ...] = ()

    def listen(self) -> None:
        """Hear of what is opened from now on."""
        sys.addaudithook(self._hear)

    def leave_out(self, folder: Path) -> None:
        """Hear no more of what is opened in a folder, which is ours and not the program's."""
        self._left_out = (*self._left_out, str(folder) + os.sep)

    @property
    def is_new(self) -> bool:
        """Whether a file was read since they were last told."""
        return bool(self._read)

    def take(self) -> dict[str, list[str]]:
        """What was imported and read since this was last asked, as absolute paths."""
        read, self._read = self._read, {}
        imported = {path for module in tuple(sys.modules.values()) if (path := _source(module)) is not None}
        new, self._imported = imported - self._imported, imported
        untold = [path for path in read if path not in self._told and not _is_installed(path)]
        self._told.update(untold)
        return {"imported": sorted(path for path in new if not _is_installed(path)), "read": untold}

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:  # whatever the event has
        if event != "open":
            return
        path, mode, flags = arguments
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        # The compiler's own files are nobody's.
        if not isinstance(path, str) or path.endswith(".pyc") or ".pyc." in path:
            return
        place = os.path.abspath(path)  # noqa: PTH100 - in a hook that every open file waits for
        if place.startswith(self._left_out):
            return
        is_written = any(sign in mode for sign in "wax+") if isinstance(mode, str) else bool((flags or 0) & _WRITES)
        if not is_written:
            self._read[place] = None
        elif place not in self._written and not _is_installed(place):
            self._written.add(place)
            self._tell_written(place)


def _source(module: object) -> str | None:
    if not isinstance(module, ModuleType):
        return None
    # Past `__getattribute__`, by which a module that is loaded lazily would load itself.
    path = object.__getattribute__(module, "__dict__").get("__file__")
    return path if isinstance(path, str) else None


def _is_installed(path: str) -> bool:
    return path.startswith(_INSTALLED)
