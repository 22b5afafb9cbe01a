"""`thena-lint --fix`, `--unsafe-fixes` and `--diff` as a process: what is written, what is told, and the exit code."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from thena_lint.edit import FileCreation, Rewrite
from thena_lint.write import WriteError, create, rewrite

HEAD = """\
from thena_runtime import Agent, Prompt, ScriptedProvider, State, Thena, Workflow


class Draft:
    approved = False


@Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("x"))
class Writer:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s

"""
HOOK = "    def afterResponse(self, response: str) -> None: ...\n"
FLOW = """

@Workflow(steps=[Writer])
class Flow: ...


app = Thena(Flow)
"""
FAULTY = HEAD + HOOK + FLOW
SAFELY_FIXED = FAULTY.replace("@Workflow(steps", "@Workflow(state=Draft, steps")
FIXED = SAFELY_FIXED.replace("afterResponse", "after_response")


def run(cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the linter in a folder."""
    command = [sys.executable, "-m", "thena_lint", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    """A faulty file, alone in its folder."""
    path = tmp_path / "flow.py"
    path.write_bytes(FAULTY.encode())
    return path


def test_a_report_tells_what_can_be_fixed(flow: Path) -> None:
    """Without options nothing is changed; what can be fixed for certain is marked."""
    done = run(flow.parent)

    assert done.returncode == 1
    assert done.stdout.startswith("flow.py:10:24: THN201 [*] `Writer.__init__` parameter 0 `s` asks")
    assert "\nflow.py:13:9: THN503 `Writer.afterResponse` is never called" in done.stdout
    assert done.stdout.endswith(
        "Found 2 faults in 1 file.\n[*] 1 fixable with `--fix` (1 more with `--fix --unsafe-fixes`).\n"
    )
    assert flow.read_text() == FAULTY


def test_fix_repairs_what_is_certain(flow: Path) -> None:
    """Only safe fixes are written; what remains is reported and decides the exit code."""
    done = run(flow.parent, "--fix")

    assert done.returncode == 1
    assert done.stdout.startswith("flow.py:13:9: THN503 ")
    assert done.stdout.endswith("Found 2 faults (1 fixed, 1 remaining).\n1 fixable with `--fix --unsafe-fixes`.\n")
    assert flow.read_text() == SAFELY_FIXED


def test_unsafe_fixes_have_to_be_asked_for(flow: Path) -> None:
    """With both options everything is repaired, and the exit code is that of a clean project."""
    done = run(flow.parent, "--fix", "--unsafe-fixes")

    assert (done.returncode, done.stdout) == (0, "Found 2 faults (2 fixed, 0 remaining).\n")
    assert flow.read_text() == FIXED
    assert run(flow.parent, "--fix").stdout == "All clear: 1 file checked.\n"


def test_diff_changes_nothing(flow: Path) -> None:
    """A diff shows what would be changed, the exit code says that something would be, and the file stays as it is."""
    done = run(flow.parent, "--diff")

    assert (done.returncode, done.stderr) == (1, "Would fix 1 of 2 faults.\n")
    assert done.stdout == (
        "--- flow.py\n+++ flow.py\n@@ -13,7 +13,7 @@\n     def afterResponse(self, response: str) -> None: ...\n"
        " \n \n-@Workflow(steps=[Writer])\n+@Workflow(state=Draft, steps=[Writer])\n class Flow: ...\n \n \n"
    )
    assert flow.read_text() == FAULTY


def test_a_diff_can_be_applied(flow: Path) -> None:
    """Git takes the diff, files that are to be made included."""
    text = FAULTY.replace('prompt=Prompt("x")', 'prompt="./writer.agent.md"').rstrip("\n")
    flow.write_text(text)
    diff = run(flow.parent, "--diff", "--unsafe-fixes").stdout
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(flow.parent.parent)}
    subprocess.run(["git", "apply", "-p0"], cwd=flow.parent, input=diff, text=True, check=True, env=environment)

    assert flow.read_text() == FIXED.replace('prompt=Prompt("x")', 'prompt="./writer.agent.md"').rstrip("\n")
    assert (flow.parent / "writer.agent.md").read_text().startswith("# Writer\n")
    assert run(flow.parent).returncode == 0


def test_nothing_to_fix_is_no_difference(flow: Path) -> None:
    """A diff of nothing is empty and exits with 0, whatever else is reported."""
    flow.write_text(SAFELY_FIXED)
    done = run(flow.parent, "--diff")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "Would fix 0 of 1 fault.\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (FAULTY.encode("utf-8-sig"), SAFELY_FIXED.encode("utf-8-sig")),
        (FAULTY.replace("\n", "\r\n").encode(), SAFELY_FIXED.replace("\n", "\r\n").encode()),
        (
            f"# coding: latin-1\n# caf\xe9\n{FAULTY}".encode("latin-1"),
            f"# coding: latin-1\n# caf\xe9\n{SAFELY_FIXED}".encode("latin-1"),
        ),
        (FAULTY.replace("    ", "\t").encode(), SAFELY_FIXED.replace("    ", "\t").encode()),
        (FAULTY.rstrip("\n").encode(), SAFELY_FIXED.rstrip("\n").encode()),
    ],
    ids=["byte order mark", "CRLF", "latin-1", "tabs", "no last newline"],
)
def test_all_else_stays_as_it_is(flow: Path, before: bytes, after: bytes) -> None:
    """Encoding, marks, ends of lines and tabs are those of the file."""
    flow.write_bytes(before)
    run(flow.parent, "--fix")

    assert after == flow.read_bytes()


def test_mode_and_links_are_kept(flow: Path) -> None:
    """A program stays one, and a link still leads to its file, which is the one that is changed."""
    real = flow.parent / "real" / "flow.txt"
    real.parent.mkdir()
    flow.rename(real)
    real.chmod(0o750)
    flow.symlink_to(real)
    run(flow.parent, "--fix", "flow.py")

    assert flow.is_symlink()
    assert (real.read_text(), stat.S_IMODE(real.stat().st_mode)) == (SAFELY_FIXED, 0o750)
    assert [real] == list(real.parent.iterdir())


def test_a_file_that_cannot_hold_the_text_is_left_alone(flow: Path) -> None:
    """A text in letters that the file's encoding doesn't have isn't written."""
    flow.write_bytes(b"# coding: latin-1\n")
    with pytest.raises(WriteError) as refused:
        rewrite(Rewrite(path=flow, before="# coding: latin-1\n", after="# coding: latin-1\n\u2192\n"))

    assert str(refused.value) == f"`{flow}` can't hold `\u2192` in its encoding. Save it as UTF-8."
    assert flow.read_bytes() == b"# coding: latin-1\n"


def test_a_file_that_has_changed_is_left_alone(flow: Path) -> None:
    """What somebody has written since the file was read isn't overwritten."""
    flow.write_text("mine\n")
    with pytest.raises(WriteError) as refused:
        rewrite(Rewrite(path=flow, before=FAULTY, after=FIXED))

    assert str(refused.value) == f"`{flow}` has changed since it was read. Run it again."
    assert (flow.read_text(), [flow]) == ("mine\n", list(flow.parent.iterdir()))


def test_a_new_file_never_replaces_one(flow: Path) -> None:
    """A file that is to be made and is there by now stays what it is, and isn't said to be made."""
    new = FileCreation(flow.parent / "new" / "prompt.md", "Write.\n")

    assert [False, True, False] == [create(one) for one in (FileCreation(flow, "another"), new, new)]
    assert flow.read_text() == FAULTY
    assert (flow.parent / "new" / "prompt.md").read_text() == "Write.\n"


def test_a_folder_that_cannot_be_made_is_told(flow: Path) -> None:
    """A file where the folder of a new file would be is told, and stays."""
    with pytest.raises(WriteError) as refused:
        create(FileCreation(flow / "prompt.md", "Write.\n"))

    assert (FAULTY, f"`{flow / 'prompt.md'}` can't be made: File exists.") == (flow.read_text(), str(refused.value))


def test_a_file_that_is_made_is_named(flow: Path) -> None:
    """Standard error names each new file as it would be typed; the report is as ever, and a diff makes none."""
    flow.write_text(FIXED.replace('prompt=Prompt("x")', 'prompt="./prompts/writer.agent.md"'))
    shown = run(flow.parent, "--unsafe-fixes", "--diff")
    made = run(flow.parent, "--unsafe-fixes", "--fix")
    again = run(flow.parent, "--unsafe-fixes", "--fix")

    assert (1, "Would fix 1 of 1 fault.\n") == (shown.returncode, shown.stderr)
    assert (0, "Found 1 fault (1 fixed, 0 remaining).\n") == (made.returncode, made.stdout)
    assert "Created `prompts/writer.agent.md`.\n" == made.stderr
    assert (flow.parent / "prompts" / "writer.agent.md").is_file()
    assert ("All clear: 1 file checked.\n", "") == (again.stdout, again.stderr)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to this user")
def test_a_file_that_cannot_be_written_is_told(flow: Path) -> None:
    """What can't be written is told, and the exit code is 2."""
    flow.parent.chmod(0o500)
    try:
        done = run(flow.parent, "--fix")
    finally:
        flow.parent.chmod(0o700)

    assert (done.returncode, done.stderr) == (2, "thena-lint: `flow.py` can't be written: Permission denied.\n")


def test_what_was_written_is_never_told_again(flow: Path) -> None:
    """Whoever takes a fix back gets it again, though the same was asked and answered before; a clean answer is kept."""
    (flow.parent / "pyproject.toml").write_text("")
    told = []
    for text in (FAULTY, FAULTY, FIXED, FIXED):
        flow.write_text(text)
        told.append(run(flow.parent, "--fix", "--unsafe-fixes").stdout)

        assert flow.read_text() == FIXED
    assert told == [*["Found 2 faults (2 fixed, 0 remaining).\n"] * 2, *["All clear: 1 file checked.\n"] * 2]


def test_a_prompt_in_other_letters_is_seen_at_once(flow: Path) -> None:
    """The mark of what can be fixed is right, whatever came into a folder of prompts since the last run."""
    (flow.parent / "pyproject.toml").write_text("")
    flow.write_text(FIXED.replace('prompt=Prompt("x")', 'prompt="./writer.agent.md"'))
    before = run(flow.parent).stdout
    (flow.parent / "Writer.agent.md").write_text("Write.\n")
    after = run(flow.parent).stdout

    assert before.endswith("Found 1 fault in 1 file.\n1 fixable with `--fix --unsafe-fixes`.\n")
    assert after.endswith("Found 1 fault in 1 file.\n[*] 1 fixable with `--fix`.\n")


def test_standard_input_comes_back_fixed(flow: Path) -> None:
    """With `--fix` the fixed text is on standard output, what is left on standard error, and no file is changed."""
    flow.write_text("")
    command = [sys.executable, "-m", "thena_lint", "--fix", "-", "--stdin-filename", "flow.py"]
    done = subprocess.run(
        command, cwd=flow.parent, input=FAULTY, capture_output=True, text=True, timeout=60, check=False
    )

    assert (done.returncode, done.stdout, flow.read_text()) == (1, SAFELY_FIXED, "")
    assert done.stderr.startswith("flow.py:13:9: THN503 ")
    assert done.stderr.endswith("Found 2 faults (1 fixed, 1 remaining).\n1 fixable with `--fix --unsafe-fixes`.\n")


def test_what_is_known_already_is_left_alone(flow: Path) -> None:
    """Faults of a baseline, and those that nobody wants to be told, aren't repaired."""
    run(flow.parent, "--baseline", "known.json", "--write-baseline")
    known = run(flow.parent, "--fix", "--unsafe-fixes", "--baseline", "known.json")
    unwanted = run(flow.parent, "--fix", "--unsafe-fixes", "--ignore", "THN201")

    assert (known.returncode, known.stdout) == (0, "All clear: 1 file checked.\n")
    assert (unwanted.returncode, unwanted.stdout) == (0, "Found 1 fault (1 fixed, 0 remaining).\n")
    assert flow.read_text() == FAULTY.replace("afterResponse", "after_response")
