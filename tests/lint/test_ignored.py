"""What is left out because the user says so: with `.gitignore`, and with `exclude` in `pyproject.toml`."""

import random
from pathlib import Path

from tests.lint.test_cli import FAULTY
from tests.lint.test_pre_commit import git
from tests.support.tools import require_tool
from thena_lint.analyze import analyze
from thena_lint.source.discover import discover, is_among

PATHS = [
    *("a.py", "b.py", "ab.py", "build/a.py", "build/deep/b.py", "src/a.py", "src/build/a.py", "src/a/b.py"),
    *("gen/a_pb2.py", "gen/b.py", "x y.py", "#a.py", "!b.py", "src/deep/er/c.py", "c-d.py", "d]e.py"),
]
PIECES = ["a", "b", "build", "src", "deep", "gen", "*", "**", "?", "[ab]", "[!a]", "*.py", "a.py", "*_pb2.py", "er"]


def written(folder: Path, files: dict[str, str]) -> Path:
    """Write files into a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def kept_in(folder: Path) -> set[str]:
    """The names of the files that are linted."""
    return {path.relative_to(folder).as_posix() for path in discover([folder]).files}


def kept_by_git(folder: Path) -> set[str]:
    """The same as Git sees it."""
    listed = git(folder, "-c", "core.quotePath=off", "ls-files", "--others", "--exclude-standard", "-z", "--", "*.py")
    return {name for name in listed.split("\0") if name}


def random_patterns(chance: random.Random) -> str:
    """A `.gitignore` of a few lines that could be anybody's."""
    lines = []
    for _ in range(chance.randint(1, 4)):
        body = "/".join(chance.choice(PIECES) for _ in range(chance.randint(1, 3)))
        lines.append(f"{chance.choice(['', '', '!', '/'])}{body}{chance.choice(['', '', '/'])}")
    return "\n".join(lines) + "\n"


def test_patterns_mean_what_they_mean_to_git(tmp_path: Path) -> None:
    """For many files of patterns, and one more in a folder below, the same is left out as Git leaves out."""
    require_tool("git")
    written(tmp_path, dict.fromkeys(PATHS, ""))
    git(tmp_path, "init", "--quiet")
    chance = random.Random(5)
    cases = [
        ("# a comment\n\n\\#a.py\n\\!b.py\nx\\ y.py \n", ""),
        ("build/\n!build/a.py\n", "!a.py\n"),
        ("*.py\n!/src/\n!src/*.py\n", "*\n"),
        ("[a-c].py\n[!a]?.py\nc-[c-e].py\n[", "[]]e.py\nd[]]*\n"),
        ("/**/deep/**\n**/gen\nsrc/**/c.py\n", ""),
        *((random_patterns(chance), random_patterns(chance)) for _ in range(60)),
    ]
    for above, below in cases:
        written(tmp_path, {".gitignore": above, "src/.gitignore": below})

        assert (above, below, kept_by_git(tmp_path)) == (above, below, kept_in(tmp_path))


def test_both_ways_of_asking_agree(tmp_path: Path) -> None:
    """Whether a single file is linted is answered as if all were looked for, for files that don't exist as well."""
    chance = random.Random(6)
    written(tmp_path, dict.fromkeys(PATHS, ""))
    for _ in range(40):
        written(tmp_path, {".gitignore": random_patterns(chance), "src/.gitignore": random_patterns(chance)})
        asked = {name for name in PATHS if is_among(tmp_path / name, [tmp_path])}

        assert kept_in(tmp_path) == asked


def test_a_repository_counts_as_a_whole(tmp_path: Path) -> None:
    """What the folders above say holds up to the repository, and no further."""
    files = {
        ".gitignore": "*.py\n",
        "repo/.gitignore": "b.py\n",
        "repo/.git/HEAD": "",
        "repo/src/a.py": "",
        "repo/src/b.py": "",
    }
    written(tmp_path, files)

    assert ({"a.py"}, set()) == (kept_in(tmp_path / "repo" / "src"), kept_in(tmp_path))


def test_exclude_in_the_projects_settings(tmp_path: Path) -> None:
    """`exclude` takes the same patterns, and has the last word."""
    written(
        tmp_path,
        {
            "pyproject.toml": '[tool.thena.lint]\nexclude = ["vendor/", "*_pb2.py", "!kept.py"]\n',
            ".gitignore": "kept.py\n",
            **dict.fromkeys(["a.py", "kept.py", "vendor/b.py", "src/c_pb2.py"], ""),
        },
    )

    assert {"a.py", "kept.py"} == kept_in(tmp_path)


def test_what_is_named_is_linted(tmp_path: Path) -> None:
    """A file or folder on the command line is looked at, ignored or not."""
    written(tmp_path, {".gitignore": "build/\nflow.py\n", "flow.py": "", "build/a.py": ""})

    assert set() == kept_in(tmp_path)
    assert 2 == len(discover([tmp_path / "flow.py", tmp_path / "build"]).files)


def test_what_is_left_out_is_still_imported(tmp_path: Path) -> None:
    """An agent in an ignored folder is followed from a workflow, and told where it stands."""
    agent, flow = FAULTY.split("@Workflow")
    flow = f"from thena_runtime import Workflow\nfrom gen.agents import Writer\n@Workflow{flow}"
    written(tmp_path, {".gitignore": "gen/\n", "gen/agents.py": agent, "flow.py": flow})

    assert [tmp_path / "gen" / "agents.py"] == [Path(one.place.path) for one in analyze([tmp_path]).diagnostics]


def test_large_files_are_left_alone(tmp_path: Path) -> None:
    """A file of more than 1 MB isn't checked by itself; it is where another file uses it, and where it is named."""
    agent, flow = FAULTY.split("@Workflow")
    padding = "# " + "-" * 98 + "\n"
    large = agent.replace("self.s = s", "self.s = s\n" + padding * 10_001)
    written(tmp_path, {"large.py": large, "broken.py": "x = = 1\n" + padding * 10_001})

    assert () == analyze([tmp_path]).diagnostics
    assert ["THN901"] == [one.code for one in analyze([tmp_path / "broken.py"]).diagnostics]

    written(tmp_path, {"flow.py": f"from thena_runtime import Workflow\nfrom large import Writer\n@Workflow{flow}"})

    assert [("THN201", "large.py")] == [
        (one.code, Path(one.place.path).name) for one in analyze([tmp_path]).diagnostics
    ]
