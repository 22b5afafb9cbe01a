"""What the linter's own rules find holds on to nothing that has changed, and one rule that fails stops no other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.test_pages import lint
from tests.lint.test_cli import run
from tests.support.pages import source_pages, write_files
from thena_contract.source_faults.handle_dropped import HandleDropped
from thena_lint.analyze import diagnose
from thena_lint.bodies.memory import BodyIndex, Memory
from thena_lint.bodies.spotted import Spotted
from thena_lint.index.project import ProjectIndex
from thena_lint.link.assemblies import link
from thena_lint.look import found_by, look
from thena_lint.rules.secret_in_memory import looks_secret
from thena_lint.summary.spans import Site

PROJECTS = Path(__file__).parents[1] / "projects"
SITE = Site(Path("flow.py"), "Flow")
STEP = 25


@pytest.mark.parametrize("name", ["state_fields", "inside_bodies"])
def test_what_is_remembered_is_what_is_found_anew(name: str) -> None:
    """Whatever line comes and goes, work that was done before gives what work done now would."""
    index = ProjectIndex.load([PROJECTS / name])
    memory = Memory()
    for path in index.files:
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines(keepends=True)
        for number in range(0, len(lines), STEP):
            for edited in ("".join(lines[:number] + lines[number + 1 :]), text):
                index = index.with_text(path, edited, remember=True)
                linked = link(index)

                assert look(index, linked, Memory()) == look(index, linked, memory)


def test_what_others_come_to_declare_counts(tmp_path: Path) -> None:
    """A state with the field may be declared in a file that had no word of us before, and be gone again."""
    files = {
        "state.py": "class Draft:\n    text = ''\n",
        "agent.py": (
            "from state import Draft\nfrom thena_runtime import Agent, Prompt, ScriptedProvider, State, Workflow\n\n\n"
            '@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Write."))\n'
            "class Writer:\n    def __init__(self, s: State[Draft]) -> None:\n        s.words = 1\n\n\n"
            "@Workflow(state=Draft, steps=[Writer])\nclass Flow:\n    pass\n"
        ),
        "other.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    more = (
        "from state import Draft\nfrom thena_runtime import Workflow\n\n\nclass Longer(Draft):\n    words = 0\n\n\n"
        "@Workflow(state=Longer, steps=[])\nclass Other:\n    pass\n"
    )
    index, memory = ProjectIndex.load([tmp_path]), Memory()
    found = []
    for text in ("", more, "x = 1\n"):
        index = index.with_text(tmp_path / "other.py", text, remember=True)
        found.append([one.fault.code for one in look(index, link(index), memory)])

    assert [["THN602"], [], ["THN602"]] == found


def test_a_rule_that_fails_stops_no_other() -> None:
    """It is told that it failed, and what the next one finds is told all the same."""
    memory = Memory()
    fault = HandleDropped(subject="main", call="app.run(...)")

    def fails(index: BodyIndex, subject: str) -> Iterator[Spotted]:
        raise ValueError(subject)

    def finds(index: BodyIndex, subject: str) -> Iterator[Spotted]:
        yield Spotted(fault, SITE)

    found = list(found_by((fails, finds), BodyIndex.of(ProjectIndex.load([]), memory=memory), "anything", SITE))

    assert ["THN906", "THN809"] == [one.fault.code for one in found]


def test_information_alone_exits_with_zero(tmp_path: Path) -> None:
    """It is shown, and isn't held against anybody."""
    [page] = [page for page in source_pages() if page.code == "THN802"]
    write_files(page.wrong, tmp_path)

    done = run(tmp_path)

    assert (0, True) == (done.returncode, "THN802" in done.stdout)


def test_a_warning_alone_exits_with_one(tmp_path: Path) -> None:
    """A comment that silences nothing is reason enough."""
    [page] = [page for page in source_pages() if page.code == "THN902"]
    write_files(page.wrong, tmp_path)

    done = run(tmp_path)

    assert (1, True) == (done.returncode, "THN902" in done.stdout)


def test_what_is_off_is_told_to_who_asks_for_it(tmp_path: Path) -> None:
    """A hint that is most often meant isn't shown by default."""
    [page] = [page for page in source_pages() if page.code == "THN803"]
    write_files(page.wrong, tmp_path)

    assert {} == diagnose(ProjectIndex.load([tmp_path]))
    assert ["THN803"] == [one.code for one in lint(tmp_path, "THN803")]


def test_nobody_knows_what_a_comment_silences_without_the_folder_around(tmp_path: Path) -> None:
    """A file that is linted alone may be at fault by a workflow elsewhere."""
    [page] = [page for page in source_pages() if page.code == "THN902"]
    write_files(page.wrong, tmp_path)

    assert {} == diagnose(ProjectIndex.load([tmp_path / "flow.py"]))


@pytest.mark.parametrize(
    "name",
    ["password", "api_key", "dbPassword", "ACCESS_TOKEN", "apiKey", "client_secret", "APIKey", "github_token"],
)
def test_what_looks_like_a_secret(name: str) -> None:
    """A name whose last words say that its value opens something."""
    assert looks_secret(name)


@pytest.mark.parametrize(
    "name",
    [
        *("token", "tokens", "token_count", "max_tokens", "key", "primary_key", "has_password", "is_secret", ""),
        *("password_hint", "secret_santa", "needs_api_key", "last_token", "keyboard", "reset_password", "_"),
    ],
)
def test_what_looks_like_no_secret(name: str) -> None:
    """What counts, asks or describes isn't one."""
    assert not looks_secret(name)
