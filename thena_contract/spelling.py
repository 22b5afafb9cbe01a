"""What a name was meant to be: one of those that are known, or a hook."""

from collections.abc import Iterable
from functools import cache
from typing import Final

from thena_contract import vocabulary

_MEANT: Final = frozenset(
    {
        *("no_error", "in_error", "an_error", "own_error"),
        *("alter_tool", "alter_response", "before_pool", "after_pool"),
    }
)
"""Names of one edit away from a hook's that are words of their own."""

_ENDINGS: Final = "s0123456789"


def nearest(name: str, known: Iterable[str], *, likeness: float = 0.6) -> str | None:
    """The one of some names that a name most likely means.

    Args:
        name: what is written.
        known: what could have been meant; of several that are alike the last one counts.
        likeness: how alike the two must be, from 0 to 1.
    """
    # Imported here, since nobody needs it where all names are right.
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, list(known), n=1, cutoff=likeness)), None)


@cache
def hook_like(name: str) -> str | None:
    """The hook that a name is a misspelling of."""
    if name in vocabulary.CALLED or name in _MEANT:
        return None
    return next((hook for hook in vocabulary.HOOKS if name == _camel_case(hook) or _is_misspelt(name, hook)), None)


def resembles_hook(name: str) -> bool:
    """Say whether a name is that of a hook or a misspelling of one."""
    return name in vocabulary.HOOKS or hook_like(name) is not None


def _camel_case(hook: str) -> str:
    first, *others = hook.split("_")
    return first + "".join(word.capitalize() for word in others)


def _is_misspelt(name: str, hook: str) -> bool:
    """Say whether a name is one edit away from a hook's; a plural, a number and a private name are no mistakes."""
    is_meant = name.strip("_") != name or (name[:-1] == hook and name[-1] in _ENDINGS)
    return not is_meant and _is_one_edit_away(name, hook)


def _is_one_edit_away(left: str, right: str) -> bool:
    """One letter more, less or other, or two neighbours swapped."""
    short, long = sorted((left, right), key=len)
    start = next((i for i, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    if len(long) - len(short) == 1:
        return short[start:] == long[start + 1 :]
    if len(long) != len(short) or short == long:
        return False
    is_swapped = short[start : start + 2] == long[start : start + 2][::-1]
    return short[start + 1 :] == long[start + 1 :] or (is_swapped and short[start + 2 :] == long[start + 2 :])
