"""What a `.pre-commit-config.yaml` says of `thena-lint`.

Only what is asked for here is found, in the forms that such files usually have: a YAML parser would be a library more.
"""

import re
from typing import Final

_COMMENT: Final = re.compile(r"(?:^|\s)#.*$", re.MULTILINE)
_REPOSITORY: Final = re.compile(r"""(?<![\w-])["']?repo["']?\s*:\s*["']?([^\s"',}]+)""")
_ITEM: Final = re.compile(r"""^\s*-\s+(?=[{\s]*["']?\w+["']?\s*:)""", re.MULTILINE)
_OURS: Final = re.compile(r"thena[-_]lint")
_ALWAYS: Final = re.compile(r"""always_run["']?\s*:\s*(\w+)""")


def sees_deletions(text: str) -> bool | None:
    """Say whether `thena-lint` is started for a file that is deleted too; `None` where no hook names it.

    A hook of this machine is only where it says `always_run: true`. One of a repository says so itself, unless that is
    taken back.
    """
    _, *parts = _REPOSITORY.split(_COMMENT.sub("", text))
    found = [
        _always_runs(hook, by_default=repository != "local")
        for repository, part in zip(parts[::2], parts[1::2], strict=True)
        for hook in _ITEM.split(part)
        if _OURS.search(hook)
    ]
    return any(found) if found else None


def _always_runs(hook: str, *, by_default: bool) -> bool:
    said = _ALWAYS.search(hook)
    return by_default if said is None else said[1].lower() in ("true", "yes", "on")
