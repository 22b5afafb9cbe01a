"""Where a finding is shown: lines and columns count from 1, columns count code points, ends are exclusive."""

from pathlib import Path

import pytest

from thena_contract.anchor import Place
from thena_lint.analyze import diagnose
from thena_lint.index.project import ProjectIndex

TEMPLATE = """from thena_runtime import Agent, Prompt, ScriptedProvider, State, Workflow, loop


@Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("x"))
class Writer:
    def __init__(self, s: State[int] = ...) -> None:
        self.s = s


@Workflow(steps=[loop([Writer], {until}, max_iterations=3)])
class Flow:
    pass
"""


def shown(text: str, tmp_path: Path) -> list[tuple[str, str]]:
    """The code of each finding and the text that its range covers."""
    file = tmp_path / "flow.py"
    found = diagnose(ProjectIndex.load([tmp_path], {file: text})).get(file, ())
    return [(one.code, _covered(text, one.place)) for one in found]


def _covered(text: str, place: Place) -> str:
    lines = (
        text.replace("\r\n", "\n")
        .replace("\r", "\n")
        .removeprefix("\ufeff")
        .split("\n")[place.line - 1 : place.end_line]
    )
    lines[-1] = lines[-1][: place.end_column - 1]
    lines[0] = lines[0][place.column - 1 :]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("written", "covered"),
    [
        ("until=lambda ctx, s: True", "until=lambda ctx, s: True"),
        ("until = (lambda ctx, s: True)", "until = (lambda ctx, s: True)"),
        ("until=lambda ctx, s: '😀'", "until=lambda ctx, s: '😀'"),
        ("until=lambda ctx, s: (\n    True\n)", "until=lambda ctx, s: (\n    True\n)"),
        ("max_fails=len('😀é\\u2028'), until=lambda ctx, s: True", "until=lambda ctx, s: True"),
    ],
    ids=["plain", "spaces and parentheses", "emoji inside", "several lines", "emoji before"],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_until_is_covered_with_its_keyword(written: str, covered: str, newline: str, tmp_path: Path) -> None:
    """The range of a fault of `until` goes from the keyword to the end of the value, whatever stands around it."""
    text = TEMPLATE.replace("{until}", written).replace("\n", newline)

    assert [("THN301", covered)] == shown(text, tmp_path)


@pytest.mark.parametrize(
    ("parameter", "covered"),
    [
        ("s: State[int]", "s: State[int]"),
        ("s : 'State[int]'", "s : 'State[int]'"),
        ("é: State[int]", "é: State[int]"),
        ("*, 日本 : State[ int ]", "日本 : State[ int ]"),
        ("first: str = '😀', *, s: State[int]", "s: State[int]"),
    ],
)
def test_a_parameter_is_covered_with_its_annotation(parameter: str, covered: str, tmp_path: Path) -> None:
    """The range of a fault of a parameter goes from its name to the end of its annotation."""
    text = TEMPLATE.replace("s: State[int] = ...", parameter).replace("{until}", "until=lambda ctx: ctx.turn")

    assert [("THN201", covered)] == shown(text, tmp_path)


def test_a_form_feed_counts_as_a_character(tmp_path: Path) -> None:
    """A form feed before a statement moves the columns of its line, and of no other."""
    until = "{until}", "until=lambda ctx, s: True"
    text = TEMPLATE.replace("@Workflow", "\f@Workflow").replace(*until)

    assert [("THN301", "until=lambda ctx, s: True")] == shown(text, tmp_path)


def test_a_byte_order_mark_does_not(tmp_path: Path) -> None:
    """A byte order mark on disk is no character of the first line."""
    text = 'from thena_runtime import Workflow\nSTEPS = ["x"]\n@Workflow(steps=STEPS)\nclass Flow: pass\n'
    file = tmp_path / "flow.py"
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    (found,) = diagnose(ProjectIndex.load([tmp_path]))[file]

    assert Place(str(file), 2, 10, 2, 13) == found.place


def test_a_setting_without_a_name_is_covered_where_the_app_is_made(tmp_path: Path) -> None:
    """THN116 of `ThenaConfig` stands at the value itself, and not at the workflow that the app runs."""
    text = (
        TEMPLATE.replace(", {until}", ", until=lambda ctx: ctx.turn is None")
        .replace(", s: State[int] = ...", "")
        .replace("self.s = s", "pass")
    )
    text += "\n\napp = Thena(Flow, ThenaConfig(print))\n"
    text = text.replace("Workflow, loop", "Thena, ThenaConfig, Workflow, loop")

    assert [("THN116", "print")] == shown(text, tmp_path)
