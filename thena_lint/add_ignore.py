"""From what was found to the comments that silence it. Nothing is written here."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from thena_contract.codes import ALWAYS_TOLD
from thena_contract.frozen import frozen
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Rewrite
from thena_lint.index.project import ProjectIndex
from thena_lint.source.discover import is_python
from thena_lint.source.ignoring import ignoring
from thena_lint.source.notebook import lines_above
from thena_lint.source.text import SourceText

_NOT_BY_COMMENTS: Final = ALWAYS_TOLD | {"THN902", "THN903", "THN907"}
"""What is wrong with a file, with settings or with comments themselves."""


@frozen
class Silencing:
    """The files with their comments, and how many faults those silence."""

    rewrites: tuple[Rewrite, ...]
    faults: int


def silence_with_comments(index: ProjectIndex, found: Iterable[Diagnostic]) -> Silencing:
    """Give each line a comment with the codes that were found on it. Files that aren't Python have none.

    Of a notebook it is the code of its cells that is given them.
    """
    wanted: dict[Path, dict[int, list[str]]] = {}
    for one in found:
        path = Path(one.place.path)
        if one.code not in _NOT_BY_COMMENTS and (is_python(path) or one.place.cell is not None):
            line = one.place.line + lines_above(_source(index, path), one.place.cell)
            wanted.setdefault(path, {}).setdefault(line, []).append(one.code)
    rewrites, faults = [], 0
    for path, lines in wanted.items():
        source = _source(index, path)
        text, held = ignoring(source, {line: set(codes) for line, codes in lines.items()})
        faults += sum(len(lines[line]) for line in held)
        if held:
            rewrites.append(Rewrite(path=path, before=source.text, after=text))
    return Silencing(tuple(rewrites), faults)


def _source(index: ProjectIndex, path: Path) -> SourceText:
    file = index.file(path)
    assert file is not None and file.source is not None, f"{path} was linted and can't be read"
    return file.source
