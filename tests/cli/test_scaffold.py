"""`thena new` and `thena generate`: what they make works at once, and what they refuse."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.thena_process import LONGEST_WAIT, environment, thena
from tests.support.repositories import commit, committed, git, pre_commit
from tests.support.tools import require_tool
from thena_cli.scaffold.files import FileThereError, NewFile, write_all
from thena_cli.scaffold.names import NameRefusedError, part_name, project_name
from thena_cli.scaffold.part import KINDS
from thena_cli.scaffold.project import project_files

ROOT = Path(__file__).parents[2]
OFFLINE = {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}


def python(*arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    """Run Python with this checkout importable, and no model set up."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**environment(), **OFFLINE, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=LONGEST_WAIT,
        check=False,
    )


def lint(folder: Path) -> tuple[str, int]:
    """What `thena-lint` says of a folder."""
    done = python("-m", "thena_lint", cwd=folder)
    return done.stdout.partition(":")[0], done.returncode


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder of a fresh project."""
    write_all(project_files(project_name("my-app"), tmp_path / "my-app"))
    return tmp_path / "my-app"


@pytest.mark.behaviour("W58")
def test_a_new_project_works_at_once(tmp_path: Path) -> None:
    """It lints clean, its test passes without a network, it starts as a program, and `thena dev` runs it."""
    made = thena("new", "my-app", cwd=tmp_path)
    folder = tmp_path / "my-app"
    assert ("", 0) == (made.stderr, made.returncode)
    files = sorted(str(path.relative_to(tmp_path)) for path in folder.rglob("*") if path.is_file())
    assert files == sorted(line.split()[1] for line in made.stdout.splitlines() if line.startswith("created"))
    assert ("All clear", 0) == lint(folder)
    tested = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:asyncio", cwd=folder)
    assert (True, 0) == ("1 passed" in tested.stdout, tested.returncode), tested.stdout
    said = "This is a script. Set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own, to ask a model.\n"
    assert said == python("-m", "my_app", "Hello", cwd=folder).stdout
    ran = python("-m", "thena_cli", "dev", "my_app", "--once", cwd=folder)
    assert (0, True, True) == (ran.returncode, said in ran.stdout, "tool take_note" in ran.stdout), ran.stdout


def test_the_hook_of_a_new_project_sees_every_change(project: Path, tmp_path: Path) -> None:
    """A commit that only deletes a prompt is stopped, and so is one that only changes the settings for the worse."""
    require_tool("git")
    cache = tmp_path / "cache"
    committed(project)
    pre_commit("install", cwd=project, cache=cache).check_returncode()
    git(project, "rm", "--quiet", "my_app/assistant.agent.md")
    deleting = commit(project, cache=cache)
    git(project, "reset", "--quiet", "--hard")
    with (project / "pyproject.toml").open("a", encoding="utf-8") as settings:
        settings.write('\n[tool.thena.lint]\nselct = ["THN2"]\n')
    git(project, "add", "pyproject.toml")
    configuring = commit(project, cache=cache)
    git(project, "reset", "--quiet", "--hard")
    git(project, "rm", "--quiet", "README.md")
    right = commit(project, cache=cache)

    assert (1, True) == (deleting.returncode, " THN105 " in deleting.stderr), deleting.stderr
    assert (1, True) == (configuring.returncode, " THN904 `selct` " in configuring.stderr), configuring.stderr
    assert 0 == right.returncode, right.stderr
    assert ["next", "all"] == git(project, "log", "--format=%s").splitlines()


def test_what_is_generated_fits_into_the_project(project: Path) -> None:
    """Every kind lints clean and is imported as it is said; the project still starts without a name."""
    said = []
    for kind in KINDS:
        done = thena("generate", kind, f"text-{kind}-maker", cwd=project)
        assert ("", 0) == (done.stderr, done.returncode)
        said.append(next(line for line in done.stdout.splitlines() if "import" in line).strip())
    assert "from my_app.text_agent_maker import TextAgentMaker" == said[0]
    assert ("All clear", 0) == lint(project)
    imported = python("-c", "\n".join(said), cwd=project)
    assert ("", 0) == (imported.stderr, imported.returncode)
    assert "workflow Assist" in thena("check", ".", cwd=project).stdout
    assert "workflow TextWorkflowMaker" in thena("check", "my_app.text_workflow_maker", cwd=project).stdout


def test_without_a_model_of_the_project_a_script_stands_in(tmp_path: Path) -> None:
    """A package that has no `models.py` gets parts that lint clean too, wherever it is."""
    package = tmp_path / "src" / "shop"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("", encoding="utf-8")
    for kind in ("agent", "workflow"):
        done = thena("generate", kind, f"Shop{kind}", "--into", "src/shop", cwd=tmp_path)
        assert ("", 0) == (done.stderr, done.returncode)
    assert ("All clear", 0) == lint(tmp_path)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("../evil", "Begin with a letter, and go on with letters, digits and single hyphens"),
        ("/tmp/evil", "Begin with a letter"),
        ("2fast", "Begin with a letter"),
        ("my app", "Begin with a letter"),
        ("my--app", "Begin with a letter"),
        ("naïve", "Begin with a letter"),
        ("", "Begin with a letter"),
        ("class", "is a word of Python's own"),
        ("Match", "is a word of Python's own"),
        ("json", "there is a module `json` already"),
        ("Thena", "there is a module `thena` already"),
        ("thena-runtime", "there is a module `thena_runtime` already"),
        ("tests", "there is a module `tests` already"),
        ("pydantic", "there is a module `pydantic` already"),
    ],
)
@pytest.mark.behaviour("W58")
def test_a_name_that_no_project_can_have_is_refused(name: str, told: str) -> None:
    """Nothing leaves the folder, and nothing that Python couldn't import is made."""
    with pytest.raises(NameRefusedError) as refused:
        project_name(name)
    assert f"`{name}`" in str(refused.value) and told in str(refused.value)


@pytest.mark.parametrize(
    ("text", "name", "snake"),
    [
        ("Summarizer", "Summarizer", "summarizer"),
        ("text-summarizer", "TextSummarizer", "text_summarizer"),
        ("text_summarizer", "TextSummarizer", "text_summarizer"),
        ("TextSummarizer", "TextSummarizer", "text_summarizer"),
        ("textSummarizer", "TextSummarizer", "text_summarizer"),
        ("HTTPClient", "HTTPClient", "http_client"),
        ("gpt4", "Gpt4", "gpt_4"),
    ],
)
def test_a_part_may_be_named_in_any_usual_form(text: str, name: str, snake: str) -> None:
    """The class is in CamelCase, the file in snake_case."""
    part = part_name(text, "agent")
    assert (name, snake) == (part.name, part.snake)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Agent", "`Agent` can't name an agent: Thena has its own `Agent`, which the class would hide. "),
        ("state", "Thena has its own `State`"),
        ("Exception", "Python has its own `Exception`"),
        ("a/b", "`a/b` can't name an agent. Begin with a letter"),
        ("import", "`import` is a word of Python's own"),
    ],
)
def test_a_name_that_no_part_can_have_is_refused(text: str, told: str) -> None:
    """What the class would hide, and what is no name."""
    with pytest.raises(NameRefusedError) as refused:
        part_name(text, "agent")
    assert told in str(refused.value)


def test_nothing_is_overwritten(project: Path) -> None:
    """A folder with something in it and a file that is there are told, and stay as they are."""
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    again = thena("new", "my-app", cwd=project.parent)
    told = "thena: `my-app` is there and isn't empty. Take another name, or empty it first.\n"
    assert ("", told, 2) == (again.stdout, again.stderr, again.returncode)
    (project / "my_app" / "helper.agent.md").write_text("mine", encoding="utf-8")
    part = thena("generate", "agent", "Helper", cwd=project)
    told = "thena: `my_app/helper.agent.md` is there already, and nothing was written. Take another name.\n"
    assert ("", told, 2) == (part.stdout, part.stderr, part.returncode)
    assert before == {path: path.read_bytes() for path in before}
    assert not (project / "my_app" / "helper.py").exists()


def test_a_project_that_cant_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    """What was made before the failure is taken away again."""
    blocked = tmp_path / "new" / ("x" * 300) / "file"
    with pytest.raises(OSError) as failed:
        write_all([NewFile(tmp_path / "new" / "first", "text"), NewFile(blocked, "text")])
    assert not isinstance(failed.value, FileThereError)
    assert [] == list(tmp_path.iterdir())


def test_what_stands_in_the_way_is_told(tmp_path: Path) -> None:
    """A file or a link where the folder would be, and names that no file can have, are no fault of Thena."""
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    (tmp_path / "link").symlink_to("nowhere")
    long = "x" * 300
    told = {
        ("new", "file"): "thena: `file` is there and is no folder. Take another name.\n",
        ("new", "link"): "thena: `link` is there and is no folder. Take another name.\n",
        ("new", long): f"thena: `{long}` can't be written: File name too long. Nothing was left behind.\n",
        (
            "generate",
            "tool",
            "Search",
            "--into",
            long,
        ): f"thena: `{long}` is no folder. Name the folder of a package.\n",
    }
    done = {arguments: thena(*arguments, cwd=tmp_path) for arguments in told}
    assert told == {arguments: each.stderr for arguments, each in done.items()}
    assert {2} == {each.returncode for each in done.values()}
    assert ["file", "link"] == sorted(path.name for path in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("packages", "told"),
    [
        ([], "there is no package in `"),
        (["one", "two"], "there are several packages here: `one`, `two`. Say with `--into` which one is meant."),
    ],
)
def test_where_a_part_belongs_must_be_clear(tmp_path: Path, packages: list[str], told: str) -> None:
    """Without exactly one package nothing is written, and the exit code is 2."""
    for name in packages:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("", encoding="utf-8")
    done = thena("generate", "tool", "Search", cwd=tmp_path)
    assert ("", 2, True) == (done.stdout, done.returncode, done.stderr.startswith(f"thena: {told}"))
