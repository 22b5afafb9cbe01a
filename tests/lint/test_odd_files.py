"""One odd file is reported where that helps anybody, and never takes the others down."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.lint.test_cli import COMMAND, FAULTY, run
from thena_contract.anchor import Anchor, Ref
from thena_contract.assembly import Assembly
from thena_contract.declarations import AgentDecl, UnknownStep, WorkflowDecl
from thena_lint.analyze import diagnose, judge_all
from thena_lint.index.project import ProjectIndex
from thena_lint.link.assemblies import Linked
from thena_lint.target import find_target

ODD: dict[str, tuple[bytes, list[str]]] = {
    "a codec for no text": (b"# coding: rot13\n# thena\n", ["THN905"]),
    "utf-16": ("import thena_runtime\n".encode("utf-16"), ["THN905"]),
    "bytes that are no text": (b"import thena_runtime\n\xff\xfe", ["THN905"]),
    "nulls": (b"import thena_runtime\nx = '\0'\n", ["THN901"]),
    "surrogates": (b"# coding: utf-7\nimport thena_runtime\nx = '+2AA-'\n", ["THN901"]),
    "many branches": (b"import thena_runtime\nif 1: pass\n" + b"elif 1: pass\n" * 1000, ["THN907"]),
    "many strings": (b"import thena_runtime\nx = (" + b'"a" ' * 1000 + b")\n", ["THN907"]),
    "more strings": (b"import thena_runtime\nx = (" + b'"a" ' * 5000 + b")\n", ["THN907"]),
    "a long sum beside a fault": (FAULTY.encode() + b"x = 1" + b"+1" * 500 + b"\n", ["THN201", "THN907"]),
    "many calls beside a fault": (FAULTY.encode() + b"x = a" + b".b()" * 300 + b"\n", ["THN201", "THN907"]),
    "an escape that is none, beside a fault": (
        FAULTY.encode()
        + rb"""
def f():
    return "\xZZ", "\d", "\N{no such name}"
""",
        ["THN201"],
    ),
    "as deep as is read": (FAULTY.encode() + b"x = a" + b".b()" * 90 + b"\n", ["THN201"]),
    "brackets in brackets": (FAULTY.encode() + b"x = " + b"f(" * 190 + b")" * 190 + b"\n", ["THN201"]),
    "deep inside an agent": (
        FAULTY.replace("= s\n", f"= s{'.b()' * 300}\n").encode(),
        ["THN907"],
    ),
    "what ends a process": (b"import thena_runtime\nx = 1" + b"+1" * 30000 + b"\n", ["THN907"]),
    "that in a file of its own": (b"x = 1" + b"+1" * 30000 + b"\n", []),
    "what is no Python and none of ours": (b"class D(:\n", []),
    "other bytes and none of ours": (b"x = '\xff'\n", []),
    "a usual codec and none of ours": (b"# coding: latin-1\nx = '\xff'\n", []),
    "a usual codec": (b"# coding: latin-1\nimport thena_runtime\nx = '\xff'\n", []),
    "words in other bytes": (b"# coding: utf-7\nimport +AHQ-hena_runtime\nx = = 1\n", ["THN901"]),
    "deep and Python, in a file of its own": (b"x = 1" + b"+1" * 500 + b"\n", []),
}
"""What stands in the file, and the codes that are reported for it."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one faulty workflow."""
    (tmp_path / "flow.py").write_text(FAULTY, encoding="utf-8")
    return tmp_path


def codes(index: ProjectIndex) -> dict[str, list[str]]:
    """The codes that are found, by file name."""
    return {path.name: [one.code for one in found] for path, found in diagnose(index).items()}


@pytest.mark.parametrize(("data", "expected"), ODD.values(), ids=ODD)
def test_an_odd_file_is_alone_with_it(project: Path, data: bytes, expected: list[str]) -> None:
    """The faults of the other file are found, those of the odd one as far as it can be read, and nothing is raised."""
    (project / "odd.py").write_bytes(data)

    found = codes(ProjectIndex.load([project]))

    assert ({"flow.py": ["THN201"]} | ({"odd.py": expected} if expected else {})) == found


def test_odd_files_end_no_process(project: Path) -> None:
    """All of them together, as a user meets them: one exit code, a report, and no traceback."""
    for number, (data, _) in enumerate(ODD.values()):
        (project / f"odd_{number}.py").write_bytes(data)
    done = run(project)

    assert (1, "") == (done.returncode, done.stderr)
    assert done.stdout.startswith("flow.py:5:24: THN201")


def test_a_target_beside_odd_files_is_found(project: Path) -> None:
    """A folder's only workflow is found whatever else lies in there."""
    for number, (data, _) in enumerate(ODD.values()):
        if b"Workflow" not in data:
            (project / f"odd_{number}.py").write_bytes(data)

    assert "Flow" == find_target(str(project), project).name


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"class D(:\n", "THN901"), ("x = 1\n".encode("utf-16"), "THN905"), (b"# coding: rot13\n", "THN905")],
    ids=["syntax", "utf-16", "codec"],
)
def test_what_is_imported_by_a_file_of_ours_must_be_python(project: Path, data: bytes, code: str) -> None:
    """The import would fail, so it is reported though nothing else is read of it; where nobody imports it, it isn't."""
    flow = project / "flow.py"
    flow.write_text(f"from state import D\n{FAULTY}", encoding="utf-8")
    (project / "state.py").write_bytes(data)
    index = ProjectIndex.load([project])
    mended = index.with_text(project / "state.py", "class D: pass\n")
    broken = mended.with_text(project / "state.py", "class D(:\n")
    unused = broken.with_text(flow, FAULTY)
    used = unused.with_text(flow, f"if True:\n    import state\n{FAULTY}")

    assert {"flow.py": ["THN201"], "state.py": [code]} == codes(index)
    assert {"flow.py": ["THN201"]} == codes(mended)
    assert {"flow.py": ["THN201"], "state.py": ["THN901"]} == codes(broken)
    assert {"flow.py": ["THN201"]} == codes(unused)
    assert {"flow.py": ["THN201"], "state.py": ["THN901"]} == codes(used)


def test_what_is_named_must_be_python(tmp_path: Path) -> None:
    """Whoever names a file wants to know, whatever it is about."""
    (tmp_path / "other.py").write_text("class D(:\n", encoding="utf-8")

    assert {} == codes(ProjectIndex.load([tmp_path]))
    assert {"other.py": ["THN901"]} == codes(ProjectIndex.load([tmp_path / "other.py"]))


def test_every_way_to_import_a_module_counts(tmp_path: Path) -> None:
    """From a package, from the one above, all of it, with another to fall back on: what doesn't parse is told."""
    package = tmp_path / "pkg" / "inner"
    package.mkdir(parents=True)
    for name in ("one", "two", "three", "four"):
        (package / f"{name}.py").write_text("class D(:\n", encoding="utf-8")
    (tmp_path / "pkg" / "__init__.py").write_text("x = = 1\n", encoding="utf-8")
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "flow.py").write_text(
        """import thena_runtime
import pkg.inner.one as one
from ..inner import two
from .three import *
try:
    from fast import D
except ImportError:
    from .four import D
""",
        encoding="utf-8",
    )

    expected = {name: ["THN901"] for name in ("__init__.py", "four.py", "one.py", "three.py", "two.py")}
    assert expected == codes(ProjectIndex.load([tmp_path]))


def test_newer_syntax_is_python(project: Path) -> None:
    """A file in newer syntax than this interpreter's is no fault, whether it mentions the framework or not."""
    (project / "newer.py").write_text("type Alias[T: int = int] = list[T]\n", encoding="utf-8")

    assert {"flow.py": ["THN201"]} == codes(ProjectIndex.load([project]))


def test_what_is_no_module_is_left_to_those_who_run_it(project: Path) -> None:
    """A notebook's `await` outside a function is for its own interpreter to judge."""
    (project / "notebook.py").write_text("await main()\n", encoding="utf-8")

    assert {"flow.py": ["THN201"]} == codes(ProjectIndex.load([project]))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('print "x"\n', "Missing parentheses in call to 'print'. Did you mean print(...)?"),
        ("x = = 1\n", "invalid syntax."),
    ],
)
def test_syntax_errors_read_well(project: Path, text: str, reason: str) -> None:
    """Python's own words keep their end, and only what is really unknown is called so."""
    (found,) = diagnose(ProjectIndex.load([], {project / "new.py": f"# thena\n{text}"})).values()

    repair = "Mend the syntax; until then nothing is known of what this statement declares."
    assert [f"This file doesn't parse: {reason} {repair}"] == [one.message for one in found]


def test_a_fault_of_the_linter_is_told_and_stops_nothing(project: Path) -> None:
    """A declaration that no reader could have made breaks rules: that is a finding, and other assemblies are judged."""
    ref = Ref("flow", "Flow")
    # What a mistake of ours could look like.
    agent: AgentDecl = object()  # type: ignore[assignment]
    broken = Linked(
        home=project / "flow.py",
        assembly=Assembly(
            workflow=WorkflowDecl(ref=ref, state=None, steps=(UnknownStep(anchor=Anchor(ref)),)), agents=(agent,)
        ),
        sites={},
        homes={},
    )
    judged = judge_all([broken, broken])

    assert ["THN906", "THN906"] == [finding.fault.code for _, finding in judged]
    assert "The linter itself failed at `Flow`: AttributeError: " in judged[0][1].fault.message


def test_a_linter_that_is_interrupted_while_it_starts(project: Path) -> None:
    """The door is light: whatever takes time to be imported is imported where an interrupt is answered."""
    code = "import sys, thena_lint.__main__; print('libcst' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=project)

    assert ("False\n", COMMAND[0]) == (done.stdout, sys.executable)
