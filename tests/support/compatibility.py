"""The table of the behaviour list: each row with the tests that show it, or the reason why none does.

The rows stand in `docs/compatibility/rows.toml`; tests name them (`@pytest.mark.behaviour("T248")`) and are read, never
imported; what isn't kept to the letter has its reason in `docs/compatibility/reasons-*.toml`. Joined they are
`docs/compatibility.md`, which `python -m tests.support.compatibility --write` writes.
"""

import ast
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
DOCUMENT: Final = Path("docs/compatibility.md")
PARTS: Final = ("providers", "memory", "report", "cli", "flow")
"""The parts of Thena that are still to come, for rows that wait for one."""

_MARKER: Final = "pytest.mark.behaviour"
_NOT_TESTS: Final = ("tests/projects/", "tests/cursors/")  # programs that tests read, in any state

WITHOUT_REASON: Final = {"T": "kept", "W": "mended"}
"""What a row with a test and no reason is: a behaviour is kept, a weakness is mended."""
MEANINGS: Final = {
    "kept": "as the row says",
    "mended": "the weakness isn't there",
    "changed": "otherwise, on purpose; the test shows how",
    "accepted": "a weakness that was weighed and left",
    "not-applicable": "there is no such thing here",
    "later": "belongs to a part that is still to come",
}
_NEEDS_TEST: Final = frozenset({"changed"})
_ALLOWS_NO_TEST: Final = frozenset({"not-applicable", "later"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a row isn't simply shown by a test."""

    status: str
    text: str
    part: str | None = None


@dataclass(frozen=True, slots=True)
class Test:
    """A test function that names rows."""

    file: str
    name: str


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the list, and what is known of it."""

    id: str
    area: str
    behaviour: str
    tests: tuple[Test, ...]
    reason: Reason | None

    @property
    def status(self) -> str:
        """The word in the table."""
        if self.reason is not None:
            return self.reason.status
        return WITHOUT_REASON[self.id[0]] if self.tests else "missing"


class Table:
    """The rows, and everything that is wrong with what was said of them."""

    def __init__(
        self,
        behaviours: Mapping[str, Mapping[str, str]],
        marked: Mapping[str, Sequence[Test]],
        reasons: Sequence[tuple[str, str, Mapping[str, object]]],
    ) -> None:
        self.problems: list[str] = []
        known = {row: area for area, rows in behaviours.items() for row in rows}
        for name, tests in marked.items():
            if name not in known:
                self.problems.append(f"{name}: there is no such row, and {_where(tests[0])} names it")
        kept = self._reasons(reasons, known)
        self.rows = tuple(
            Row(row, area, text, tuple(marked.get(row, ())), kept.get(row))
            for area, rows in behaviours.items()
            for row, text in rows.items()
        )
        for row in self.rows:
            self._judge(row)

    def _reasons(
        self, reasons: Sequence[tuple[str, str, Mapping[str, object]]], known: Mapping[str, str]
    ) -> dict[str, Reason]:
        kept: dict[str, Reason] = {}
        for file, row, fields in reasons:
            said = {name: value.strip() for name, value in fields.items() if isinstance(value, str)}
            reason = Reason(status=said.get("status", ""), text=said.get("reason", ""), part=said.get("part"))
            if row not in known:
                self.problems.append(f"{row}: there is no such row, and {file} gives a reason for it")
            elif row in kept:
                self.problems.append(f"{row}: has two reasons, one of them in {file}")
            elif said.keys() - {"status", "reason", "part"} or said.keys() != fields.keys():
                self.problems.append(f"{row}: {file} says more than `status`, `reason` and `part`, each a string")
            elif reason.status not in MEANINGS or reason.status in WITHOUT_REASON.values():
                self.problems.append(
                    f"{row}: {file} gives it the status `{reason.status}`, which is none of a reason's"
                )
            elif reason.status == "accepted" and not row.startswith("W"):
                self.problems.append(f"{row}: {file} accepts it, but only weaknesses are accepted")
            elif not reason.text:
                self.problems.append(f"{row}: {file} gives no reason")
            elif (reason.status == "later") != (reason.part in PARTS) or (reason.part and reason.status != "later"):
                self.problems.append(f"{row}: {file} must name the part that a later row waits for, out of {PARTS}")
            else:
                kept[row] = reason
        return kept

    def _judge(self, row: Row) -> None:
        if row.reason is None and not row.tests:
            self.problems.append(f"{row.id}: neither a test nor a reason ({row.behaviour})")
        elif row.reason is not None and row.reason.status in _NEEDS_TEST and not row.tests:
            self.problems.append(f"{row.id}: is said to be {row.reason.status}, but no test shows how")
        elif row.reason is not None and row.reason.status in _ALLOWS_NO_TEST and row.tests:
            self.problems.append(f"{row.id}: is said to be {row.reason.status}, but {_where(row.tests[0])} shows it")

    def render(self) -> str:
        """The document."""
        counts = Counter((row.id[0], row.status) for row in self.rows)
        lines = [
            "# The behaviour list",
            "",
            "What a run of Thena does, as a list: rows `T` are behaviours, rows `W` are weaknesses that an",
            "implementation is tempted to have. Each row has the tests that show it, or a reason.",
            "This page is made by `python -m tests.support.compatibility --write`; don't edit it.",
            "",
            "| Status | Meaning | Behaviours | Weaknesses |",
            "|---|---|---:|---:|",
            *(
                f"| {status} | {meaning} | {counts['T', status] or ''} | {counts['W', status] or ''} |"
                for status, meaning in MEANINGS.items()
                if counts["T", status] or counts["W", status]
            ),
            f"| all | | {_count(counts, 'T')} | {_count(counts, 'W')} |",
        ]
        parts = Counter(row.reason.part for row in self.rows if row.reason is not None and row.reason.part is not None)
        if parts:
            named = ", ".join(f"{part} {parts[part]}" for part in PARTS if parts[part])
            lines += ["", f"Rows that wait for a later part: {named}."]
        area = None
        for row in self.rows:
            if row.area != area:
                area = row.area
                lines += [
                    "",
                    f"## {area}",
                    "",
                    "| Row | Behaviour | Status | Shown by, or why not |",
                    "|---|---|---|---|",
                ]
            lines.append(f"| {row.id} | {_cell(row.behaviour)} | {_status(row)} | {_evidence(row)} |")
        return "\n".join(lines) + "\n"


def read(root: Path) -> Table:
    """Read the rows, the tests and the reasons of a repository."""
    folder = root / "docs/compatibility"
    return Table(
        behaviours=tomllib.loads((folder / "rows.toml").read_text(encoding="utf-8")),
        marked=_marked(root),
        reasons=[
            (path.name, row, fields)
            for path in sorted(folder.glob("reasons-*.toml"))
            for row, fields in tomllib.loads(path.read_text(encoding="utf-8")).items()
        ],
    )


def _marked(root: Path) -> dict[str, list[Test]]:
    marked: dict[str, list[Test]] = {}
    for path in sorted(root.glob("tests/**/test_*.py")):
        file = path.relative_to(root).as_posix()
        if file.startswith(_NOT_TESTS):
            continue
        for name, ids in _rows_in(ast.parse(path.read_text(encoding="utf-8")), file):
            for row in ids:
                marked.setdefault(row, []).append(Test(file, name))
    return marked


def _rows_in(module: ast.Module, file: str) -> Iterator[tuple[str, list[str]]]:
    """The tests of a module that name rows; a marker that stands anywhere else would count for nothing."""
    on_tests: set[int] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            calls = [call for decorator in node.decorator_list for call in _markers(decorator)]
            on_tests.update(id(call) for call in calls)
            ids = list(dict.fromkeys(row for call in calls for row in _ids(call, file)))
            if ids:
                yield node.name, ids
    for call in _markers(module):
        if id(call) not in on_tests:
            raise ValueError(f"{file}:{call.lineno}: `{_MARKER}` stands on no test function")


def _markers(tree: ast.AST) -> list[ast.Call]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == _MARKER]


def _ids(call: ast.Call, file: str) -> list[str]:
    ids = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    if not ids or len(ids) != len(call.args) or call.keywords:
        raise ValueError(f"{file}:{call.lineno}: `{_MARKER}` takes the ids of rows, each a literal string")
    return ids


def _where(test: Test) -> str:
    return f"{test.file}::{test.name}"


def _count(counts: Mapping[tuple[str, str], int], letter: str) -> int:
    return sum(count for (kind, _), count in counts.items() if kind == letter)


def _status(row: Row) -> str:
    return f"later: {row.reason.part}" if row.reason is not None and row.reason.part is not None else row.status


def _evidence(row: Row) -> str:
    tests = ", ".join(f"[{test.name}](../{test.file})" for test in row.tests)
    return " ".join(text for text in (_cell(row.reason.text) if row.reason else "", tests) if text)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main(arguments: Sequence[str]) -> int:
    """Write the document, or say what is wrong."""
    table = read(ROOT)
    if arguments == ["--write"]:
        (ROOT / DOCUMENT).write_text(table.render(), encoding="utf-8")
    elif arguments:
        print("usage: python -m tests.support.compatibility [--write]", file=sys.stderr)
        return 2
    for problem in table.problems:
        print(problem, file=sys.stderr)
    print(", ".join(f"{count} {status}" for status, count in Counter(row.status for row in table.rows).items()))
    return 1 if table.problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
