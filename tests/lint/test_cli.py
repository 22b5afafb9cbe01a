"""`thena-lint` as a process."""

import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.support.linting import FAULTY, lint
from thena_contract.codes import NAMES

CLEAN = FAULTY.replace("steps=", "state=int, steps=")
COMMAND = [sys.executable, "-m", "thena_lint"]


def run(cwd: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the linter in a folder."""
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    """A folder with one faulty file."""
    (tmp_path / "flow.py").write_text(FAULTY, encoding="utf-8")
    return tmp_path


def test_a_fault_is_shown_and_exits_with_one(faulty: Path) -> None:
    """The current folder is linted by default; the fault, its place and its chain are shown."""
    done = run(faulty)

    expected = """\
flow.py:5:24: THN201 `Writer.__init__` parameter 0 `s` asks for the state, but workflow `Flow` declares none. \
Add `state=YourState` to `@Workflow` on `Flow`.
5 |     def __init__(self, s: State[int]) -> None:
  |                        ^^^^^^^^^^^^^
  = flow.py:8:18: agent `Writer` is a step here
  = flow.py:9:7: workflow `Flow` is declared here

Found 1 fault in 1 file.
"""
    assert (1, expected, "") == (done.returncode, done.stdout, done.stderr)


def test_clean_exits_with_zero(tmp_path: Path) -> None:
    """A project without faults says so."""
    (tmp_path / "flow.py").write_text(CLEAN, encoding="utf-8")
    done = run(tmp_path, "flow.py")

    assert (0, "All clear: 1 file checked.\n", "") == (done.returncode, done.stdout, done.stderr)


def test_rows_for_programs(faulty: Path) -> None:
    """With `--output-format json` standard output is one JSON array."""
    done = run(faulty, "--output-format", "json", str(faulty))
    (row,) = json.loads(done.stdout)

    assert (1, "flow.py", 5, 24, 5, 37) == (
        done.returncode,
        row["path"],
        row["line"],
        row["column"],
        row["end_line"],
        row["end_column"],
    )


def test_a_path_that_is_not_there_exits_with_two(faulty: Path) -> None:
    """A mistake in a path is the linter's failure, not a clean project."""
    done = run(faulty, "gone")

    expected = f"thena-lint: `{faulty / 'gone'}` doesn't exist. Name a file or folder that does.\n"
    assert (2, "", expected) == (done.returncode, done.stdout, done.stderr)


def test_an_unknown_option_exits_with_two(faulty: Path) -> None:
    """A misspelt option, or one of another linter, is answered with what does it here, and nothing is linted."""
    misspelt, of_another = run(faulty, "--outputformat", "json"), run(faulty, ".", "--add-noqa")

    assert (2, "", 2, "") == (misspelt.returncode, misspelt.stdout, of_another.returncode, of_another.stdout)
    assert misspelt.stderr.endswith("error: there is no option --outputformat: did you mean --output-format?\n")
    assert of_another.stderr.endswith("error: there is no option --add-noqa: --add-ignore writes the comments\n")


def test_version_and_help(tmp_path: Path) -> None:
    """Both answer without reading anything, in a folder that holds nothing."""
    version, usage = run(tmp_path, "--version"), run(tmp_path, "--help")

    assert (0, 0) == (version.returncode, usage.returncode)
    assert version.stdout.startswith("thena-lint ")
    assert "--output-format" in usage.stdout


def test_a_reader_that_leaves_early(faulty: Path) -> None:
    """A closed pipe ends the linter without a word."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(COMMAND, cwd=faulty, stdout=writer, stderr=subprocess.PIPE, timeout=60, check=False)
    os.close(writer)

    assert (1, b"") == (done.returncode, done.stderr)


def test_ctrl_c(tmp_path: Path) -> None:
    """An interrupt ends the linter at once and without a traceback."""
    # More than fits into a pipe: once something can be read, the linter is waiting to write the rest.
    for number in range(1000):
        (tmp_path / f"broken_{number}.py").write_text("import thena_runtime\nx = = 1\n", encoding="utf-8")
    process = subprocess.Popen(
        [*COMMAND, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert process.stdout is not None
        process.stdout.read(1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()

    assert (130, "") == (process.returncode, errors)


def test_no_python_file(tmp_path: Path) -> None:
    """A folder without a Python file is no fault, but it may be the wrong one, which is said beside the output."""
    done = run(tmp_path)

    expected = "thena-lint: no Python file found there. Is it the right folder?\n"
    assert (0, "All clear: 0 files checked.\n", expected) == (done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("closed", ["", "inner", "flow.py"])
def test_what_can_not_be_read_exits_with_two(closed: str) -> None:
    """A folder or file that this user may not read is named, the rest is checked, and it is no all-clear."""
    with tempfile.TemporaryDirectory() as folder:
        # Not below pytest's own folder, which only its owner may enter.
        faulty = Path(folder)
        (faulty / "flow.py").write_text(FAULTY, encoding="utf-8")
        done = run_on_closed(faulty, closed)

    assert 2 == done.returncode
    assert "Permission denied" in done.stdout + done.stderr
    assert "UTF-8" not in done.stdout
    assert "All clear" not in done.stdout
    assert "Traceback" not in done.stderr
    assert (closed == "inner") == ("THN201" in done.stdout)


@pytest.mark.parametrize(("text", "code"), [(b"x = (\n", "THN901"), (b'x = "\xff"\n', "THN905")])
def test_what_is_no_python_exits_with_one(tmp_path: Path, text: bytes, code: str) -> None:
    """A file that was opened and can't be decoded or parsed is a fault as any other."""
    (tmp_path / "flow.py").write_bytes(b"from thena_runtime import Agent\n" + text)
    done = lint(tmp_path)

    assert (1, True) == (done.returncode, f" {code} " in done.stdout), done.stdout


def run_on_closed(faulty: Path, closed: str) -> subprocess.CompletedProcess[str]:
    """Lint a folder of which one part may not be read."""
    (faulty / "inner").mkdir()
    (faulty / "inner" / "good.py").write_text("x = 1\n", encoding="utf-8")
    faulty.chmod(0o755)
    (faulty / closed).chmod(0)
    try:
        return run_unprivileged(faulty)
    finally:
        (faulty / closed).chmod(0o755)


def run_unprivileged(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the linter as somebody who isn't root, who may read anything: once for its imports, then as nobody."""
    code = (
        "import contextlib, io, os, sys; from thena_lint.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()): main([sys.argv[2]])\n"
        "if os.geteuid() == 0: os.setegid(65534), os.seteuid(65534)\n"
        "sys.exit(main(sys.argv[1:2]))"
    )
    return subprocess.run(
        [sys.executable, "-c", code, str(folder), __file__], capture_output=True, text=True, timeout=60, check=False
    )


def test_a_failure_of_its_own_is_one_line(faulty: Path) -> None:
    """Whatever fails in the linter itself, here an output that was closed, is told in a line and exits with 2."""
    code = "import sys; from thena_lint.cli import main; sys.stdout.close(); sys.exit(main([]))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=faulty, capture_output=True, text=True, timeout=60, check=False
    )

    assert 2 == done.returncode
    assert done.stderr.startswith("thena-lint: it failed: ValueError: I/O operation on closed file")
    assert 1 == done.stderr.count("\n")


@pytest.mark.parametrize(("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_are_for_terminals(faulty: Path, environment: dict[str, str], coloured: bool) -> None:
    """A terminal gets colours unless `NO_COLOR` is set."""
    ours, theirs = pty.openpty()
    plain = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    subprocess.run(
        COMMAND, cwd=faulty, env={**plain, "TERM": "xterm", **environment}, stdout=theirs, timeout=60, check=False
    )
    os.close(theirs)
    text = os.read(ours, 65536).decode()
    os.close(ours)

    assert coloured == ("\x1b[" in text)


def test_a_terminal_that_can_not_show_everything(tmp_path: Path) -> None:
    """A character that the output's encoding lacks is escaped, and the fault is still told."""
    text = FAULTY.replace("self, s: State[int]", "self, s: State[int], é: str = '日本'")
    (tmp_path / "flow.py").write_text(text, encoding="utf-8")
    done = run(tmp_path, PYTHONIOENCODING="ascii", PYTHONUTF8="0")

    assert (1, "") == (done.returncode, done.stderr)
    assert r"\xe9: str = '\u65e5\u672c'" in done.stdout


def piped(cwd: Path, text: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run the linter in a folder with a text as standard input."""
    return subprocess.run([*COMMAND, *arguments], cwd=cwd, input=text, capture_output=True, timeout=60, check=False)


def test_standard_input_takes_the_place_of_a_file(faulty: Path) -> None:
    """With `--stdin-filename` the project around counts, the file's own text doesn't, and other files aren't told."""
    (faulty / "agent.py").write_text(FAULTY.partition("@Workflow")[0], encoding="utf-8")
    (faulty / "flow.py").write_text("x = = 1  # thena\n", encoding="utf-8")
    text = "from agent import Writer\nfrom thena_runtime import Workflow\n@Workflow(steps=[Writer, 1])\nclass Flow: ..."
    done = piped(faulty, text.encode(), "-", "--stdin-filename", "flow.py", "--output-format", "concise")

    expected = """\
flow.py:3:26: THN101 `Flow` has a value of type `int` as `steps[1]`, which is no step. \
Put an `@Agent` or `@Workflow` class, a `loop` or a `parallel` there.
Found 1 fault in 1 file.
"""
    assert (1, expected, b"") == (done.returncode, done.stdout.decode(), done.stderr)


def test_standard_input_alone(faulty: Path) -> None:
    """Without a name the text is judged by itself, wherever it comes from."""
    done = piped(faulty, b"\xef\xbb\xbf" + FAULTY.replace("\n", "\r\n").encode(), "-", "--output-format", "concise")
    clean = piped(faulty, CLEAN.encode(), "-")

    assert (1, "<stdin>.py:5:24: THN201") == (done.returncode, done.stdout.decode()[:23])
    assert (0, b"All clear: 1 file checked.\n", b"") == (clean.returncode, clean.stdout, clean.stderr)


@pytest.mark.parametrize(
    ("arguments", "text", "expected"),
    [
        (("-",), b"\xff", "standard input can't be read: invalid or missing encoding declaration. Save it "),
        (("-", "--stdin-filename", "a.txt"), b"", "a.txt` is no Python file. Name a `.py` file with --stdin-filename."),
        (("--stdin-filename", "a.py"), b"", "--stdin-filename names the file of standard input: give - as a path too"),
        (("-", "--watch"), b"", "standard input (-) can't be watched or edited: name the file"),
        (("--write-baseline",), b"", "--write-baseline needs --baseline FILE to write to"),
        (("--add-ignore", "--watch"), b"", "give one of --write-baseline, --add-ignore and --watch"),
        (
            ("--statistics", "--output-format", "sarif"),
            b"",
            "--statistics and --explain-unknown are told in the formats text and json only",
        ),
    ],
)
def test_what_does_not_fit_is_refused(faulty: Path, arguments: tuple[str, ...], text: bytes, expected: str) -> None:
    """Options that make no sense together, and a text that can't be read, are told; nothing is linted."""
    done = piped(faulty, text, *arguments)

    assert (2, b"") == (done.returncode, done.stdout)
    assert expected in done.stderr.decode()


def test_exit_zero(faulty: Path) -> None:
    """Faults are told and the exit code is 0; a failure is a failure still."""
    found, failed = lint(faulty, "--exit-zero"), lint(faulty, "--exit-zero", "gone")

    assert (0, 2) == (found.returncode, failed.returncode)
    assert "Found 1 fault in 1 file." in found.stdout


def test_a_command_may_be_named(faulty: Path) -> None:
    """`check` is what is done without a name; a folder that is called like a command is reached with `./`."""
    (faulty / "rules").mkdir()
    named, folder = lint(faulty, "check", "."), lint(faulty, "./rules")

    assert (1, 0) == (named.returncode, folder.returncode)
    assert "All clear: 0 files checked.\n" == folder.stdout


def test_explain_shows_the_page(tmp_path: Path) -> None:
    """The page is that of `thena explain`, for `rule` too; a code without one is answered with what was meant."""
    page, unknown = lint(tmp_path, "explain", "thn201"), lint(tmp_path, "rule", "THN105x")

    assert (0, True) == (page.returncode, page.stdout.startswith("# THN201 state-not-declared\n"))
    assert (2, "") == (unknown.returncode, unknown.stdout)
    assert (
        "thena-lint: there is no page for `THN105x`. Did you mean THN105? `thena-lint rules` lists all codes.\n"
        == unknown.stderr
    )


def test_explain_takes_names_and_beginnings(tmp_path: Path) -> None:
    """A name shows the page as its code does, in any case; what several begin with lists them, by code and name."""
    by_code, by_name, begun = (lint(tmp_path, "explain", one) for one in ("THN302", "Until-Arity", "until-ar"))
    several, names = lint(tmp_path, "explain", "thn50"), lint(tmp_path, "explain", "until-n")
    misspelt = lint(tmp_path, "explain", "until-airty")

    assert (0, by_code, by_code) == (by_code.returncode, by_name, begun)
    assert several.stdout == (
        "5 faults begin with `thn50`:\n\n- THN501 hook-arity\n- THN502 hook-never-called\n- THN503 hook-misspelt\n"
        "- THN504 hook-argument-mismatch\n- THN505 generator-hook\n"
    )
    assert names.stdout == (
        "3 faults begin with `until-n`:\n\n- THN301 until-needs-state\n- THN303 until-not-callable\n"
        "- THN307 until-never-true\n"
    )
    assert (0, 0, 2) == (several.returncode, names.returncode, misspelt.returncode)
    told = "there is no page for `until-airty`. Did you mean until-arity? `thena-lint rules` lists all codes."
    assert f"thena-lint: {told}\n" == misspelt.stderr


def test_rules_lists_every_fault(tmp_path: Path) -> None:
    """Each code has a line with its name, how bad it is and what it is; programs get the same as JSON."""
    text, rows = lint(tmp_path, "rules").stdout, json.loads(lint(tmp_path, "rules", "--output-format", "json").stdout)

    assert list(NAMES.items()) == [(row["code"], row["name"]) for row in rows]
    assert [row["meaning"] for row in rows] == [line.split(maxsplit=3)[3] for line in text.splitlines()]
    assert ["THN803"] == [row["code"] for row in rows if not row["is_on"]]
    assert "\nTHN803 output-becomes-speech   off         An agent reads the answer " in text


def test_what_is_not_imported() -> None:
    """The linter starts without the libraries that only a run, an editor or a watcher needs."""
    code = "import sys, thena_lint.check; print(sorted(set(sys.modules) & set(sys.argv)))"
    heavy = ["pydantic", "httpx", "rich", "pygls", "watchfiles", "thena_runtime"]
    done = subprocess.run([sys.executable, "-c", code, *heavy], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
