"""Answers on disk. What can't be read or written there is told, and costs nothing but time."""

import os
import sys

from thena_lint.cache.answer import Answer, SpoiltError, packed, unpacked
from thena_lint.cache.place import NAME

_KEPT = 32
_TAG = "CACHEDIR.TAG"
_TAG_TEXT = "Signature: 8a477f597d28d172789f06886806bc55\n# Made by thena-lint; it can be deleted at any time.\n"
_IGNORE = ".gitignore"


def take(place: str) -> Answer | None:
    """The answer at a place, if there is one."""
    try:
        with open(place, "rb") as file:
            return unpacked(file.read())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        _tell(place, error)
    except SpoiltError:
        print(f"thena-lint: `{place}` is spoilt, so nothing is taken from it. It is made anew.", file=sys.stderr)
    return None


def put(place: str, answer: Answer) -> None:
    """Keep an answer in place of an older one, at once and whole, whoever else does the same."""
    data = packed(answer)
    if data is None:
        return
    folder = os.path.dirname(place)
    unfinished = f"{place}.{os.getpid()}"
    try:
        _make(folder)
        try:
            with open(unfinished, "wb") as file:
                file.write(data)
            os.replace(unfinished, place)
        except OSError:
            _forget(unfinished)
            raise
        _clear(folder)
    except OSError as error:
        _tell(place, error)


def _make(folder: str) -> None:
    """Make the folder, with what tells Git and backups to pass it over if it is one of our own name."""
    if os.path.isdir(folder):
        return
    os.makedirs(folder, exist_ok=True)
    own = os.path.dirname(folder)
    top = own if os.path.basename(own) == NAME else folder
    for name, text in ((_TAG, _TAG_TEXT), (_IGNORE, "*\n")):
        with open(os.path.join(top, name), "w", encoding="utf-8") as file:
            file.write(text)


def _clear(folder: str) -> None:
    """Forget the oldest answers, if there are many."""
    with os.scandir(folder) as entries:
        kept = [entry for entry in entries if entry.name[0] != "." and entry.name != _TAG]
    if len(kept) > _KEPT:
        written = sorted((entry.stat().st_mtime_ns, entry.path) for entry in kept if entry.is_file())
        for _, path in written[: -_KEPT // 2]:
            _forget(path)


def _forget(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        # Somebody else was faster, or nobody may.
        return


def _tell(place: str, error: OSError) -> None:
    reason = error.strerror or type(error).__name__
    print(
        f"thena-lint: `{place}` can't be used: {reason}. Name another folder with --cache-dir, or use --no-cache.",
        file=sys.stderr,
    )
