"""Where nodes stand is what libcst says, which takes twice as long to say it."""

from collections.abc import Mapping
from pathlib import Path

import libcst
import pytest
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

import thena_lint
from thena_lint.source.ranges import ranges_of

OWN = sorted(Path(thena_lint.__file__).parent.rglob("*.py"))[::12]

ODD = {
    "carriage returns": "class A:\r    x = (1,\r         2)\r",
    "both ends": 'x = """\r\na\n\rb"""\r\ny = 1\n',
    "no last newline": "if a:\n\tb = c\n\td",
    "form feeds": "\f\ndef f():\n\f    return  # here\n",
    "joined lines": "a = b + \\\n    c\n@d\n\nclass E(\n): pass\n",
    "wide characters": "π = 'é' + f'{ü!r:>{n}}'\n",
}


@pytest.mark.parametrize(
    "text", [*ODD.values(), *(path.read_text() for path in OWN)], ids=[*ODD, *(one.stem for one in OWN)]
)
def test_the_ranges_are_those_of_libcst(text: str) -> None:
    """Every node starts and ends where the position provider of libcst says."""
    wrapper = MetadataWrapper(libcst.parse_module(text), unsafe_skip_copy=True)
    theirs: Mapping[libcst.CSTNode, CodeRange] = wrapper.resolve(PositionProvider)

    ours = ranges_of(wrapper.module)

    expected = {
        id(node): ((one.start.line, one.start.column), (one.end.line, one.end.column)) for node, one in theirs.items()
    }
    assert expected == ours
