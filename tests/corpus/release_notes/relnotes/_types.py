from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["feat", "fix", "chore"]


class Commit(NamedTuple):
    sha: str
    kind: Kind
    subject: str


@dataclass(kw_only=True)
class Notes:
    commits: tuple[Commit, ...] = ()
    markdown: str = ""
    reviewed: bool = False
