from __future__ import annotations

import re
from typing import TYPE_CHECKING, get_args

from relnotes._types import Commit, Kind, Notes
from thena_runtime import State, Tool

if TYPE_CHECKING:
    from collections.abc import Iterator

LOG = """a1 feat: dark mode
b2 fix: crash on start
c3 chore: bump
d4 merge main
"""
_LINE = re.compile(r"(\w+) (\w+): (.+)")


def parse(log: str) -> Iterator[Commit]:
    for line in log.splitlines():
        match = _LINE.fullmatch(line)
        if match and match[2] in get_args(Kind):
            yield Commit(match[1], match[2], match[3])


@Tool(name="git_log", description="Read the commits since a tag.")
class GitLog:
    async def execute(self, since: str, notes: State[Notes]) -> list[Commit]:
        notes.commits = tuple(parse(LOG))
        return list(notes.commits)
