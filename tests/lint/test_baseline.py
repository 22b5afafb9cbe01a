"""A baseline: what a project had is not told, what is new is, and what the baseline lists in vain is told too."""

import json
from pathlib import Path

import pytest

from tests.lint.test_cli import CLEAN, FAULTY
from tests.support.linting import lint, write_files

WRITE = ("--baseline", "base.json", "--write-baseline")
USE = ("--baseline", "base.json")
TEXT = (
    "`Writer.__init__` parameter 0 `s` asks for the state, but workflow `Flow` declares none. "
    "Add `state=YourState` to `@Workflow` on `Flow`."
)


@pytest.fixture
def known(tmp_path: Path) -> Path:
    """A project of two faulty files, and a baseline of them."""
    write_files(tmp_path, {"flow.py": FAULTY, "app/flow.py": FAULTY})
    done = lint(tmp_path, *WRITE)
    assert (0, "", "Wrote 2 faults to base.json.\n") == (done.returncode, done.stdout, done.stderr)
    return tmp_path


def test_the_file_can_be_read_and_merged(known: Path) -> None:
    """One entry for each fault, by file and in order, without lines."""
    expected = {
        "version": 1,
        "faults": {
            "app/flow.py": [{"code": "THN201", "message": TEXT}],
            "flow.py": [{"code": "THN201", "message": TEXT}],
        },
    }
    assert expected == json.loads((known / "base.json").read_text(encoding="utf-8"))


def test_what_is_known_is_not_told(known: Path) -> None:
    """Moved lines and other comments change nothing, and a part of the project may be linted from another folder."""
    write_files(known, {"flow.py": "# moved\n\n" + FAULTY.replace("self.s = s", "self.s = s  # changed")})

    assert (0, "All clear: 2 files checked.\n", "") == told(known, *USE)
    assert (0, "All clear: 1 file checked.\n", "") == told(known / "app", "--baseline", "../base.json")


def test_what_is_new_is_told(known: Path) -> None:
    """One more of what is known is new, and so is the same in another file."""
    another = FAULTY.replace("class Flow", "class Flow2")
    write_files(known, {"flow.py": FAULTY + another.partition("\n")[2], "b.py": FAULTY})
    done = lint(known, *USE, "--output-format", "json")

    assert (1, "") == (done.returncode, done.stderr)
    assert {"b.py", "flow.py"} == {row["path"] for row in json.loads(done.stdout)}


def test_how_many_are_alike_counts(tmp_path: Path) -> None:
    """Two faults of one text in one file are listed as two, and a third is told."""
    line = "x = 1  # thena: ignore[nothing]\n"
    write_files(tmp_path, {"a.py": line * 2})
    lint(tmp_path, *WRITE)
    rows = json.loads((tmp_path / "base.json").read_text(encoding="utf-8"))["faults"]["a.py"]
    write_files(tmp_path, {"a.py": line * 3})

    assert [2] == [row["count"] for row in rows]
    assert ["a.py:3:24"] == [line.partition(": THN")[0] for line in told(tmp_path, *USE)[1].splitlines()[:-1]]


def test_what_is_listed_in_vain_is_told(known: Path) -> None:
    """A fault that is gone, or a file that is, makes the run fail until the baseline is written anew."""
    write_files(known, {"flow.py": CLEAN})
    (known / "app" / "flow.py").unlink()
    done = lint(known, *USE)

    expected = f"""\
thena-lint: `base.json` lists what isn't found any more: app/flow.py: THN201 {TEXT}
thena-lint: `base.json` lists what isn't found any more: flow.py: THN201 {TEXT}
thena-lint: write the baseline anew with --write-baseline.
"""
    assert (1, "All clear: 1 file checked.\n", expected) == (done.returncode, done.stdout, done.stderr)
    assert 0 == lint(known, *USE, "--exit-zero").returncode
    assert "Wrote 0 faults to base.json.\n" == lint(known, *WRITE).stderr
    assert (0, "All clear: 1 file checked.\n", "") == told(known, *USE)


@pytest.mark.parametrize("arguments", [("flow.py",), ("--select", "THN3"), ("--ignore", "THN2")])
def test_only_what_was_looked_for_is_listed_in_vain(known: Path, arguments: tuple[str, ...]) -> None:
    """Files that aren't linted now and codes that aren't told now may still be there."""
    assert (0, "") == told(known, *USE, *arguments)[::2]


def test_what_can_not_be_turned_off_is_in_no_baseline(tmp_path: Path) -> None:
    """A file that doesn't parse is told again."""
    write_files(tmp_path, {"a.py": "import thena_runtime\nx = = 1\n"})

    writing = lint(tmp_path, *WRITE)

    assert "Wrote 0 faults to base.json.\n" == writing.stderr
    assert writing.stdout == lint(tmp_path, *USE).stdout
    assert "THN901" in writing.stdout


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, "`base.json` doesn't exist. Write it with --write-baseline."),
        ("", "`base.json` is no baseline. Write it anew with --write-baseline."),
        ("[1]", "`base.json` is no baseline. Write it anew with --write-baseline."),
        ('{"version": 2, "faults": {}}', "`base.json` is no baseline. Write it anew with --write-baseline."),
        (
            '{"version": 1, "faults": {"a.py": [{"code": "THN201"}]}}',
            "`base.json` is no baseline. Write it anew with --write-baseline.",
        ),
        ("[" * 100_000, "`base.json` is no baseline. Write it anew with --write-baseline."),
    ],
)
def test_a_file_that_is_no_baseline(tmp_path: Path, text: str | None, expected: str) -> None:
    """It is named, and nothing is linted."""
    write_files(tmp_path, {"a.py": "", **({} if text is None else {"base.json": text})})

    assert (2, "", f"thena-lint: {expected}\n") == told(tmp_path, *USE)


def test_a_baseline_that_can_not_be_written(tmp_path: Path) -> None:
    """The reason of the system is told."""
    write_files(tmp_path, {"a.py": ""})

    expected = "thena-lint: `gone/base.json` can't be written: No such file or directory. Name a file that can.\n"
    assert (2, "", expected) == told(tmp_path, "--baseline", "gone/base.json", "--write-baseline")


def told(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """The exit code and both outputs."""
    done = lint(folder, *arguments, "--output-format", "concise")
    return done.returncode, done.stdout, done.stderr
