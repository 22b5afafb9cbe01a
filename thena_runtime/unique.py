"""Ids that no other id of any run shares.

What tells processes apart is random and asked for once; the rest is a count, for asking the system each time is the
slowest part of beginning a run. No id is a secret.
"""

import itertools
import os


class _Ids:
    """The ids of one process."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Begin anew, as a process must that was split off another."""
        digits = os.urandom(9).hex()
        # As a version 4 UUID has it, whose last twelve digits are the count.
        self.prefix = f"{digits[:8]}-{digits[8:12]}-4{digits[12:15]}-8{digits[15:]}"
        self.short_prefix = self.prefix.replace("-", "")
        self.count = itertools.count(1)


_IDS = _Ids()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_IDS.renew)


def new_uuid() -> str:
    """Make an id in the form of a UUID."""
    return f"{_IDS.prefix}-{next(_IDS.count):012x}"


def new_hex() -> str:
    """Make an id of 32 hexadecimal digits."""
    return f"{_IDS.short_prefix}{next(_IDS.count):012x}"
