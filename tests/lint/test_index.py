"""One project, several states of it: what changed is read again, and the rest is kept."""

from itertools import permutations
from pathlib import Path

import pytest

from thena_lint.analyze import diagnose
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import External, Framework, Scope, resolve
from thena_lint.summary.expressions import Name

AGENTS = """
from thena_runtime import Agent, Prompt, ScriptedProvider, State
from state import Draft

@Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("x"))
class Writer:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s
"""
FLOW = """
from agents import Writer
from state import Draft
from thena_runtime import Workflow

@Workflow(state=Draft, steps=[Writer])
class Flow:
    pass
"""


def write(folder: Path, **files: str) -> None:
    """Write Python files by their names."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")


def codes(index: ProjectIndex) -> dict[str, list[str]]:
    """The codes that are found, by file name."""
    return {path.name: [one.code for one in found] for path, found in diagnose(index).items()}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project without a fault."""
    write(tmp_path, agents=AGENTS, flow=FLOW, state="class Draft:\n    approved = False\n")
    return tmp_path


def test_an_edit_in_one_file_changes_another(project: Path) -> None:
    """Taking `state=` away in an editor shows the fault in the agent's file; putting it back clears it."""
    before = ProjectIndex.load([project])
    edited = before.with_text(project / "flow.py", FLOW.replace("state=Draft, ", ""))
    back = edited.with_text(project / "flow.py", FLOW)

    assert [{}, {"agents.py": ["THN201"]}, {}] == [codes(before), codes(edited), codes(back)]


@pytest.mark.parametrize(
    ("name", "text", "speaking"),
    [
        ("agents", AGENTS.replace("Writer", "Author"), ["agents", "flow"]),
        ("agents", "x = 1\n", ["flow"]),
        ("agents", AGENTS + "import state\n", ["agents", "flow"]),
        ("agents", AGENTS + "import broken\n", ["agents", "broken", "flow"]),
        ("agents", "def (", ["agents", "flow"]),
        ("state", "def (", ["agents", "flow", "state"]),
        ("state", "import thena_runtime\n", ["agents", "flow", "state"]),
    ],
)
def test_an_edit_leaves_what_reading_all_would_find(project: Path, name: str, text: str, speaking: list[str]) -> None:
    """The files that count, and which of them changed, are those of an index that is made anew."""
    write(project, broken="def (\n")
    before = ProjectIndex.load([project])
    assert ["agents", "flow"] == [file.path.stem for file in before.speaking]

    after = before.with_text(project / f"{name}.py", text)

    assert speaking == [file.path.stem for file in after.speaking]
    assert [project / f"{name}.py"] == [*after.changed_since(before)]
    assert codes(ProjectIndex.load([project], {project / f"{name}.py": text})) == codes(after)


def test_an_index_stays_as_it_was(project: Path) -> None:
    """What is made of an index leaves it alone, and so does the disk."""
    before = ProjectIndex.load([project])
    before.with_text(project / "flow.py", FLOW.replace("state=Draft, ", ""))
    write(project, flow=FLOW.replace("state=Draft, ", ""))

    assert {} == codes(before)


def test_a_file_that_was_never_there_may_be_gone(project: Path) -> None:
    """Whoever watches may tell of a file that came and went before anybody read it."""
    before = ProjectIndex.load([project])

    after = before.with_texts({project / "passing.py": None})

    assert (before.files, {}) == (after.files, after.changed_since(before))


def test_the_disk_is_read_again_when_asked(project: Path) -> None:
    """Without a text a file is what is on disk now: changed, new or gone."""
    index = ProjectIndex.load([project])
    write(project, flow=FLOW.replace("state=Draft, ", ""))
    changed = index.with_text(project / "flow.py", None)
    (project / "flow.py").unlink()
    gone = changed.with_text(project / "flow.py", None)
    write(project, flow=FLOW.replace("state=Draft, ", ""))
    new = gone.with_text(project / "flow.py", None)

    assert [{"agents.py": ["THN201"]}, {}, {"agents.py": ["THN201"]}] == [codes(changed), codes(gone), codes(new)]
    assert [3, 2, 3] == [len(each.files) for each in (changed, gone, new)]


def test_a_file_that_does_not_mention_the_framework_counts(project: Path) -> None:
    """An alias in a file that was read only on the way is read again when it changes."""
    write(project, agents=AGENTS.replace("State[Draft]", "Alias").replace("import Draft", "import Alias"))
    write(project, state="from handed import State\nclass Draft: pass\nAlias = State[Draft]\n")
    write(project, handed="from thena_runtime import State\n", flow=FLOW.replace("state=Draft, ", ""))
    index = ProjectIndex.load([project])
    changed = index.with_text(project / "state.py", "class Draft: pass\nAlias = Draft\n")

    assert [{"agents.py": ["THN201"]}, {"agents.py": ["THN208"]}] == [codes(index), codes(changed)]


def test_an_overlay_is_the_text_of_a_file(project: Path) -> None:
    """The text of an editor stands before what is on disk, also for a file that isn't there yet."""
    index = ProjectIndex.load([project], {project / "flow.py": FLOW.replace("state=Draft, ", "")})
    only_open = ProjectIndex.load([], {project / "new.py": "from thena_runtime import Tool\n@Tool(\n"})

    assert {"agents.py": ["THN201"]} == codes(index)
    assert {"new.py": ["THN901"]} == codes(only_open)


def test_a_single_file_leads_to_others(project: Path) -> None:
    """What a file imports is found from its own folder, and a fault is told where it stands."""
    write(project, flow=FLOW.replace("state=Draft, ", ""))

    assert {"agents.py": ["THN201"]} == codes(ProjectIndex.load([project / "flow.py"]))


def test_a_file_that_can_not_be_decoded(project: Path) -> None:
    """An undecodable file is one diagnostic, and the others are checked."""
    write(project, flow=FLOW.replace("state=Draft, ", ""))
    (project / "bad.py").write_bytes(b"# thena \xff\n")

    assert {"agents.py": ["THN201"], "bad.py": ["THN905"]} == codes(ProjectIndex.load([project]))


def test_two_files_that_could_be_meant(project: Path) -> None:
    """Where two roots have a module of the same name and neither is nearer, nothing is said."""
    write(project, flow=FLOW.replace("from agents", "from shared").replace("state=Draft, ", ""))
    for name in ("left", "right"):
        (project / name).mkdir()
        write(project / name, shared=AGENTS, state="class Draft: pass\n")

    assert {} == codes(ProjectIndex.load([project]))


def test_a_module_named_like_one_of_python(project: Path) -> None:
    """A file beside the importer that is named like a standard module may or may not be meant, so nothing is said."""
    write(project, calendar=AGENTS)
    write(project, flow=FLOW.replace("from agents", "from calendar").replace("state=Draft, ", ""))

    assert {} == codes(ProjectIndex.load([project]))


def test_names_that_lead_in_circles(project: Path) -> None:
    """Imports, aliases and lists that refer to themselves end."""
    write(
        project, one="from two import A\nfrom two import *\nB = A\n", two="from one import B as A\nfrom one import *\n"
    )
    write(
        project,
        lists="from thena_runtime import Workflow\nfrom one import B\nA = C\nC = A\nX = [*X, B] + X + A\n"
        "@Workflow(steps=X)\nclass Flow(Flow): pass\n",
    )

    assert {} == codes(ProjectIndex.load([project]))


def test_a_star_import_leaves_pythons_own_names_alone(project: Path) -> None:
    """`input` is the builtin after `from thena_runtime import *`, and the marker where it is imported by its name."""
    write(project, star="from thena_runtime import *\n", named="from thena_runtime import input\n")
    index = ProjectIndex.load([project])
    star, named = Scope(project / "star.py"), Scope(project / "named.py")

    assert (External("builtins.input"), Framework("state")) == (
        resolve(index, star, Name("input")),
        resolve(index, star, Name("state")),
    )
    assert Framework("input") == resolve(index, named, Name("input"))


def test_a_stub_beside_the_code_is_not_read(project: Path) -> None:
    """What runs is the code: what a stub says of the same module changes nothing, for better or worse."""
    write(project, flow=FLOW.replace("state=Draft, ", ""))
    (project / "agents.pyi").write_text(AGENTS.replace("s: State[Draft]", ""), encoding="utf-8")

    assert {"agents.py": ["THN201"]} == codes(ProjectIndex.load([project]))

    write(project, flow=FLOW)
    (project / "state.pyi").write_text("class Draft(\n", encoding="utf-8")

    assert {} == codes(ProjectIndex.load([project]))


UNTIL = """
from fast import STEPS, Writer, by_condition, until_one, until_three, until_two
from thena_runtime import Workflow, loop

@Workflow(steps=[Writer, loop([Writer], until={until}), *STEPS])
class Flow:
    pass
"""


@pytest.mark.parametrize(
    ("until", "expected"),
    [("until_one", []), ("until_two", ["THN301"]), ("until_three", ["THN302"]), ("by_condition", [])],
)
def test_a_stub_alone_says_how_functions_are_called(tmp_path: Path, until: str, expected: list[str]) -> None:
    """Of compiled code the heads of functions are known, and of its classes and lists nothing: they may be anything."""
    write(tmp_path, flow=UNTIL.format(until=until))
    (tmp_path / "fast.pyi").write_text(
        "from typing import overload\n"
        "class Writer: ...\n"
        "STEPS: list[object]\n"
        "def until_one(ctx: object) -> bool: ...\n"
        "def until_two(ctx: object, s: object) -> bool: ...\n"
        "def until_three(ctx: object, s: object, more: object) -> bool: ...\n"
        "@overload\n"
        "def by_condition(ctx: object, s: int, more: int) -> bool: ...\n"
        "@overload\n"
        "def by_condition(ctx: object, s: str, more: str) -> bool: ...\n",
        encoding="utf-8",
    )
    index = ProjectIndex.load([tmp_path])

    assert ((tmp_path / "flow.py",), {"flow.py": expected} if expected else {}) == (index.files, codes(index))


def test_projects_of_one_repository_find_each_other(tmp_path: Path) -> None:
    """A package that doesn't say that it is one is found under another project's `src`."""
    shop, kit = tmp_path / "shop" / "src" / "acme" / "shop", tmp_path / "kit" / "src" / "acme" / "kit"
    for folder in (shop, kit):
        folder.mkdir(parents=True)
        write(folder, __init__="")
    write(kit, agents=AGENTS, state="class Draft: pass\n")
    write(shop, flow=FLOW.replace("from agents", "from acme.kit.agents").replace("state=Draft, ", ""))

    assert {"agents.py": ["THN201"]} == codes(ProjectIndex.load([tmp_path]))


def test_a_list_that_a_broken_statement_mentions_is_unknown(project: Path) -> None:
    """What is half-typed below a list may change it, so nothing rests on how it stands above."""
    below = "STEPS = [Writer, 1]\nALIAS {}= STEPS\n"
    text = FLOW.replace("\n@Workflow", f"{below}\n@Workflow").replace("[Writer],", "STEPS,")
    write(project, flow=text.format("").replace("steps=[Writer]", "steps=STEPS"))
    whole = ProjectIndex.load([project])
    broken = whole.with_text(project / "flow.py", text.format("= ").replace("steps=[Writer]", "steps=STEPS"))

    assert [{"flow.py": ["THN101"]}, {"flow.py": ["THN901"]}] == [codes(whole), codes(broken)]


def test_a_door_that_closes_is_closed(tmp_path: Path) -> None:
    """What is read only since it mentions a file that hands decorators on isn't once that file hands on nothing."""
    (tmp_path / "kit.py").write_text("from thena_runtime import Agent\n")
    (tmp_path / "other.py").write_text("import kit\n")
    index = ProjectIndex.load([tmp_path])
    assert index.read[tmp_path / "other.py"] is not None
    closed = index.with_text(tmp_path / "kit.py", "Agent = 1\n")
    assert ProjectIndex.load([tmp_path], {tmp_path / "kit.py": "Agent = 1\n"}).read == closed.read


def test_files_that_come_one_by_one_are_read_as_together(tmp_path: Path) -> None:
    """A file behind a door is read whichever of them comes first, and one behind another door behind that."""
    write(
        tmp_path,
        kit="from thena_runtime import Agent\n",
        plant="from kit import Agent\n",
        user="import plant\n",
        x="\n",
    )
    whole = ProjectIndex.load([tmp_path])
    unread = [path.stem for path, file in whole.read.items() if file is None]

    for order in permutations(whole.files):
        index = ProjectIndex.load([]).with_roots([tmp_path])
        for path in order:
            index = index.with_files([path])
        assert (whole.read, whole.doors) == (index.read, index.doors), order
    assert (["x"], {"kit", "plant"}) == (unread, whole.doors)
