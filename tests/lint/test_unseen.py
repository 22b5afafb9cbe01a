"""`--explain-unknown` and `--statistics`: what the linter couldn't see, and why it is silent there."""

import json
from pathlib import Path

import pytest

from tests.lint.test_cli import CLEAN, FAULTY, run
from tests.lint.test_projects import FOLDER, PROJECTS
from thena_lint.analyze import analyze
from thena_lint.link.assemblies import link
from thena_lint.unseen.holes import unseen_in
from thena_lint.unseen.part import Unseen

IMPORTS = "from thena_runtime import Agent, Prompt, ScriptedProvider, State, Tool, Workflow, loop\n"
AGENT = """
class Draft:
    approved = False


@Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("x"))
class Writer:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s
"""


def seen_not(*roots: Path) -> list[Unseen]:
    """What couldn't be seen under these paths."""
    analysis = analyze(roots)
    return list(unseen_in(analysis.index, link(analysis.index)))


def told(folder: Path, code: str, **others: str) -> list[tuple[str, str]]:
    """What couldn't be seen of a file with an agent and this code, and why."""
    for name, text in others.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    (folder / "flow.py").write_text(IMPORTS + AGENT + code, encoding="utf-8")
    return [(one.what, one.reason) for one in seen_not(folder / "flow.py")]


FORMS = {
    "a call": ("steps=build()", "steps[0]", "it is what a call of `build` gives back"),
    "a comprehension": ("steps=[*(a for a in [Writer])]", "steps[0]", "it is made by a comprehension"),
    "a condition": ("steps=[Writer if CHANCE else None]", "steps[0]", "it depends on a condition"),
    "an index": ("steps=[TABLE['a']]", "steps[0]", "it is taken out of `TABLE`"),
    "options": ("**OPTIONS, steps=[Writer]", "state", "`**OPTIONS` may give it"),
    "bound twice": ("steps=[Twice]", "steps[0]", "`Twice` is bound more than once"),
    "changed": (
        "steps=CHANGED",
        "steps[0]",
        "`CHANGED` is changed, bound on a condition, or bound in a way that isn't read",
    ),
    "handed on": ("steps=PASSED", "steps[0]", "`PASSED` may be changed after it is made"),
    "elsewhere": ("steps=[Foreign]", "steps[0]", "`Foreign` isn't in the project"),
    "nowhere": ("steps=[Unbound]", "steps[0]", "`Unbound` isn't bound here"),
    "behind a name": ("steps=MADE", "steps[0]", "it is what a call of `build` gives back"),
    "renamed in another file": ("steps=[Renamed]", "steps[0]", "`other` has no `Renamed`"),
    "in another file": ("steps=[Other]", "steps[0]", "`Other`: it is taken out of `TABLE`"),
    "a decorated function": (
        "state=Draft, steps=[loop([Writer], until=decorated)]",
        "steps[0].until",
        "`decorated`: its decorator `decorate` may change how it is called",
    ),
}
"""The options of a workflow, the part that isn't seen, and why."""


@pytest.mark.parametrize(("options", "part", "reason"), FORMS.values(), ids=FORMS)
def test_a_part_and_its_reason(tmp_path: Path, options: str, part: str, reason: str) -> None:
    """Each form in which something can't be seen is told in the words of the code that stands there."""
    code = f"""
from elsewhere import Foreign, build, decorate, OPTIONS, CHANCE, TABLE
from other import Other, Renamed
Twice = 1
Twice = Writer
CHANGED = [Writer]
CHANGED.reverse()
PASSED = [Writer]
build(PASSED)
MADE = build()

@decorate
def decorated(ctx) -> bool:
    return True

@Workflow({options})
class Flow:
    pass
"""
    found = told(tmp_path, code, other="Other = TABLE['a']\n")

    assert (f"`{part}` of `Flow`", reason) in found


CLASSES = {
    "an unknown decorator": ("@wrap\n@DECLARED\nclass A:\n    pass\n", "the decorator `wrap` may change it"),
    "an unknown base": ("@DECLARED\nclass A(Base):\n    pass\n", "its base `Base` isn't in the project"),
    "an unknown base of a base": (
        "class B(Base): pass\n@DECLARED\nclass A(B):\n    pass\n",
        "its base `Base` isn't in the project",
    ),
    "a metaclass": (
        "@DECLARED\nclass A(metaclass=Base):\n    pass\n",
        "a metaclass, or another keyword of its head, may change it",
    ),
    "a hook for subclasses": (
        "class B:\n    def __init_subclass__(cls): ...\n@DECLARED\nclass A(B):\n    pass\n",
        "`__init_subclass__` of its base `B` may change it",
    ),
    "a base's decorator": (
        "@wrap\nclass B: pass\n@DECLARED\nclass A(B):\n    pass\n",
        "its base `B`: the decorator `wrap` may change it",
    ),
    "a call": (
        "def patch(one):\n    one.x = 1\n@DECLARED\nclass A:\n    pass\npatch(A)\n",
        "`A` is handed to a call that may change it",
    ),
}


@pytest.mark.parametrize(("code", "reason"), CLASSES.values(), ids=CLASSES)
def test_a_class_and_its_reason(tmp_path: Path, code: str, reason: str) -> None:
    """What may have changed a whole class is told once, whatever parts of it that hides."""
    declared = 'Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("x"))'

    assert [("`A`", reason)] == told(
        tmp_path, "from elsewhere import Base, wrap\n" + code.replace("DECLARED", declared)
    )


def test_parameters_and_methods(tmp_path: Path) -> None:
    """An annotation that can't be read is told at its parameter, a decorated method at its class."""
    code = """
from elsewhere import Alias, wrap

@Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("x"))
class Asking:
    def __init__(self, a: Alias, b: int = 1) -> None: ...

@Tool(name="t", description="d")
class Wrapped:
    @wrap
    def execute(self, a: int) -> str: ...
"""
    assert [
        ("parameter `a` of `Asking`", "its annotation: `Alias` isn't in the project"),
        ("`execute` of `Wrapped`", "its decorator `wrap` may change how it is called"),
    ] == told(tmp_path, code)


@pytest.mark.parametrize(
    ("head", "decorator", "name", "star"),
    [
        ("from thena_runtime import State\nfrom common import *", "Agent", "Agent", "from common import *"),
        ("from thena_runtime import *\nfrom .common import *", "Agent", "Agent", "from .common import *"),
        ("import thena_runtime as th\nfrom common import *", "th.Agent", "th", "from common import *"),
    ],
)
def test_declarations_behind_a_star(tmp_path: Path, head: str, decorator: str, name: str, star: str) -> None:
    """Where a star import that isn't seen may bind our decorators, each class says so, and names it."""
    code = f"{head}\n\n@{decorator}()\nclass Writer:\n    pass\n"
    (tmp_path / "flow.py").write_text(code, encoding="utf-8")

    reason = f"`{name}` may come from `{star}`, which can't be seen"
    assert [("`Writer`", reason)] == [(one.what, one.reason) for one in seen_not(tmp_path)]


def test_a_decorator_that_is_bound_again_is_told(tmp_path: Path) -> None:
    """So does one whose name stands for two things."""
    code = "from thena_runtime import Agent\n\nAgent = wrap(Agent)\n\n@Agent()\nclass Writer:\n    pass\n"
    (tmp_path / "flow.py").write_text(code, encoding="utf-8")

    assert [("`Writer`", "`Agent` is bound more than once")] == [(one.what, one.reason) for one in seen_not(tmp_path)]


def test_what_comes_after_is_told_with_its_reason(tmp_path: Path) -> None:
    """A step whose position isn't certain says so, and one that isn't judged since it may not be there as well."""
    code = """
from elsewhere import more

@Workflow(steps=[*more, "text", loop([Writer], until=1)], state=Draft)
class Flow:
    pass

if more:
    @Workflow(steps=[])
    class Rarely:
        pass
"""
    position = "something before it isn't seen, so its position isn't certain"

    assert [
        ("`steps[0]` of `Flow`", "`more` isn't in the project"),
        ("`steps[1]` of `Flow`", position),
        ("`steps[2]` of `Flow`", position),
        ("`Rarely`", "it is declared on a condition, so it may not be there"),
    ] == told(tmp_path, code)


def test_a_large_file_is_told(tmp_path: Path) -> None:
    """A file that isn't read because of its size is no silent gap."""
    (tmp_path / "large.py").write_text(FAULTY + "# filling\n" * 100_001, encoding="utf-8")
    (tmp_path / "data.py").write_text("x = 1\n" + "# filling\n" * 100_001, encoding="utf-8")
    (found,) = seen_not(tmp_path)

    assert ("file", str(tmp_path / "large.py")) == (found.kind, found.place.path)


def test_what_is_written_out_is_seen(tmp_path: Path) -> None:
    """Of a plain program nothing is unknown, and that is said."""
    (tmp_path / "flow.py").write_text(CLEAN, encoding="utf-8")
    done = run(tmp_path, "--explain-unknown", "--statistics")

    expected = "All clear: 1 file checked.\n\nAll that is declared was seen.\n"
    assert (0, expected, "") == (done.returncode, done.stdout, done.stderr)


UNCLEAR = FAULTY.replace("[Writer]", "[Writer, *more(), *more()]")
ROW = {"path": "flow.py", "cell": None, "line": 8, "column": 27, "end_line": 8, "end_column": 33}


def test_the_text(tmp_path: Path) -> None:
    """It follows the faults, which stay as they are, and so does the exit code."""
    (tmp_path / "flow.py").write_text(UNCLEAR, encoding="utf-8")
    plain, done = run(tmp_path), run(tmp_path, "--explain-unknown", "--statistics")

    expected = """
flow.py:8:27: unknown `steps[1]` of `Flow`: it is what a call of `more` gives back.
flow.py:8:36: unknown `steps[2]` of `Flow`: it is what a call of `more` gives back.

2 parts couldn't be seen; what rests on them is left to `Thena(...)`.

Faults:
  1 THN201 state-not-declared

Not seen:
  2 step
"""
    assert (1, plain.stdout + expected, "") == (done.returncode, done.stdout, done.stderr)


def test_the_rows(tmp_path: Path) -> None:
    """In JSON the faults, what wasn't seen and the counts are parts of one object, which only an option makes."""
    (tmp_path / "flow.py").write_text(UNCLEAR, encoding="utf-8")
    plain = json.loads(run(tmp_path, "--output-format", "json").stdout)
    explained = json.loads(run(tmp_path, "--output-format", "json", "--explain-unknown").stdout)
    both = json.loads(run(tmp_path, "--output-format", "json", "--explain-unknown", "--statistics").stdout)
    reason = "it is what a call of `more` gives back"

    assert {"diagnostics", "unknown"} == explained.keys()
    assert plain == explained["diagnostics"]
    assert {"kind": "step", "what": "`steps[1]` of `Flow`", "reason": reason, **ROW} == explained["unknown"][0]
    assert {"faults": {"THN201 state-not-declared": 1}, "unknown": {"step": 2}} == both["statistics"]


def test_nothing_breaks_it() -> None:
    """Whatever a project holds can be explained, and each part has a place in one of its files."""
    found = {project: seen_not(project) for project in PROJECTS}

    assert [] == found[FOLDER / "modern_syntax"]
    assert ["steps[4].until"] == [one.what.split("`")[1] for one in found[FOLDER / "many_forms"]]
    assert all(Path(one.place.path).is_relative_to(project) for project in found for one in found[project])
