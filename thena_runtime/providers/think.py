"""Takes a model's thinking out of its answer; pure.

Models that were trained to think aloud wrap it in tags. Neither the conversation nor a hook is meant to see it.
"""

import re
from typing import Final

_NAMES: Final = "think|thinking|reasoning|thought|reasoning_scratchpad"
# The name ends at a space or at `>`, so that `<thinker>` is no thinking.
_OPENING: Final = re.compile(rf"<({_NAMES})(?=[\s>])[^<>]*>", re.IGNORECASE)
_CLOSING: Final = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in _NAMES.split("|")}
_UNCLOSED: Final = re.compile(rf"^[ \t]*<(?:{_NAMES})(?=[\s>])[^<>]*>", re.IGNORECASE | re.MULTILINE)


def strip_thinking(text: str) -> str:
    """Remove every closed block, then one that begins a line and never closes, and trim what is left."""
    if "<" not in text:
        return text.strip()
    kept = _without_closed_blocks(text)
    unclosed = _UNCLOSED.search(kept)
    return (kept if unclosed is None else kept[: unclosed.start()]).strip()


def _without_closed_blocks(text: str) -> str:
    kept: list[str] = []
    # A name without a closing tag ahead is not looked for again: the search stays linear, whatever a model writes.
    never_closed: set[str] = set()
    kept_from = search_from = 0
    while opening := _OPENING.search(text, search_from):
        search_from = opening.end()
        name = opening[1].lower()
        closing = None if name in never_closed else _CLOSING[name].search(text, opening.end())
        if closing is None:
            never_closed.add(name)
            continue
        kept.append(text[kept_from : opening.start()])
        kept_from = search_from = closing.end()
    return "".join(kept) + text[kept_from:]
