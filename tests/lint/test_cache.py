"""Answers that are kept: the same as those of a run that keeps nothing, whatever happens to the files in between."""

import io
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thena_lint.cache.place import place_of_answer
from thena_lint.cache.recall import recall
from thena_lint.cache.remember import remember
from thena_lint.cache.shelf import take
from thena_lint.check import check
from thena_lint.request import Check

AGENTS = """from thena_runtime import Agent, ScriptedProvider, State

@Agent(provider=ScriptedProvider(["x"]), prompt="./writer.agent.md")
class Writer:
    def __init__(self, s: State[int]) -> None:
        self.s = s
"""
FLOW = """from thena_runtime import Workflow
from agents import Writer
from extra import *

@Workflow(steps=[Writer])
class Flow:
    pass
"""
DOOR = "from thena_runtime import Tool\n"
BEHIND = '@Tool(nane="x")\nclass Look: ...\n'
TEXTS = (
    AGENTS,
    AGENTS.replace("State[int]", "State[str]"),
    AGENTS.replace("s: State[int]", "s: int = 1"),
    FLOW,
    FLOW.replace("steps=", "state=int, steps="),
    FLOW.replace("[Writer]", "[Wroter]"),
    DOOR,
    f"from door import Tool\n{BEHIND}",
    "Writer = 1\n",
    "Writer = 2\n",
    "class Broken(:\n",
    "",
)
FILES = ("agents.py", "flow.py", "extra.py", "door.py", "more/agents.py", "more/__init__.py", "extra.pyi")
HEAVY = ("libcst", "pydantic", "httpx", "rich", "watchfiles", "pygls", "argparse", "dataclasses", "pathlib", "re")
LIMITED = """
import resource, sys
from thena_lint.__main__ import main
resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
sys.argv = ["thena-lint"]
sys.exit(main())
"""
"""The linter, on a disk that takes small files only."""

LATER = 5_000_000_000
TICK = 0.012
"""Longer than the clock of any usual disk takes to go on."""

Told = tuple[int, str]


def told(run: Callable[[], int]) -> Told:
    """The exit code of a run, and what it writes to standard output."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        code = run()
    return code, out.getvalue()


def plain() -> Told:
    """What a run without a cache tells of the current folder."""
    return told(lambda: check(Check()))


def cached(*, is_later: bool) -> Told:
    """What a run with a cache tells of the current folder: now, or as if the last edit were some seconds ago."""
    now = time.time_ns() + (LATER if is_later else 0)

    def run() -> int:
        known = recall([], now)
        if known is None:
            return remember([], lambda: check(Check()), now)
        sys.stdout.write(known.text)
        return known.code

    return told(run)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a faulty project."""
    begin(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def begin(folder: Path) -> None:
    """Write a faulty project."""
    (folder / "pyproject.toml").write_text("", encoding="utf-8")
    (folder / "flow.py").write_text(FLOW, encoding="utf-8")
    (folder / "agents.py").write_text(AGENTS, encoding="utf-8")


def command(*arguments: str) -> list[str]:
    """The linter as a command."""
    return [sys.executable, "-m", "thena_lint", *arguments]


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the linter in a folder, as a process."""
    return subprocess.run(
        command(*arguments), cwd=folder, capture_output=True, text=True, timeout=120, check=False, env=environment()
    )


def environment() -> dict[str, str]:
    """This process's own, in which the linter is found from any folder."""
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}


paths = st.sampled_from(FILES)
edits = st.one_of(
    st.tuples(st.just("write"), paths, st.sampled_from(TEXTS)),
    st.tuples(st.just("write and put the time back"), paths, st.sampled_from(TEXTS)),
    st.tuples(st.just("rename"), paths, paths),
    st.tuples(st.just("delete"), paths, st.just("")),
    st.tuples(st.just("touch"), paths, st.just("")),
    st.tuples(st.just("link"), paths, paths),
    st.tuples(st.just("make a folder"), paths, st.just("")),
    st.tuples(st.just("write"), st.just("writer.agent.md"), st.sampled_from(("x", ""))),
    st.tuples(st.just("delete"), st.just("writer.agent.md"), st.just("")),
    st.tuples(st.just("write"), st.just(".gitignore"), st.sampled_from(("agents.py", "more/", ""))),
    st.tuples(
        st.just("write"), st.just("pyproject.toml"), st.sampled_from(("[tool.thena.lint]\nexclude = ['flow.py']\n", ""))
    ),
    st.tuples(
        st.just("write"),
        st.just("thena.toml"),
        st.sampled_from(("[lint]\nignore = ['THN2']\n", "[lint]\nignroe = []\n", "")),
    ),
    st.tuples(st.just("delete"), st.sampled_from(("thena.toml", "pyproject.toml")), st.just("")),
    st.tuples(st.just("make a folder"), st.just(".git/x"), st.just("")),
)


def carry_out(what: str, name: str, other: str) -> None:
    """Do something to the files of the current folder; what can't be done isn't."""
    path = Path(name)
    try:
        path.parent.mkdir(exist_ok=True)
        if what == "write":
            path.write_text(other, encoding="utf-8")
        elif what == "write and put the time back":
            before = path.stat()
            path.write_text(other.ljust(before.st_size)[: before.st_size], encoding="utf-8")
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        elif what == "rename":
            Path(other).parent.mkdir(exist_ok=True)
            path.rename(other)
        elif what == "delete":
            path.unlink()
        elif what == "touch":
            path.touch()
        elif what == "link":
            path.symlink_to(Path(other).absolute())
        elif what == "make a folder":
            path.unlink(missing_ok=True)
            path.mkdir()
    except OSError:
        return


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.lists(edits, min_size=1, max_size=2), st.booleans()), max_size=8))
def test_a_run_with_a_cache_tells_what_one_without_tells(steps: list[tuple[list[tuple[str, str, str]], bool]]) -> None:
    """After whatever edits, renames, deletions and settings, and whether or not times can be trusted yet."""
    before = Path.cwd()
    with TemporaryDirectory() as name:
        try:
            begin(Path(name))
            os.chdir(name)
            assert plain() == cached(is_later=True) == cached(is_later=True)
            for several, is_later in steps:
                time.sleep(TICK)
                for edit in several:
                    carry_out(*edit)
                assert plain() == cached(is_later=is_later), "the first time"
                assert plain() == cached(is_later=is_later), "the second time"
        finally:
            os.chdir(before)


def test_an_answer_that_stands_is_given_again(project: Path) -> None:
    """The second answer isn't found out anew, right after an edit as well as later; one that changed things is."""
    assert [None, False, False] == [recall([]), *(answer is None for answer in answers_after(project, lambda: None))]
    assert [True, True] == [answer is None for answer in answers_after(project, (project / "new.py").touch)]
    assert [True, True] == [
        answer is None for answer in answers_after(project, lambda: (project / "agents.py").write_text("# thena"))
    ]


def answers_after(project: Path, edit: Callable[[], object]) -> Iterator[object]:
    """What is recalled now and later, when a run was remembered and something was edited after it."""
    for later in (0, LATER):
        cached(is_later=False)
        edit()
        yield recall([], time.time_ns() + later)
        (project / "new.py").unlink(missing_ok=True)
        begin(project)


def test_what_makes_no_difference_costs_no_answer(project: Path) -> None:
    """Files of other kinds, a touched file, and an edit in a file that mentions nothing of ours change nothing."""
    (project / "other.py").write_text("x = 1\n", encoding="utf-8")
    cached(is_later=False)
    (project / "other.py").write_text("y = 2\n", encoding="utf-8")
    (project / "agents.py").touch()
    (project / "notes.txt").write_text("", encoding="utf-8")
    (project / "__pycache__").mkdir()

    assert recall([]) is not None
    (project / "other.py").write_text("import thena_runtime\n", encoding="utf-8")
    assert recall([]) is None


def test_another_question_has_another_answer(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other arguments, another folder, another environment of the report: none takes another's answer."""
    cached(is_later=False)
    places = {place_of_answer([])}
    places.add(place_of_answer(["--output-format", "json"]))
    monkeypatch.setenv("NO_COLOR", "1")
    places.add(place_of_answer([]))
    (project / "more").mkdir()
    monkeypatch.chdir(project / "more")
    places.add(place_of_answer([]))

    assert 4 == len(places)
    assert {project / ".thena_cache" / "lint"} == {Path(place).parent for place in places if place is not None}


def test_where_answers_are_kept(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the project's folder, in that of the variable, or in that of the option; or nowhere."""
    monkeypatch.setenv("THENA_CACHE_DIR", str(tmp_path / "variable"))
    folders = [
        place_of_answer(arguments) for arguments in (["--cache-dir", "x"], ["--cache-dir=y"], [], ["--no-cache"])
    ]
    monkeypatch.delenv("THENA_CACHE_DIR")

    assert [project / "x", project / "y", tmp_path / "variable", None] == [
        None if place is None else Path(place).parent for place in folders
    ]
    assert place_of_answer(["--", "--no-cache"]) is not None


def test_an_answer_needs_no_parser(project: Path) -> None:
    """What a second run imports is little: no parser, nothing of what the other packages need."""
    script = (
        "import sys; from thena_lint.__main__ import main; code = main();"
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr); sys.exit(code)"
    )
    first, second = (
        subprocess.run(
            [
                sys.executable,
                "-S",
                "-E",
                "-c",
                f"sys_path = {sys.path!r}; import sys; sys.path[:] = sys_path; {script}",
            ],
            cwd=project,
            capture_output=True,
            text=True,
            check=False,
        )
        for _ in range(2)
    )

    assert (1, first.stdout, "[]\n") == (second.returncode, second.stdout, second.stderr)
    assert "'libcst'" in first.stderr


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_spoilt_answers_are_no_answers(data: st.DataObject) -> None:
    """Whatever bytes stand in an answer's place: it is told, found out anew, and kept anew."""
    before = Path.cwd()
    with TemporaryDirectory() as name:
        try:
            begin(Path(name))
            os.chdir(name)
            expected = cached(is_later=False)
            place = Path(place_of_answer([]) or "")
            whole = place.read_bytes()
            place.write_bytes(data.draw(spoilt(whole)))
            is_whole = place.read_bytes() == whole
            notes = io.StringIO()
            with redirect_stderr(notes):
                answer = take(str(place))
            assert (is_whole, "" if is_whole else expected_note(place)) == (answer is not None, notes.getvalue())
            assert expected == cached(is_later=False)
            assert whole == place.read_bytes() or take(str(place)) is not None
        finally:
            os.chdir(before)


def expected_note(place: Path) -> str:
    """What is told of an answer that is spoilt."""
    return f"thena-lint: `{place}` is spoilt, so nothing is taken from it. It is made anew.\n"


@st.composite
def spoilt(draw: st.DrawFn, whole: bytes) -> bytes:
    """Bytes that were an answer, or never were."""
    start = draw(st.integers(0, len(whole)))
    end = draw(st.integers(start, len(whole)))
    return draw(st.sampled_from((whole[:start] + whole[end:], whole[:start], draw(st.binary(max_size=200))))) + draw(
        st.sampled_from((b"", b"\0", whole))
    )


def test_a_folder_that_can_not_be_used_is_told(project: Path) -> None:
    """A file in its place, and a disk that takes no more: the report is as ever, with a note."""
    (project / "taken").write_text("", encoding="utf-8")
    usual = run(project, "--no-cache")
    taken = run(project, "--cache-dir", "taken")
    limited = subprocess.run(
        [
            sys.executable,
            "-c",
            LIMITED,
        ],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        env={**environment(), "PYTHONDONTWRITEBYTECODE": "1"},
    )

    repair = "Name another folder with --cache-dir, or use --no-cache."
    assert (1, usual.stdout, usual.stdout) == (usual.returncode, taken.stdout, limited.stdout)
    assert [f"can't be used: File exists. {repair}", f"can't be used: File too large. {repair}"] == [
        done.stderr.strip().partition("` ")[2] for done in (taken, limited)
    ]
    assert [".gitignore", "CACHEDIR.TAG", "lint"] == sorted(one.name for one in (project / ".thena_cache").iterdir())
    assert [] == list((project / ".thena_cache" / "lint").iterdir())


def test_runs_at_the_same_time_do_not_disturb_each_other(project: Path) -> None:
    """Several at once, of which each may read what another writes, tell the same; what is left is whole."""
    expected = run(project, "--no-cache").stdout
    started = [
        subprocess.Popen(
            command(), cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
        )
        for _ in range(4)
    ]
    done = [process.communicate(timeout=120) for process in started]
    kept = list((project / ".thena_cache" / "lint").iterdir())

    assert [(expected, "")] * 4 == done
    assert [True] == [take(str(place)) is not None for place in kept]


def test_git_and_backups_pass_it_over(project: Path) -> None:
    """The folder says of itself that it is nobody's source."""
    cached(is_later=False)

    assert "*\n" == (project / ".thena_cache" / ".gitignore").read_text()
    assert (
        (project / ".thena_cache" / "CACHEDIR.TAG")
        .read_text()
        .startswith("Signature: 8a477f597d28d172789f06886806bc55\n")
    )


def test_all_that_is_read_is_what_an_answer_rests_on(project: Path) -> None:
    """No file of a project is opened, or found missing, without the answer's knowing of it."""
    (project / ".gitignore").write_text("ignored.py\n", encoding="utf-8")
    (project / "ignored.py").write_text("Extra = 1\n", encoding="utf-8")
    (project / "extra.py").write_text("from ignored import *\n", encoding="utf-8")
    script = """
import os, sys
from thena_lint.cache.remember import remember
from thena_lint.cache.recall import recall
from thena_lint.check import check
from thena_lint.request import Check
opened = set()
def watch(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, os.PathLike)):
        opened.add(os.path.abspath(os.fspath(arguments[0])))
sys.addaudithook(watch)
sys.argv = ["thena-lint"]
remember([], lambda: check(Check()))
answer = recall([])
known = {os.path.join(path, name) for path, folder in answer.folders.items() for name in folder.looked_at}
known |= {one for one in opened if os.path.dirname(one) in answer.folders and not os.path.exists(one)}
print(*sorted(os.path.basename(one) for one in opened if one.startswith(os.getcwd()) and ".thena_cache" not in one),
      file=sys.stderr)
print(*sorted(os.path.basename(one) for one in opened - known - set(answer.contents) - set(answer.kinds)
      if one.startswith(os.getcwd()) and ".thena_cache" not in one), file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=project, capture_output=True, text=True, check=True, env=environment()
    )

    assert [
        ".gitignore agents.py extra.py flow.py ignored.py pyproject.toml thena.toml",
        "",
    ] == done.stderr.splitlines()
