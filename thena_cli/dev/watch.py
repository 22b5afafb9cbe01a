"""What was saved: Python files, prompts and settings under some folders, and single files, whose content is new.

Folders are watched, so that a new file counts; only folders that may hold sources, because every folder of a virtual
environment would cost a watch. A file's content decides, so that a touch or an identical save is nothing. A save is
told as soon as writing has settled. Left out on purpose: which folders and files a project consists of.
"""

import asyncio
import hashlib
import os
import stat
import threading
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from watchfiles import Change, awatch

from thena_contract.frozen import frozen
from thena_lint.source.table import FILES

SUFFIXES = (".py", ".agent.md")
_CACHES = frozenset({"__pycache__", "node_modules", "site-packages"})

# Milliseconds between two looks at what the system reported. The default of 50 would cost more than all the rest.
_STEP = 10
_DEBOUNCE = 100
SETTLE: Final = 0.01
"""Seconds of quiet that end a save: an editor writes and renames."""

# A checkout writes many, and who empties a file is about to fill it.
_SETTLE_LONG = 0.1
_MANY = 20
_GONE_RETRY = 0.1


@frozen
class Watched:
    """Folders whose sources count, and single files that count wherever they are and whatever their names."""

    folders: frozenset[Path]
    files: frozenset[Path] = frozenset()

    def has(self, path: Path) -> bool:
        """Whether a save of the path counts."""
        return path in self.files or (is_source(path) and any(is_below(path, folder) for folder in self.folders))

    @property
    def roots(self) -> tuple[Path, ...]:
        """What of it may hold Python files, in a fixed order."""
        return (*sorted(self.folders), *sorted(path for path in self.files if path.suffix == ".py"))


class Contents:
    """The content of everything that is watched; owned by a session, brought up to date by asking.

    `watch` may be called from another thread than everything else.
    """

    def __init__(self, watched: Watched) -> None:
        self._door = threading.Lock()
        self._wanted = watched
        self._also: frozenset[Path] = frozenset()
        self.watched = watched
        self._contents = {path: content for path in sources(watched) if (content := _content(path)) is not None}
        self._running: asyncio.AbstractEventLoop | None = None
        self._is_changed = asyncio.Event()

    def watch(self, watched: Watched) -> None:
        """Watch this from now on. What is in it and was not watched before counts as it is now."""
        with self._door:
            self._wanted = watched
            self._widen()

    def also(self, files: frozenset[Path]) -> None:
        """Watch these files too, whatever else is watched; each counts as it is now."""
        with self._door:
            if not files <= self._also:
                self._also |= files
                self._widen()

    def _widen(self) -> None:
        watched = replace(self._wanted, files=self._wanted.files | self._also)
        before = self.watched
        if watched == before:
            return
        self.watched = watched
        for path in sources(watched):
            # What was watched already and isn't known is new, and is still to be told.
            if path not in self._contents and not before.has(path) and (content := _content(path)) is not None:
                self._contents[path] = content
        if self._running is not None:
            self._running.call_soon_threadsafe(self._is_changed.set)

    def now(self) -> Mapping[Path, bytes]:
        """What everything holds, as of when it was last asked: the text of Python files, a digest of others."""
        return self._contents.copy()

    async def until_other_is_watched(self) -> None:
        """Wait until `watch` was called since the last wait."""
        self._running = asyncio.get_running_loop()
        await self._is_changed.wait()
        self._is_changed.clear()

    def changed(self, paths: Iterable[Path]) -> frozenset[Path]:
        """Which of `paths` have other content than when last asked."""
        found: set[Path] = set()
        for path in paths:
            content = _content(path)
            if content != self._contents.get(path):
                found.add(path)
            if content is None:
                self._contents.pop(path, None)
            else:
                self._contents[path] = content
        return frozenset(found)

    def changed_anywhere(self) -> frozenset[Path]:
        """Like `changed`, for every source there is and every one there was."""
        return self.changed({*tuple(self._contents), *sources(self.watched)})


async def saves(
    contents: Contents, *, settle: float = SETTLE, is_polling: bool = False
) -> AsyncIterator[frozenset[Path]]:
    """Yield what is watched and has new content, batch by batch, for ever.

    A batch ends with `settle` seconds of quiet. `is_polling` looks again and again where the system reports nothing.
    """
    while True:
        try:
            async for changed in _saves(contents, settle, is_polling):
                yield changed
        except FileNotFoundError:
            # A folder went while the watches were being set up. Tell what went with it; with the watched folder itself
            # gone, wait for it to return.
            if changed := contents.changed_anywhere():
                yield changed
            await asyncio.sleep(_GONE_RETRY)


async def _saves(contents: Contents, settle: float, is_polling: bool) -> AsyncIterator[frozenset[Path]]:
    """Like `saves`, until what is to be watched is no longer the same."""
    wanted = contents.watched
    # The folders whose every source counts, and those that are watched for a single file alone.
    whole = frozenset(folders(wanted))
    single = wanted.files
    watched = whole | {path.parent for path in single if path.parent.is_dir()}
    if not whole:
        raise FileNotFoundError

    def counts(path: Path) -> bool:
        return path in single or (path.parent in whole and is_source(path))

    def matters(change: Change, path: str) -> bool:
        place = Path(path)
        is_new_folder = place.parent in whole and place.is_dir() and not is_ignored(place)
        return counts(place) or place in watched or is_new_folder

    stop = asyncio.Event()
    batches = awatch(
        *watched,
        watch_filter=matters,
        step=_STEP,
        debounce=_DEBOUNCE,
        recursive=False,
        stop_event=stop,
        # `None` leaves it to watchfiles, which knows where nothing is reported and reads WATCHFILES_FORCE_POLLING.
        force_polling=True if is_polling else None,
    )
    following = asyncio.ensure_future(anext(batches))
    widening = asyncio.ensure_future(contents.until_other_is_watched())
    try:
        # The watches stand once the generator has taken its first step; what was saved before that is found by looking.
        await asyncio.sleep(0)
        if following.done():
            following.result()
        changed = contents.changed_anywhere()
        if changed:
            yield changed
        if contents.watched != wanted or frozenset(folders(wanted)) != whole:
            return
        while True:
            await asyncio.wait({following, widening}, return_when=asyncio.FIRST_COMPLETED)
            if widening.done():
                return
            paths = _paths(following.result())
            following = asyncio.ensure_future(anext(batches))
            while (await asyncio.wait({following}, timeout=_quiet(settle, paths)))[0]:
                paths |= _paths(following.result())
                following = asyncio.ensure_future(anext(batches))
            is_moved = any(path in watched or path.is_dir() for path in paths)
            changed = contents.changed_anywhere() if is_moved else contents.changed(filter(counts, paths))
            if changed:
                yield changed
            if is_moved:
                return
    finally:
        stop.set()
        for waiting in (following, widening):
            waiting.cancel()
        await asyncio.gather(following, widening, return_exceptions=True)
        await batches.aclose()


def _quiet(settle: float, paths: set[Path]) -> float:
    is_long = len(paths) > _MANY or any(map(_is_emptied, paths))
    return max(settle, _SETTLE_LONG) if is_long else settle


def _is_emptied(path: Path) -> bool:
    try:
        return path.stat().st_size == 0
    except OSError:
        return False


def is_source(path: Path) -> bool:
    """Whether `path` is a kind of file that a project consists of."""
    return (path.name.endswith(SUFFIXES) and not path.name.startswith(".")) or path.name in FILES


def sources(watched: Watched) -> Iterator[Path]:
    """Everything there is that counts."""
    for folder in watched.folders:
        for parent, names in _walk(folder):
            yield from filter(is_source, (parent / name for name in names))
    yield from watched.files


def folders(watched: Watched) -> Iterator[Path]:
    """Every watched folder, and every folder under one that may hold sources."""
    for folder in watched.folders:
        for parent, _ in _walk(folder):
            yield parent


def _walk(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    for parent, names, files in os.walk(folder):
        names[:] = [name for name in names if not is_ignored(Path(parent, name))]
        yield Path(parent), files


def is_ignored(folder: Path) -> bool:
    """Whether a folder is one of caches, of what is installed, or hidden: nothing in it is anybody's source."""
    return folder.name.startswith(".") or folder.name in _CACHES or (folder / "pyvenv.cfg").exists()


def is_below(path: Path, folder: Path) -> bool:
    """Whether a file lies under a folder, and not in one that is ignored there."""
    if not path.is_relative_to(folder):
        return False
    return not any(is_ignored(parent) for parent in path.parents if parent != folder and parent.is_relative_to(folder))


def _paths(batch: set[tuple[Change, str]]) -> set[Path]:
    return {Path(path) for _, path in batch}


def _content(path: Path) -> bytes | None:
    try:
        # A pipe that is called `x.py` would keep whoever reads it waiting.
        if not stat.S_ISREG(path.stat().st_mode):
            return None
        data = path.read_bytes()
        return data if path.suffix == ".py" else hashlib.blake2b(data).digest()
    except OSError:
        return None
