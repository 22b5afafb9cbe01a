"""What was saved: Python files and prompts under a folder whose content is new, as soon as writing has settled.

Folders are watched, not files, so that a new file counts; only folders that may hold sources, because every folder of
a virtual environment would cost a watch. A file's content decides, so that a touch or an identical save is nothing.
Left out on purpose: other file types, and which part of a project a file belongs to.
"""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path

from watchfiles import Change, awatch

SUFFIXES = (".py", ".agent.md")
_CACHES = frozenset({"__pycache__", "node_modules", "site-packages"})

# Milliseconds between two looks at what the system reported. The default of 50 would cost more than all the rest.
_STEP = 10
_DEBOUNCE = 100
# Seconds of quiet that end a save: an editor truncates, writes and renames; a formatter or a checkout writes many.
_SETTLE = 0.02
_SETTLE_MANY = 0.1
_MANY = 20
_GONE_RETRY = 0.1


class Contents:
    """The content of every source under a folder, as digests; owned by a session, brought up to date by asking."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._digests = {path: _digest(path) for path in sources(folder)}

    def changed(self, paths: Iterable[Path]) -> frozenset[Path]:
        """Which of `paths` have other content than when last asked."""
        found: set[Path] = set()
        for path in paths:
            digest = _digest(path)
            if digest != self._digests.get(path):
                found.add(path)
            if digest is None:
                self._digests.pop(path, None)
            else:
                self._digests[path] = digest
        return frozenset(found)

    def changed_anywhere(self) -> frozenset[Path]:
        """Like `changed`, for every source there is and every one there was."""
        return self.changed({*self._digests, *sources(self._folder)})


async def saves(folder: Path, contents: Contents) -> AsyncIterator[frozenset[Path]]:
    """Yield the sources under `folder` whose content is new, batch by batch, for ever."""
    while True:
        try:
            async for changed in _saves(folder, contents):
                yield changed
        except FileNotFoundError:
            # A folder went while the watches were being set up; with the folder itself gone, wait for it to return.
            await asyncio.sleep(_GONE_RETRY)


async def _saves(folder: Path, contents: Contents) -> AsyncIterator[frozenset[Path]]:
    """Like `saves`, until the folders to watch are no longer the same."""
    watched = frozenset(folders(folder))
    if not watched:
        raise FileNotFoundError(folder)

    def matters(change: Change, path: str) -> bool:
        place = Path(path)
        return is_source(place) or place in watched or (place.is_dir() and not _is_ignored(place))

    stop = asyncio.Event()
    batches = awatch(*watched, watch_filter=matters, step=_STEP, debounce=_DEBOUNCE, recursive=False, stop_event=stop)
    following = asyncio.ensure_future(anext(batches))
    try:
        # The watches stand once the generator has taken its first step; what was saved before that is found by looking.
        await asyncio.sleep(0)
        if following.done():
            following.result()
        changed = contents.changed_anywhere()
        if changed:
            yield changed
        if frozenset(folders(folder)) != watched:
            return
        while True:
            paths = _paths(await following)
            following = asyncio.ensure_future(anext(batches))
            while (await asyncio.wait({following}, timeout=_SETTLE if len(paths) <= _MANY else _SETTLE_MANY))[0]:
                paths |= _paths(following.result())
                following = asyncio.ensure_future(anext(batches))
            is_moved = any(path in watched or path.is_dir() for path in paths)
            changed = contents.changed_anywhere() if is_moved else contents.changed(filter(is_source, paths))
            if changed:
                yield changed
            if is_moved:
                return
    finally:
        stop.set()
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        await batches.aclose()


def is_source(path: Path) -> bool:
    """Whether a save of `path` is a reason to run again."""
    return path.name.endswith(SUFFIXES) and not path.name.startswith(".")


def sources(folder: Path) -> Iterator[Path]:
    """Every source under `folder`."""
    for parent, names in _walk(folder):
        yield from filter(is_source, (parent / name for name in names))


def folders(folder: Path) -> Iterator[Path]:
    """`folder` and every folder under it that may hold sources."""
    for parent, _ in _walk(folder):
        yield parent


def _walk(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    for parent, names, files in os.walk(folder):
        names[:] = [name for name in names if not _is_ignored(Path(parent, name))]
        yield Path(parent), files


def _is_ignored(folder: Path) -> bool:
    return folder.name.startswith(".") or folder.name in _CACHES or (folder / "pyvenv.cfg").exists()


def _paths(batch: set[tuple[Change, str]]) -> set[Path]:
    return {Path(path) for _, path in batch}


def _digest(path: Path) -> bytes | None:
    try:
        return hashlib.blake2b(path.read_bytes()).digest()
    except OSError:
        return None
