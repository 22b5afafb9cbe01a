"""Texts back to disk, whole or not at all: in the encoding of the file, with its mode, through its links."""

import os
import tempfile
import tokenize
from contextlib import suppress
from io import BytesIO
from pathlib import Path

from thena_lint.edit import FileCreation, Rewrite
from thena_lint.source.disk import note_unkept
from thena_lint.source.text import SourceText, decode


class WriteError(Exception):
    """A file that can't be changed; the text says why."""


def rewrite(change: Rewrite) -> None:
    """Give a file another text.

    Raises:
        WriteError: if it isn't what it was when it was read, can't hold the text, or can't be written.
    """
    path = change.path
    try:
        data = path.read_bytes()
        known = decode(path, data)
        if not isinstance(known, SourceText) or known.text != change.before:
            raise WriteError(f"`{path}` has changed since it was read. Run it again.")
        note_unkept()
        encoding, _ = tokenize.detect_encoding(BytesIO(data).readline)
        _replace(path.resolve(), change.after.encode(encoding))
    except UnicodeEncodeError as error:
        shown = change.after[error.start : error.end]
        raise WriteError(f"`{path}` can't hold `{shown}` in its encoding. Save it as UTF-8.") from None
    except OSError as error:
        raise WriteError(f"`{path}` can't be written: {error.strerror}.") from None


def create(new: FileCreation) -> bool:
    """Make a file, with its folder, and say whether it was made: one that is there by now is left as it is.

    Raises:
        WriteError: if it can't be made.
    """
    note_unkept()
    try:
        new.path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError), new.path.open("x", encoding="utf-8") as file:
            file.write(new.text)
            return True
    except OSError as error:
        raise WriteError(f"`{new.path}` can't be made: {error.strerror}.") from None
    return False


def _replace(path: Path, data: bytes) -> None:
    """Put a new file in the place of the old one: whoever reads it sees all of one of them."""
    mode = path.stat().st_mode
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(name, mode & 0o7777)  # noqa: PTH101 - `mkstemp` gives a name
        os.replace(name, path)  # noqa: PTH105 - `mkstemp` gives a name
    except BaseException:
        os.unlink(name)  # noqa: PTH108 - `mkstemp` gives a name
        raise
