"""Whether an answer still stands: all that it rests on is asked of the disk again, the cheapest way that is sure.

A file with the same size, times and identity is the same. Any other is read: it must hold what it held, or, if it was
only searched for words, mention none of them still.
"""

import os

from thena_lint.cache.answer import Answer, Folder
from thena_lint.source.disk import NO_SIGNATURE, Signature, digest, kind_at, name_in_listing, signature


def stands(answer: Answer, oldest_young: int) -> bool:
    """Say whether nothing changed that an answer rests on; it gets the signatures that can be trusted from now on."""
    doubtful: list[str] = []
    for path, folder in answer.folders.items():
        found = _signatures(path, folder, oldest_young)
        if found is None:
            return False
        if found != folder.looked_at or NO_SIGNATURE in found.values():
            doubtful += (
                os.path.join(path, name)
                for name, before in folder.looked_at.items()
                if found[name] != before or before == NO_SIGNATURE
            )
            folder.looked_at = found
    doubtful += (path for path in answer.contents if not _is_in(path, answer.folders))
    return all(kind_at(path) == kind for path, kind in answer.kinds.items()) and all(
        _is_the_same(path, answer) for path in doubtful
    )


def _is_in(path: str, folders: dict[str, Folder]) -> bool:
    """Say whether a file is one of those whose signatures are kept."""
    above, name = os.path.split(path)
    return above in folders and name in folders[above].looked_at


def _signatures(path: str, folder: Folder, oldest_young: int) -> dict[str, Signature] | None:
    """What the files of a folder look like now; `None` where it holds others."""
    try:
        with os.scandir(path) as entries:
            found = {name: entry for entry in entries if (name := name_in_listing(entry))}
    except (OSError, ValueError):
        return None
    if len(found) != len(folder.looked_at) + len(folder.others):
        return None
    if not all(name in found for name in folder.others) or not all(name in found for name in folder.looked_at):
        return None
    return {name: signature(found[name], oldest_young) for name in folder.looked_at}


def _is_the_same(path: str, answer: Answer) -> bool:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (OSError, ValueError):
        return False
    known = answer.contents.get(path)
    return _is_silent(data, answer.words) if known is None else digest(data) == known


def _is_silent(data: bytes, words: list[str]) -> bool:
    # Imported here since most files stay as they are.
    from thena_lint.source.text import may_mention

    return not may_mention(data, [word.encode() for word in words])
