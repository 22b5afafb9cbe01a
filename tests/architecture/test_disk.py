"""One door to the disk: an answer that is kept stands as long as all that was asked there is answered the same."""

import re
from pathlib import Path

LINT = Path(__file__).parents[2] / "thena_lint"
ASKS = re.compile(
    r"(?<!modules)(?<!self)\.(?:read_bytes|read_text|is_file|is_dir|exists|iterdir|r?glob|stat)\(|\bos\.path\.(?:is|exists)"
)
ELSEWHERE = {
    "__main__.py": "what becomes of an output that is closed",
    "apply.py": "what is edited is no answer",
    "cache": "what asks the same again",
    "index/reach.py": "for `thena dev`",
    "pages.py": "the linter's own pages",
    "show_settings.py": "its answers aren't kept",
    "source/discover.py": "the entries of listings that are kept, and paths without which there is no answer",
    "source/disk.py": "the door",
    "target.py": "for the command line of `thena`",
    "unseen": "told by runs whose answers aren't kept",
    "watch.py": "its answers aren't kept",
    "write.py": "what is edited is no answer",
}
"""The modules that may ask the disk by themselves, and why."""


def test_the_disk_is_asked_through_one_door() -> None:
    """Nothing that an answer may rest on reads a file, or asks whether there is one, but through `disk`."""
    found = {
        str(path.relative_to(LINT))
        for path in LINT.rglob("*.py")
        if ASKS.search(path.read_text(encoding="utf-8")) and not _is_elsewhere(path.relative_to(LINT))
    }

    assert {"index/project.py"} >= found, "`with_text` of a project asks, which serves editors"


def _is_elsewhere(path: Path) -> bool:
    return any(path == Path(name) or Path(name) in path.parents for name in ELSEWHERE)
