"""Bytes that could stand in a file by accident: parts of real files, cut, doubled and filled with odd things.

`check` says what must hold for all of them, for tests and for the fuzzer alike.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.support.linting import FAULTY
from thena_lint.analyze import analyze

PROJECTS: Final = Path(__file__).parents[1] / "projects"

PIECES: Final = (
    *(b"\0", b"\xff", b"\xef\xbb\xbf", b"\xfe\xff", b"\r", b"\r\n", b"\f", b"\v", b"\x1a", b"\x85", b"\xc2\x85"),
    *(b"\xe2\x80\xa8", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80", b"# coding: latin-1\n", b"# coding: utf-7\n"),
    *(b"# coding: undefined\n", b'"""', b"'''", b"'", b'f"{', b"(", b")", b"[", b"]", b"{", b"}", b"\\\n", b"\\"),
    *(b":", b"@", b"*", b"=", b":=", b"\n", b"    ", b"\t", b"lambda ", b"await ", b"class ", b"def ", b"global "),
    *(
        b"import ",
        b"from . import *\n",
        b"del ",
        b"type X = ",
        b"match x:\n    case ",
        b"\n# thena: ignore[",
        b"%%time\n",
    ),
    *(b"(" * 300, b"-" * 3000, b"a." * 500, b"x" * 20_000, b"if 1:\n " * 120, b'"a"' * 400),
)
"""What is put in somewhere. `%%time` is for notebooks, the coding comments count at the top only."""

BESIDE: Final = FAULTY.encode()
"""A file with one fault, which must be found whatever stands in the other."""


def real_files() -> Sequence[bytes]:
    """The files of all test projects."""
    return [path.read_bytes() for path in sorted(PROJECTS.rglob("*.py"))]


def check(folder: Path, name: str, data: bytes) -> None:
    """Lint some bytes beside a file with a fault: that fault is found, and the linter fails at nothing."""
    (folder / "beside.py").write_bytes(BESIDE)
    (folder / name).write_bytes(data)
    found = analyze([folder]).diagnostics

    failed = [one.message for one in found if one.code == "THN906"]
    assert [] == failed
    assert ["THN201"] == [one.code for one in found if Path(one.place.path).name == "beside.py"]
    for one in found:
        assert one.place.line >= 1
        assert one.place.column >= 1
