"""What other programs are given: each format whole, valid by its published schema, and the same when lines move."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest
import xmlschema
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.linting import lint, write_files
from thena_contract.anchor import Place
from thena_contract.codes import NAMES
from thena_contract.fault import Severity
from thena_lint.diagnostic import Diagnostic, RelatedPlace
from thena_lint.report.report import Report, render
from thena_lint.request import OutputFormat

SCHEMAS: Final = Path(__file__).with_name("schemas")
CWD: Final = Path("/project/here")
FILE: Final = str(CWD / "app" / "a b.py")


AT: Final = Place(FILE, 3, 5, 3, 9)


def diagnostic(
    message: str = "Fact. Repair.",
    place: Place = AT,
    severity: Severity = Severity.ERROR,
    code: str = "THN201",
    related: tuple[RelatedPlace, ...] = (),
) -> Diagnostic:
    """A diagnostic."""
    return Diagnostic(
        code=code, name=NAMES[code], severity=severity, message=message, place=place, related=related, finding=None
    )


FOUND: Final = (
    diagnostic(related=(RelatedPlace(message="declared here", place=Place("/elsewhere/b.py", 12, 7, 12, 9)),)),
    diagnostic("100%, <or> more:\nless.", Place(FILE, 4, 1, 6, 2), Severity.WARNING, "THN801"),
    diagnostic(place=Place(str(CWD / "n.ipynb"), 2, 1, 2, 3, cell=7), severity=Severity.HINT, code="THN803"),
)


def rendered(output_format: OutputFormat, *found: Diagnostic, is_complete: bool = True) -> str:
    """What a format makes of some diagnostics."""
    report = Report(diagnostics=found, checked=9, is_complete=is_complete, lines=lambda place: (), cwd=CWD)
    return render(report, output_format)


def test_concise() -> None:
    """One line each, and the count."""
    expected = """\
app/a b.py:3:5: THN201 Fact. Repair.
app/a b.py:4:1: THN801 100%, <or> more:
less.
n.ipynb:cell 7:2:1: THN803 Fact. Repair.
Found 3 faults in 2 files.
"""
    assert expected == rendered(OutputFormat.CONCISE, *FOUND)
    assert "All clear: 9 files checked.\n" == rendered(OutputFormat.CONCISE)


def test_json_lines() -> None:
    """The rows of the JSON format, each on a line of its own."""
    lines = rendered(OutputFormat.JSON_LINES, *FOUND).splitlines()

    assert json.loads(rendered(OutputFormat.JSON, *FOUND)) == [json.loads(line) for line in lines]
    assert "" == rendered(OutputFormat.JSON_LINES)


def test_github() -> None:
    """Escaped as GitHub reads it: `%`, line ends, and in properties `:` and `,`; columns only within one line."""
    expected = """\
::error title=thena-lint THN201,file=app/a b.py,line=3,endLine=3,col=5,endColumn=9::THN201 Fact. Repair.
::warning title=thena-lint THN801,file=app/a b.py,line=4,endLine=6::THN801 100%25, <or> more:%0Aless.
::notice title=thena-lint THN803,file=n.ipynb::THN803 cell 7, line 2: Fact. Repair.
"""
    assert expected == rendered(OutputFormat.GITHUB, *FOUND)


def test_gitlab() -> None:
    """An array of issues; an empty one where nothing is found."""
    expected = [
        ("THN201", "THN201 Fact. Repair.", "major", "app/a b.py", 3, 3),
        ("THN801", "THN801 100%, <or> more:\nless.", "minor", "app/a b.py", 4, 6),
        ("THN803", "THN803 Fact. Repair.", "info", "n.ipynb", 2, 2),
    ]
    rows = json.loads(rendered(OutputFormat.GITLAB, *FOUND))

    assert expected == [
        (
            row["check_name"],
            row["description"],
            row["severity"],
            row["location"]["path"],
            row["location"]["lines"]["begin"],
            row["location"]["lines"]["end"],
        )
        for row in rows
    ]
    assert "[]\n" == rendered(OutputFormat.GITLAB)


def test_junit() -> None:
    """A suite for each file; errors and warnings fail, and a test that passed stands for nothing found."""
    expected = """\
<?xml version="1.0" encoding="utf-8"?>
<testsuites name="thena-lint" tests="3" failures="2" errors="0">
  <testsuite name="app/a b.py" tests="2" failures="2" errors="0">
    <testcase name="THN201 state-not-declared:3:5" classname="app/a b" time="0">
      <failure type="error" message="Fact. Repair.">app/a b.py:3:5: THN201 Fact. Repair.</failure>
    </testcase>
    <testcase name="THN801 blocking-call:4:1" classname="app/a b" time="0">
      <failure type="warning" message="100%, &lt;or&gt; more:&#10;less.">app/a b.py:4:1: THN801 100%, &lt;or&gt; more:
less.</failure>
    </testcase>
  </testsuite>
  <testsuite name="n.ipynb" tests="1" failures="0" errors="0">
    <testcase name="THN803 output-becomes-speech:cell 7:2:1" classname="n" time="0">
      <system-out>n.ipynb:cell 7:2:1: THN803 Fact. Repair.</system-out>
    </testcase>
  </testsuite>
</testsuites>
"""
    nothing = """\
<?xml version="1.0" encoding="utf-8"?>
<testsuites name="thena-lint" tests="1" failures="0" errors="0">
  <testsuite name="thena-lint" tests="1" failures="0" errors="0">
    <testcase name="no faults" classname="thena-lint" time="0"/>
  </testsuite>
</testsuites>
"""
    assert (expected, nothing) == (rendered(OutputFormat.JUNIT, *FOUND), rendered(OutputFormat.JUNIT))


def test_sarif() -> None:
    """A rule for each code, the chain as related locations, addresses that are escaped, and cells by name."""
    log = json.loads(rendered(OutputFormat.SARIF, *FOUND, is_complete=False))
    (run,) = log["runs"]
    first, second, third = run["results"]

    assert ["THN201", "THN801", "THN803"] == [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [{"executionSuccessful": False}] == run["invocations"]
    assert ("error", "warning", "note") == (first["level"], second["level"], third["level"])
    assert [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "app/a%20b.py"},
                "region": {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 9},
            }
        }
    ] == first["locations"]
    assert [
        {
            "id": 1,
            "message": {"text": "declared here"},
            "physicalLocation": {
                "artifactLocation": {"uri": "file:///elsewhere/b.py"},
                "region": {"startLine": 12, "startColumn": 7, "endLine": 12, "endColumn": 9},
            },
        }
    ] == first["relatedLocations"]
    assert [{"name": "cell 7"}] == third["locations"][0]["logicalLocations"]


def schema(name: str) -> Any:
    """A published JSON schema."""
    return json.loads((SCHEMAS / name).read_text(encoding="utf-8"))


SARIF: Final = jsonschema.Draft4Validator(schema("sarif-2.1.0.json"))
GITLAB: Final = jsonschema.Draft7Validator(schema("gitlab-code-quality.json"))
JUNIT: Final = xmlschema.XMLSchema(str(SCHEMAS / "junit-10.xsd"))


def validate_sarif(text: str) -> None:
    """By the schema of OASIS."""
    SARIF.validate(json.loads(text))


def validate_gitlab(text: str) -> None:
    """By the schema that GitLab looks at each entry with, and what its documentation says beside that."""
    rows = json.loads(text)
    for row in rows:
        GITLAB.validate(row)
        assert row["severity"] in ("info", "minor", "major", "critical", "blocker")
    assert len(rows) == len({row["fingerprint"] for row in rows})


def validate_junit(text: str) -> None:
    """By the schema that Jenkins publishes."""
    JUNIT.validate(text.encode())


@pytest.mark.parametrize(
    ("output_format", "validate"),
    [
        (OutputFormat.SARIF, validate_sarif),
        (OutputFormat.GITLAB, validate_gitlab),
        (OutputFormat.JUNIT, validate_junit),
    ],
)
@pytest.mark.parametrize("found", [FOUND, (*FOUND, *FOUND), ()], ids=["some", "twice", "none"])
def test_the_published_schemas_hold(
    output_format: OutputFormat, validate: Callable[[str], None], found: tuple[Diagnostic, ...]
) -> None:
    """Whatever was found, the other side can read it."""
    validate(rendered(output_format, *found))


PLACES = st.builds(
    lambda path, line, column, more, cell: Place(path, line, column, line + more, column + more, cell=cell),
    st.sampled_from([FILE, "/x/ü%#?.py", str(CWD / "tab\there.py")]),
    *(st.integers(1, 99), st.integers(1, 99), st.integers(0, 3), st.sampled_from([None, 1])),
)
DIAGNOSTICS = st.builds(
    diagnostic,
    st.text(min_size=1, max_size=20),
    PLACES,
    st.sampled_from(list(Severity)),
    st.sampled_from(["THN201", "THN901", "THN904"]),
    st.lists(st.builds(lambda place, text: RelatedPlace(message=text, place=place), PLACES, st.text(max_size=9))).map(
        tuple
    ),
)


@settings(deadline=None)
@given(st.lists(DIAGNOSTICS, max_size=3))
def test_any_text_is_valid(found: list[Diagnostic]) -> None:
    """Control characters, quotes and brackets in texts and paths make no output that can't be read."""
    found.sort(key=lambda one: one.sort_key)
    validate_sarif(rendered(OutputFormat.SARIF, *found))
    validate_gitlab(rendered(OutputFormat.GITLAB, *found))
    validate_junit(rendered(OutputFormat.JUNIT, *found))
    github = rendered(OutputFormat.GITHUB, *found)
    assert [True] * len(found) == [line.startswith("::") for line in github.split("\n")[:-1]]


def test_fingerprints_stay_when_lines_move(tmp_path: Path) -> None:
    """Lines above, other columns and another order of files change none; two alike have two."""
    write_files(
        tmp_path, {"a.py": "import thena_runtime\ndef f(:\n    pass\n", "b.py": "x = 1  # thena: ignore[X1, X2]\n"}
    )
    before = fingerprints(tmp_path)
    write_files(
        tmp_path,
        {"a.py": "\n\nimport thena_runtime\ndef f(:\n    pass\n", "b.py": "y = 2\nx = 1  #   thena: ignore[X1, X2]\n"},
    )

    assert 3 == len(set(before))
    assert before == fingerprints(tmp_path)


def fingerprints(folder: Path) -> list[str]:
    """The fingerprints of what is found in a folder, which both formats share."""
    gitlab = [row["fingerprint"] for row in json.loads(lint(folder, "--output-format", "gitlab").stdout)]
    sarif = json.loads(lint(folder, "--output-format", "sarif").stdout)["runs"][0]["results"]
    assert gitlab == [result["partialFingerprints"]["thenaFault/v1"] for result in sarif]
    return gitlab
