"""What the linter asks the disk, and a journal of it, for whoever keeps an answer and must know what it rests on.

No dataclasses, paths or patterns here: a run whose answer is kept imports this and little else, and importing those
takes longer than looking at a thousand files.
"""

import errno
import hashlib
import os
import stat
from contextvars import ContextVar

SOURCES = (".py", ".ipynb")
_LISTED = (*SOURCES, ".pyi")
_CONFIGURING = frozenset({".gitignore", "pyproject.toml", "thena.toml", "pyvenv.cfg"})
_NO_ANSWER = (errno.EACCES, errno.EPERM, errno.EIO)
_DIGEST = 16
_ASKED = ("contents", "kinds", "listings", "looked_at", "words", "is_whole")
_TOO_YOUNG = 2_000_000_000
"""Nanoseconds: what was changed so shortly before may change once more and look the same on a coarse disk."""

Signature = tuple[int, int, int, int]
"""Size, times and identity of a file: as long as they stay, so does what is in it."""

NO_SIGNATURE: Signature = (0, 0, 0, 0)
"""That of a file whose times can't be trusted."""

FILE, FOLDER, OTHER, ABSENT, CLOSED = "file", "folder", "other", "absent", "closed"
"""What can be at a path; `CLOSED` is where nobody says."""


class Journal:
    """What one run asks of the disk. It belongs to that run, which alone adds to it. Keys are paths.

    A file in a listing that was looked at, and whose contents aren't here, mentions none of the `words`.
    """

    def __init__(self, now: int) -> None:
        self.oldest_young = oldest_young(now)
        self.contents: dict[str, str] = {}
        """The digest of each file that was read."""

        self.kinds: dict[str, str] = {}
        self.listings: dict[str, dict[str, Signature]] = {}
        """What a folder holds that may matter, and the signature of each source file."""

        self.looked_at: set[str] = set()
        self.words: set[bytes] = set()
        self.is_whole = True
        """Whether all could be read, and nothing else stands in the way of keeping the answer."""

        self.silent: dict[str, Signature] = {}
        self.silent_words: frozenset[bytes] = frozenset()
        """Files that mentioned none of these words when they had these signatures."""

        self.around: Journal | None = None
        """The journal of the run that this one is about a part of."""

    def part(self) -> "Journal":
        """A journal of what a part of the run asks, which knows what this one knows."""
        part = Journal(self.oldest_young + _TOO_YOUNG)
        part.silent, part.silent_words, part.around = self.silent, self.silent_words, self
        return part

    def add(self, part: "Journal") -> None:
        """Take over what a part of the run has asked."""
        for path, found in part.contents.items():
            _note(self, self.contents, path, found)
        for path, kind in part.kinds.items():
            _note(self, self.kinds, path, kind)
        self.listings |= part.listings
        self.looked_at |= part.looked_at
        self.words |= part.words
        self.is_whole = self.is_whole and part.is_whole

    def listing(self, folder: str) -> dict[str, Signature]:
        """What a folder held when it was listed; nothing if it wasn't."""
        around = {} if self.around is None else self.around.listing(folder)
        return self.listings.get(folder, around)

    def __getstate__(self) -> dict[str, object]:
        """What was asked, without what was known before."""
        return {name: getattr(self, name) for name in _ASKED}


_JOURNAL: ContextVar[Journal | None] = ContextVar("journal", default=None)


def keep(journal: Journal | None) -> None:
    """Write down in this journal what is asked from now on; in none, for `None`."""
    _JOURNAL.set(journal)


def keep_a_part() -> Journal | None:
    """Write down in a journal of its own what is asked from now on, where one is kept; `add_part` joins them."""
    journal = _JOURNAL.get()
    part = None if journal is None else journal.part()
    keep(part)
    return part


def add_part(part: Journal | None) -> None:
    """Write down what a part of the run has asked elsewhere."""
    journal = _JOURNAL.get()
    if journal is not None and part is not None:
        journal.add(part)


def read(path: "os.PathLike[str]") -> bytes:
    """What is in a file.

    Raises:
        OSError: if it can't be read.
    """
    data = _read(path)
    note_contents(path, data)
    return data


def search(path: "os.PathLike[str]", words: "frozenset[bytes]") -> bytes | None:
    """What is in a file, for whoever will say which of these words it mentions; `None` for none, without reading it.

    Who keeps it must say so with `note_contents`.

    Raises:
        OSError: if it can't be read.
    """
    journal = _JOURNAL.get()
    if journal is None:
        return _read(path)
    here = os.fspath(path)
    journal.words |= words
    known = journal.silent.get(here) if words <= journal.silent_words else None
    if known is not None and known == _signature_in(journal, here):
        return None
    return _read(path)


def note_contents(path: "os.PathLike[str]", data: bytes) -> None:
    """Write down that what was found rests on all that is in this file."""
    journal = _JOURNAL.get()
    if journal is not None:
        _note(journal, journal.contents, os.fspath(path), digest(data))


def kind_of(path: "str | os.PathLike[str]") -> str:
    """What is at a path, links followed."""
    journal = _JOURNAL.get()
    kind = kind_at(path)
    if journal is not None:
        _note(journal, journal.kinds, os.fspath(path), kind)
    return kind


def note_unkept() -> None:
    """Write down that the answer mustn't be kept, since it came with a change of files."""
    journal = _JOURNAL.get()
    if journal is not None:
        journal.is_whole = False


def note_listing(folder: str, entries: "list[os.DirEntry[str]]") -> None:
    """Write down what a folder holds."""
    journal = _JOURNAL.get()
    if journal is not None:
        journal.listings[folder] = {
            name: signature(entry, journal.oldest_young) if name.endswith(SOURCES) else NO_SIGNATURE
            for entry in entries
            if (name := name_in_listing(entry))
        }
        for entry in entries:
            if entry.name.endswith(SOURCES) and entry.is_symlink():
                kind_of(entry.path)


def note_looked_at(paths: "tuple[os.PathLike[str], ...]") -> None:
    """Write down which files were looked for words in."""
    journal = _JOURNAL.get()
    if journal is not None:
        journal.looked_at.update(map(os.fspath, paths))


def name_in_listing(entry: "os.DirEntry[str]") -> str:
    """What an entry is called that may make a difference by being in its folder; nothing for one that can't.

    No folder is called as a file is. A link is one of either, so it counts as a folder.
    """
    name = entry.name
    if is_listed(name):
        return f"{name}:" if _is_folder(entry) else name
    if name[0] == "." or name == "__pycache__":
        return ""
    return f"{name}:" if entry.is_symlink() or _is_folder(entry) else ""


def is_listed(name: str) -> bool:
    """Say whether a file of this name may make a difference by being there."""
    return name.endswith(_LISTED) or name in _CONFIGURING


def signature(entry: "os.DirEntry[str]", oldest_young: int) -> Signature:
    """What a file looks like from outside; it is older than that moment, or there is no signature."""
    try:
        found = entry.stat()
    except OSError:
        return NO_SIGNATURE
    if found.st_mtime_ns >= oldest_young or found.st_ctime_ns >= oldest_young:
        return NO_SIGNATURE
    return (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def kind_at(path: "str | os.PathLike[str]") -> str:
    """What is at a path, links followed, whoever keeps a journal."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        # Whatever else is wrong with it (a name that is too long, say), nothing can have such a path.
        return CLOSED if error.errno in _NO_ANSWER else ABSENT
    except ValueError:
        return ABSENT
    return FILE if stat.S_ISREG(mode) else FOLDER if stat.S_ISDIR(mode) else OTHER


def changed_at(path: "str | os.PathLike[str]") -> int:
    """When what is at a path was changed or put there, links followed, in nanoseconds; 0 where nothing is."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return 0
    return max(found.st_mtime_ns, found.st_ctime_ns)


def oldest_young(now: int) -> int:
    """The moment before which a file must have been changed for its times to be trusted now (both in nanoseconds)."""
    return now - _TOO_YOUNG


def digest(data: bytes) -> str:
    """What stands for contents: no two that anybody will ever see have the same."""
    return hashlib.blake2b(data, digest_size=_DIGEST).hexdigest()


def _read(path: "os.PathLike[str]") -> bytes:
    try:
        # It is read whole, so nothing need be buffered.
        with open(path, "rb", buffering=0) as file:
            return file.readall()
    except OSError as error:
        _note_refused(os.fspath(path), error)
        raise


def _note_refused(path: str, error: OSError) -> None:
    journal = _JOURNAL.get()
    if journal is None:
        return
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        _note(journal, journal.kinds, path, ABSENT)
    else:
        journal.is_whole = False


def _note(journal: Journal, notes: dict[str, str], path: str, found: str) -> None:
    if notes.setdefault(path, found) != found:
        # It was changed while the run went on, so that nobody knows what the run rests on.
        journal.is_whole = False


def _signature_in(journal: Journal, path: str) -> Signature | None:
    folder, name = os.path.split(path)
    found = journal.listing(folder).get(name, NO_SIGNATURE)
    return None if found == NO_SIGNATURE else found


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
