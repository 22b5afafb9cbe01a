"""`[tool.thena.lint]`: which file holds, what each key means, how mistakes are told, and that every reader agrees."""

import json
import os
import re
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thena_lint
from tests.lint.test_cli import CLEAN, FAULTY
from tests.support.linting import lint, write_files
from thena_contract.codes import ALWAYS_TOLD, NAMES
from thena_contract.fault import Severity
from thena_lint.diagnostic import Diagnostic
from thena_lint.policy import Policy
from thena_lint.settings import ALL, KEYS, Kind, LintSettings, read_keys, settings_for
from thena_lsp.client import Client
from thena_lsp.convert import Encoding, path_of
from thena_lsp.features.diagnostics import publications
from thena_lsp.session import Session

SCHEMA: Final = Path(thena_lint.__file__).with_name("settings.schema.json")
SELECTORS: Final = sorted({ALL, *(code[:end] for code in NAMES for end in range(3, 7))})
TWO_FAULTS: Final = FAULTY + "\n\nclass Loose:\n    pass  # thena: ignore[THN999]\n"


def shown(folder: Path, *arguments: str) -> str:
    """What is told in a folder, without its last line."""
    return "".join(lint(folder, "--output-format", "concise", *arguments).stdout.splitlines(keepends=True)[:-1])


def codes(folder: Path, *arguments: str) -> list[tuple[str, str]]:
    """The files and codes that are told in a folder."""
    return re.findall(r"^(\S+?):\d+:\d+: (THN\d+)", shown(folder, *arguments), flags=re.MULTILINE)


def selected(code: str, **settings: Any) -> bool:
    """Say whether a code is told with some settings."""
    return Policy(LintSettings(**settings), cwd=Path("/nowhere")).is_told(code, Path("/nowhere/a.py"))


@pytest.mark.parametrize(
    ("settings", "told", "not_told"),
    [
        ({}, ["THN201", "THN902"], ["THN803"]),
        ({"select": ["THN2"]}, ["THN201", "THN215"], ["THN301", "THN803"]),
        ({"select": ["ALL"]}, ["THN201", "THN803"], []),
        ({"select": []}, [*ALWAYS_TOLD], ["THN201"]),
        ({"select": ["THN8"]}, ["THN801", "THN803"], ["THN201"]),
        ({"extend_select": ["THN803"]}, ["THN201", "THN803"], []),
        ({"select": ["THN2"], "extend_select": ["THN30"]}, ["THN201", "THN301"], ["THN401"]),
        ({"ignore": ["THN2"]}, ["THN301"], ["THN201"]),
        ({"select": ["THN201"], "ignore": ["THN2"]}, ["THN201"], ["THN202", "THN301"]),
        ({"select": ["THN2"], "ignore": ["THN201"]}, ["THN202"], ["THN201"]),
        ({"select": ["THN201"], "ignore": ["THN201"]}, [], ["THN201"]),
        ({"ignore": ["ALL"]}, [*ALWAYS_TOLD], ["THN201", "THN907"]),
        ({"ignore": ["THN9"]}, [*ALWAYS_TOLD], ["THN902", "THN907"]),
    ],
)
def test_the_longest_selector_decides(settings: dict[str, Any], told: list[str], not_told: list[str]) -> None:
    """Of two of one length the one that ignores does; what says that not all was judged is always told."""
    assert [*told] == [code for code in (*told, *not_told) if selected(code, **settings)]


def test_the_nearest_file_holds(tmp_path: Path) -> None:
    """A folder has the settings of the nearest file with the table, whole; `thena.toml` comes before its neighbour."""
    table = "[tool.thena.lint]\n"
    write_files(
        tmp_path,
        {
            "pyproject.toml": f'{table}ignore = ["THN2"]\nextend-select = ["THN803"]\n',
            "a/pyproject.toml": "[project]\nname = 'a'\ndependencies = ['thena>=0.1']\n",
            "a/b/pyproject.toml": f'{table}ignore = ["THN3"]\n',
            "c/pyproject.toml": f'{table}ignore = ["THN4"]\n',
            "c/thena.toml": '[lint]\nignore = ["THN5"]\n',
            "d/thena.toml": f'{table}ignore = ["THN6"]\n',
            "e/thena.toml": "",
        },
    )
    expected = {"": "THN2", "a": "THN2", "a/b": "THN3", "a/b/deeper": "THN3", "c": "THN5", "d": "THN6", "e": "THN2"}

    found = {name: settings_for(tmp_path / name) for name in expected}
    assert expected == {name: configured.settings.ignore[0] for name, configured in found.items()}
    assert ("THN803",) == found["a"].settings.extend_select
    assert () == found["a/b"].settings.extend_select
    assert () == tuple(mistake for configured in found.values() for mistake in configured.mistakes)


def test_each_file_is_judged_by_its_own_settings(tmp_path: Path) -> None:
    """Two folders of one project may have settings of their own."""
    write_files(
        tmp_path,
        {
            "one/pyproject.toml": '[tool.thena.lint]\nignore = ["THN201"]\n',
            "one/flow.py": FAULTY,
            "two/pyproject.toml": '[tool.thena.lint]\nseverity = {THN2 = "warning", THN201 = "hint"}\n',
            "two/flow.py": FAULTY,
        },
    )
    done = lint(tmp_path, "--output-format", "json")

    assert (0, [("two/flow.py", "hint")]) == (
        done.returncode,
        [(row["path"], row["severity"]) for row in json.loads(done.stdout)],
    )


@pytest.mark.parametrize(
    ("pattern", "ignored"),
    [
        ("tests/**", ["tests/a.py", "tests/deep/b.py"]),
        ("tests", ["tests/a.py", "tests/deep/b.py"]),
        ("a.py", ["tests/a.py"]),
        ("*.py", ["flow.py", "tests/a.py", "tests/deep/b.py"]),
        ("/*.py", ["flow.py"]),
        ("!tests/", ["flow.py"]),
        ("**/deep/*", ["tests/deep/b.py"]),
        ("other", []),
    ],
)
def test_codes_are_ignored_by_file(tmp_path: Path, pattern: str, ignored: list[str]) -> None:
    """The patterns are those of `.gitignore`, from the folder of the settings; `!` means all other files."""
    files = ["flow.py", "tests/a.py", "tests/deep/b.py"]
    table = f'[tool.thena.lint.per-file-ignores]\n"{pattern}" = ["THN201"]\n'
    write_files(tmp_path, {"pyproject.toml": table, **dict.fromkeys(files, FAULTY)})

    kept = [(file, "THN201") for file in files if file not in ignored]
    assert kept == codes(tmp_path)

    (tmp_path / "pyproject.toml").unlink()
    assert kept == codes(tmp_path, "--per-file-ignores", f"{pattern}:THN201")


def test_the_command_line_has_the_last_word(tmp_path: Path) -> None:
    """Its `--select` begins anew, its other selectors add to those of the project, and its severity wins."""
    table = '[tool.thena.lint]\nselect = ["THN3"]\nignore = ["THN903"]\nseverity = {THN201 = "hint"}\n'
    write_files(tmp_path, {"pyproject.toml": table, "flow.py": TWO_FAULTS})

    assert [] == codes(tmp_path)
    assert [("flow.py", "THN201")] == codes(tmp_path, "--extend-select", "THN2,THN1")
    assert [("flow.py", "THN201"), ("flow.py", "THN903")] == codes(tmp_path, "--select", "ALL")
    assert [("flow.py", "THN201")] == codes(tmp_path, "--select", "ALL", "--ignore", "THN90")
    assert 0 == lint(tmp_path, "--select", "THN2").returncode
    assert 1 == lint(tmp_path, "--select", "THN2", "--severity", "THN201=error").returncode


def test_mistakes_are_told_where_they_stand(tmp_path: Path) -> None:
    """Each names what is wrong and what to write, at its place in the file; the rest holds; the exit code is 2."""
    table = """\
[tool.thena.lnt]
x = 1

[tool.thena.lint]
selct = ["THN2"]
extend_select = ["THN8"]
ignore = "THN201"
exclude = ["a/", 1]
select = ["thn2", "state-not-declared", "THN9x",
  "E501", 7, "THN201"]
severity = {THN214 = "fatal", THN901 = "hint"}

[tool.thena.lint.per-file-ignores]
"tests/**" = ["THN905", "THN8"]
"x" = "THN8"
"""
    write_files(tmp_path, {"pyproject.toml": table, "flow.py": TWO_FAULTS})

    always = "is told whatever is ignored, since it says that not all was judged as asked"
    expected = f"""\
flow.py:5:24: THN201 `Writer.__init__` parameter 0 `s` asks for the state, but workflow `Flow` declares none. \
Add `state=YourState` to `@Workflow` on `Flow`.
pyproject.toml:1:13: THN904 `lnt` in `pyproject.toml` is nothing that Thena reads. Write `lint`.
pyproject.toml:5:1: THN904 `selct` is no setting of the linter. Write `select`.
pyproject.toml:6:1: THN904 `extend_select` is no setting of the linter. Write `extend-select`.
pyproject.toml:7:1: THN904 `ignore` is no list of codes. Write a list of codes, such as `["THN802"]`.
pyproject.toml:8:18: THN904 `1` is no pattern. Write a text like `"generated/"`.
pyproject.toml:9:11: THN904 `thn2` is no code of a fault and no beginning of one. Write `THN2`.
pyproject.toml:9:19: THN904 `state-not-declared` is no code of a fault and no beginning of one. Write `THN201`.
pyproject.toml:9:41: THN904 `THN9x` is no code of a fault and no beginning of one. Write `THN9`.
pyproject.toml:10:3: THN904 `E501` is no code of a fault and no beginning of one. \
Write a code such as `THN201`, or the beginning of one such as `THN2`.
pyproject.toml:10:11: THN904 `7` is no code of a fault. Write a text like `"THN201"`.
pyproject.toml:11:13: THN904 `fatal` is no severity. Write one of `error`, `warning`, `information`, `hint`.
pyproject.toml:11:31: THN904 `THN901` {always}. Write nothing here, and mend what it names.
pyproject.toml:14:15: THN904 `THN905` {always}. Write nothing here, and mend what it names.
pyproject.toml:15:1: THN904 `x` is no list of codes. Write a list of codes, such as `["THN802"]`.
"""
    assert expected == shown(tmp_path)
    assert (2, 2) == (lint(tmp_path).returncode, lint(tmp_path, "--exit-zero").returncode)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "pyproject.toml",
            "[tool.thena.lint\n",
            (
                "1:17: THN904 `pyproject.toml` is no TOML: Expected ']' at the end of a table declaration. "
                "Write what TOML allows at this place."
            ),
        ),
        ("pyproject.toml", "[project\n", None),
        (
            "thena.toml",
            "\nlint = ",
            "2:8: THN904 `thena.toml` is no TOML: Invalid value. Write what TOML allows at this place.",
        ),
        (
            "thena.toml",
            'select = ["THN2"]\n',
            "1:1: THN904 `select` in `thena.toml` is nothing that Thena reads. Write the settings below `[lint]`.",
        ),
        ("thena.toml", "lint = 3\n", "1:1: THN904 `lint` is no table. Write the settings below `[lint]`."),
        (
            "pyproject.toml",
            "[tool]\nthena.lint = true\n",
            "2:7: THN904 `lint` is no table. Write the settings below `[tool.thena.lint]`.",
        ),
    ],
)
def test_files_that_are_no_settings(tmp_path: Path, name: str, text: str, expected: str | None) -> None:
    """A file that can't be read as settings is told once, at the place; one of others is none of our business."""
    write_files(tmp_path, {name: text, "a.py": "", "b/c.py": CLEAN})

    assert ("" if expected is None else f"{name}:{expected}\n") == shown(tmp_path)
    assert (0 if expected is None else 2) == lint(tmp_path).returncode


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--select", "THN2,E501"], "argument --select: `E501` is no code of a fault and no beginning of one. "),
        (["--ignore", "THN901"], "argument --ignore: `THN901` is told whatever is ignored, since it says "),
        (["--severity", "THN201=bad"], "argument --severity: `bad` is no severity. "),
        (["--severity", "THN201"], "argument --severity: `THN201` is no code with a severity. "),
        (["--per-file-ignores", "THN8"], "argument --per-file-ignores: `THN8` is no pattern with codes. "),
    ],
)
def test_the_command_line_is_judged_alike(tmp_path: Path, arguments: list[str], expected: str) -> None:
    """What the settings refuse an option refuses, and nothing is linted."""
    done = lint(tmp_path, *arguments)

    assert (2, "") == (done.returncode, done.stdout)
    assert f"thena-lint: error: {expected}" in done.stderr


def test_settings_can_be_shown(tmp_path: Path) -> None:
    """As TOML that means the same, with the file that they come from and what is told in the end."""
    table = '[lint]\nselect = ["THN20"]\nper-file-ignores = {"a\\"b" = ["THN201"]}\nseverity = {THN2 = "hint"}\n'
    write_files(tmp_path, {"thena.toml": table, "a.py": "", "b/a.py": ""})
    done = lint(tmp_path, "--show-settings", "--ignore", "THN209", "a.py", "b")
    told = ["THN201", "THN202", "THN203", "THN204", "THN205", "THN206", "THN207", "THN208", *sorted(ALWAYS_TOLD)]

    expected = f"""\
# For {tmp_path}, from {tmp_path / "thena.toml"}
exclude = []
select = ["THN20"]
extend-select = []
ignore = []
per-file-ignores = {{"a\\"b" = ["THN201"]}}
severity = {{"THN2" = "hint"}}
# The command line adds
# ignore = ["THN209"]
# {len(told)} of {len(NAMES)} codes are told; not told: {", ".join(code for code in NAMES if code not in told)}
"""
    assert (expected, 0) == (done.stdout, done.returncode)


def test_the_server_says_what_the_command_line_says(tmp_path: Path) -> None:
    """With settings, mistakes in them and a file of its own settings, codes, severities and places are the same."""
    table = '[tool.thena.lint]\nignore = ["THN903", "x"]\nseverity = {THN201 = "hint"}\nexclude = ["gone/"]\n'
    write_files(
        tmp_path,
        {
            "pyproject.toml": table,
            "flow.py": TWO_FAULTS,
            "own/thena.toml": '[lint]\nselect = ["THN9"]\n',
            "own/flow.py": TWO_FAULTS,
            "gone/flow.py": TWO_FAULTS,
        },
    )
    rows = json.loads(lint(tmp_path, "--output-format", "json").stdout)
    expected = sorted((row["path"], row["line"], row["column"], row["code"], row["severity"]) for row in rows)

    assert {"flow.py", "own/flow.py", "pyproject.toml"} == {path for path, *_ in expected}
    assert expected == told_by_server(session_in(tmp_path), tmp_path)


def test_the_server_follows_the_settings(tmp_path: Path) -> None:
    """A file of settings that is saved counts at once: its codes, its severities and what it excludes."""
    write_files(tmp_path, {"flow.py": FAULTY, "gen/flow.py": FAULTY})
    session = session_in(tmp_path)
    before = told_by_server(session, tmp_path)
    write_files(tmp_path, {"thena.toml": '[lint]\nseverity = {THN201 = "warning"}\nexclude = ["gen"]\n'})
    session.touch([(tmp_path / "thena.toml").as_uri()])
    read(session)

    assert {("flow.py", "error"), ("gen/flow.py", "error")} == {(path, severity) for path, *_, severity in before}
    assert [("flow.py", 5, 24, "THN201", "warning")] == told_by_server(session, tmp_path)


def test_the_editor_is_told_in_the_file_of_the_settings(tmp_path: Path) -> None:
    """A mistake is published for the TOML file, in the columns that the client counts."""
    write_files(tmp_path, {"pyproject.toml": '[tool.thena.lint]\nselect = ["😀", "THN2x"]\n', "a.py": ""})
    session = session_in(tmp_path)
    found = publications(session, lambda: None, Client())
    ranges = [
        (one.range.start.line, one.range.start.character, one.range.end.character) for one in found[0].diagnostics
    ]

    assert [(tmp_path / "pyproject.toml").as_uri()] == [publication.uri for publication in found]
    assert [(1, 10, 14), (1, 16, 23)] == ranges


def session_in(folder: Path) -> Session:
    """A session that has read a folder."""
    session = Session(Encoding.UTF16, [folder])
    read(session)
    return session


def read(session: Session) -> None:
    """Let a session read all that it has to."""
    while session.read_some():
        pass


def told_by_server(session: Session, folder: Path) -> list[tuple[str, int, int, str, str]]:
    """Every diagnostic that a client is told of now."""
    return sorted(
        ((path_of(report.uri) or folder).relative_to(folder).as_posix(), *_told(one))
        for report in session.reports(lambda: None)
        for one in report.diagnostics
    )


def _told(one: Diagnostic) -> tuple[int, int, str, str]:
    return one.place.line, one.place.column, one.code, one.severity.value


def schema_of_settings() -> dict[str, Any]:
    """The JSON schema that the fields of `LintSettings` make."""
    wanted, unwanted = SELECTORS, [one for one in SELECTORS if one not in ALWAYS_TOLD]
    by_kind = {
        Kind.PATTERNS: {"type": "array", "items": {"type": "string"}},
        Kind.SELECTORS: {"type": "array", "items": {"$ref": "#/$defs/code"}},
        Kind.IGNORED: {"type": "array", "items": {"$ref": "#/$defs/ignorable"}},
        Kind.IGNORED_BY_FILE: {
            "type": "object",
            "additionalProperties": {"type": "array", "items": {"$ref": "#/$defs/ignorable"}},
        },
        Kind.SEVERITIES: {
            "type": "object",
            "propertyNames": {"$ref": "#/$defs/ignorable"},
            "additionalProperties": {"enum": [one.value for one in Severity]},
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of thena-lint",
        "description": "The table [tool.thena.lint] of pyproject.toml, or [lint] of thena.toml.",
        "type": "object",
        "properties": {
            one.name.replace("_", "-"): {"description": one.metadata["meaning"], **by_kind[one.metadata["kind"]]}
            for one in fields(LintSettings)
        },
        "additionalProperties": False,
        "$defs": {"code": {"enum": wanted}, "ignorable": {"enum": unwanted}},
    }


def test_the_schema_is_that_of_the_settings() -> None:
    """The schema that is shipped for editors has the keys, kinds and codes of the settings."""
    if os.environ.get("THENA_REWRITE"):
        SCHEMA.write_text(json.dumps(schema_of_settings(), indent=2) + "\n", encoding="utf-8")

    assert schema_of_settings() == json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema_of_settings())


ODD = st.sampled_from(["THN201", "THN9", "ALL", "THN901", "thn2", "E501", "", 1, True, 2.5, [], {}, "error", "a/**"])
TEXTS = st.sampled_from(["THN201", "THN2", "THN901", "x", "ALL", "tests/**"])
TABLES = st.dictionaries(
    st.sampled_from([*KEYS, "selct", "x"]),
    st.one_of(ODD, st.lists(ODD, max_size=3), st.dictionaries(TEXTS, st.one_of(ODD, st.lists(ODD, max_size=2)))),
    max_size=4,
)


@given(TABLES)
def test_any_table_is_judged_as_the_schema_judges_it(table: dict[str, Any]) -> None:
    """The linter finds a mistake exactly where the schema refuses the table."""
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    _, mistakes = read_keys(table)

    assert validator.is_valid(table) == (not mistakes)
