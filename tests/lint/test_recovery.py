"""Real files, broken as they are while somebody types: all that isn't broken is read as before.

The files are those of installed packages and of Python itself. `THENA_BREAKAGES=100` breaks a hundred times as many:
that is ten thousand breakages.
"""

import itertools
import os
import random
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.support.breaking import Broken, breakages, definitions
from thena_lint.source.mend import mend
from thena_lint.source.parse import Problem, parse, python_tree

BREAKAGES: Final = 100 * int(os.environ.get("THENA_BREAKAGES", "1"))
EACH: Final = 4
PACKAGES: Final = ("libcst", "pydantic", "httpx", "rich", "hypothesis", "pygls")
ENOUGH: Final = 1_000
"""How many breakages tell a share from chance: a class that is lost takes all its members with it."""

CHANCE: Final = 0.03
SMALLEST, LARGEST = 1_000, 40_000


def broken_files() -> Iterator[Broken]:
    """Files in a fixed order that has nothing to do with their names, each broken a few times."""
    python, packages = Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib"))
    folders = [python.glob("*.py"), *((packages / name).rglob("*.py") for name in PACKAGES)]
    paths = sorted(path for path in itertools.chain(*folders) if SMALLEST < path.stat().st_size < LARGEST)
    choice = random.Random(1)
    choice.shuffle(paths)
    for path in itertools.cycle(paths):
        yield from breakages(path.read_text(encoding="utf-8", errors="replace"), EACH, choice)


def kept(broken: Broken) -> set[tuple[str, int]]:
    """The definitions that are still read."""
    problem = parse(broken.text)
    assert isinstance(problem, Problem)
    mended = mend(broken.text, problem)
    tree = None if mended is None else python_tree(mended.text)
    if mended is None or tree is None:
        return set()
    assert not isinstance(parse(mended.text), Problem)
    return definitions(tree)


def test_what_is_not_broken_is_read() -> None:
    """At least 99 of 100 other definitions are kept, and 97 of 100 other methods of the class that is broken."""
    others: list[bool] = []
    members: list[bool] = []
    for broken in itertools.islice(broken_files(), BREAKAGES):
        still = kept(broken)
        others += [one in still for one in broken.others]
        members += [one in still for one in broken.members]

    chance = 0 if BREAKAGES >= ENOUGH else CHANCE
    assert sum(others) / len(others) >= 0.99 - chance
    assert sum(members) / len(members) >= 0.97 - chance
