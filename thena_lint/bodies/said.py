"""What a text may say of a word, in code or in quotes, looked for where the word stands and nowhere else."""

import re
from typing import Final

from thena_contract.frozen import frozen


@frozen
class Said:
    """A word, with what stands right before it, as a pattern that looks behind, and right after it."""

    word: str
    before: str
    after: str

    def is_in(self, text: str) -> bool:
        """Whether a text says it."""
        at = text.find(self.word)
        while at >= 0:
            # Patterns are remembered by `re`, and most texts need none.
            is_after = re.compile(self.before).match(text, at)
            if is_after and re.compile(self.after).match(text, at + len(self.word)):
                return True
            at = text.find(self.word, at + 1)
        return False


def quoted(word: str) -> Said:
    """The word alone in quotes."""
    return Said(word, _QUOTE_BEFORE, _QUOTE_AFTER)


_QUOTE_BEFORE: Final = """(?<=["'])"""
_QUOTE_AFTER: Final = """["']"""
