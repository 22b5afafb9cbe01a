"""What stays the same of a diagnostic when lines move: its file, code and text, and which one of those it is."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from thena_lint.diagnostic import Diagnostic
from thena_lint.report.text import shown


def fingerprinted(diagnostics: Iterable[Diagnostic], cwd: Path) -> Iterator[tuple[Diagnostic, str]]:
    """Each diagnostic, and 32 hexadecimal digits that no other of this run has."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for one in diagnostics:
        key = (Path(shown(one.place.path, cwd)).as_posix(), one.code, one.message)
        seen[key] += 1
        yield one, hashlib.sha256("\0".join((*key, str(seen[key]))).encode("utf-8", "surrogatepass")).hexdigest()[:32]
