"""The reader of text and the reader of class objects make equal declarations of the same program."""

import os
import pickle
import subprocess
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from thena_contract.assembly import Assembly
from thena_contract.declarations import UNKNOWN
from thena_lint.index.project import ProjectIndex
from thena_lint.link.assemblies import link

REPOSITORY = Path(__file__).parents[2]

DESCRIBE = """
import importlib, pickle, sys
from thena_runtime import Thena
from thena_runtime.build.describe import describe
flow = importlib.import_module(sys.argv[1])
named = [getattr(flow, name) for name in sys.argv[3:]]
given = [(one.workflow, one._parts) if isinstance(one, Thena) else (one,) for one in named]
found = {assembly for one in given for assembly in describe(*one).assemblies}
with open(sys.argv[2], "wb") as out:
    pickle.dump(found, out)
"""


def described(project: Path, module: str, names: list[str], out: Path) -> set[Assembly]:
    """What the runtime's reader says of some workflows or apps; the user's code runs in a child."""
    path = os.pathsep.join([str(project), str(REPOSITORY)])
    subprocess.run(
        [sys.executable, "-c", DESCRIBE, module, str(out), *names],
        env={**os.environ, "PYTHONPATH": path},
        cwd=project,
        check=True,
        timeout=60,
    )
    found: set[Assembly] = pickle.loads(out.read_bytes())
    return found


def by_name(assemblies: set[Assembly]) -> dict[str, Assembly]:
    """Assemblies by their workflow's name."""
    return {one.workflow.ref.name: one for one in assemblies if one.workflow is not None}


def differences(seen: object, read: object, path: str = "") -> list[str]:
    """Where what was read from text differs from what the classes say, `UNKNOWN` being no difference."""
    if read is UNKNOWN or seen is UNKNOWN or seen == read:
        return []
    if isinstance(seen, tuple) and isinstance(read, tuple) and len(seen) == len(read):
        return [
            text for i, pair in enumerate(zip(seen, read, strict=True)) for text in differences(*pair, f"{path}[{i}]")
        ]
    if type(seen) is type(read) and is_dataclass(seen):
        names = [field.name for field in fields(seen)]
        return [
            text for name in names for text in differences(getattr(seen, name), getattr(read, name), f"{path}.{name}")
        ]
    return [f"{path}: classes say {seen}, the text says {read}"]


STATES = [
    "Plain",
    "Derived",
    "Boxed",
    "Needing",
    "Making",
    "MadeStatic",
    "MakingAny",
    "Fields",
    "Frozen",
    "ThawedBelow",
    "Defaults",
    "FrozenByAttrs",
    "FrozenByOption",
    "ByAttrs",
    "Model",
    "FrozenModel",
    "FrozenHead",
    "Pair",
    "Kind",
    "Flags",
    "Described",
    "Describing",
    "Dict",
    "Base",
    "StillAbstract",
    "Concrete",
    "NotEnforced",
    "EnforcedLate",
    "Metaclassed",
    "Registered",
    "Patched",
]
"""The classes of the project `states`."""


@pytest.mark.parametrize(
    ("name", "module", "workflows"),
    [
        ("many_forms", "flow", ["Flow", "Inner"]),
        ("shared_agent", "flows", ["Stateful", "First", "Second"]),
        ("suppressed", "flow", ["Flow"]),
        ("tools_and_hooks", "wiring", ["Flow"]),
        ("hooks_mentioned", "flow", ["Flow"]),
        ("argument_types", "flow", ["Flow"]),
        ("pydantic_classes", "flow", ["Flow"]),
        ("states", "flow", ["WithBuiltIn", *(f"With{name}" for name in STATES)]),
    ],
)
def test_declarations_are_equal(name: str, module: str, workflows: list[str], tmp_path: Path) -> None:
    """Signatures, requests, options and steps are equal; only what no reader of text can see is unknown."""
    project = REPOSITORY / "tests" / "projects" / name
    seen = by_name(described(project, module, workflows, tmp_path / "out"))
    read = by_name({one.assembly for one in link(ProjectIndex.load([project]))})

    assert sorted(workflows) == sorted(seen)
    assert {workflow: [] for workflow in seen} == {each: differences(seen[each], read[each], each) for each in seen}


def test_apps_are_equal(tmp_path: Path) -> None:
    """What an app gives to its workflow, and to those that are steps of it, is the same for both readers."""
    project = REPOSITORY / "tests" / "projects" / "apps"
    seen = described(project, "made", ["whole", "named", "by_keyword"], tmp_path / "out")
    read = {one.assembly for one in link(ProjectIndex.load([project]))}

    def apps(assemblies: set[Assembly]) -> dict[str, set[object]]:
        found: dict[str, set[object]] = {}
        for one in assemblies:
            if one.workflow is not None:
                found.setdefault(one.workflow.ref.name, set()).add(one.app)
        return found

    assert ["Cellars", "Inner", "Outer"] == sorted(apps(seen))
    assert {name: set() for name in apps(seen)} == {name: each - apps(read)[name] for name, each in apps(seen).items()}


def test_little_is_unknown(tmp_path: Path) -> None:
    """Of a program that is written out plainly, the reader of text leaves open one computed `until` and little else."""
    project = REPOSITORY / "tests" / "projects" / "many_forms"
    read = by_name({one.assembly for one in link(ProjectIndex.load([project]))})

    first = "Flow.workflow.steps[0].agent"
    unknown = unknown_in(read["Flow"], "Flow")
    assert [
        f"{first}.tools[3].tool.shape.new",  # an abstract class isn't made
        f"{first}.tools[4].tool.description",  # what a docstring says
        "Flow.workflow.steps[1].agent.given.options[1].value",  # an object of a class from elsewhere
        "Flow.workflow.steps[4].until",
        "Flow.workflow.steps[4].given.options[1].value",
    ] == [path for path in unknown if ".steps[4].steps" not in path]


NOT_READ_YET = frozenset(
    {
        *("Signature.is_generator", "Assembly.app"),
        *("AnnotationDecl.of", "AnnotationDecl.has_schema", "ParamDecl.default"),
    }
)
"""Parts of declarations that a reader doesn't tell of all yet: an annotation's class and schema, and defaults."""

ONLY_AT_START_UP = frozenset({"StateDecl.uncopied"})
"""Parts that only trying can tell, which no reader of text does."""


def unknown_in(value: object, path: str) -> list[str]:
    """Where a value has `UNKNOWN` in it."""
    if value is UNKNOWN:
        return [path]
    if isinstance(value, tuple):
        return [text for i, part in enumerate(value) for text in unknown_in(part, f"{path}[{i}]")]
    if is_dataclass(value):
        return [
            text
            for field in fields(value)
            if f"{type(value).__name__}.{field.name}" not in NOT_READ_YET | ONLY_AT_START_UP
            for text in unknown_in(getattr(value, field.name), f"{path}.{field.name}")
        ]
    return []
