"""What users of Thena may rely on: the public names, their docstrings, and the types of every package."""

import ast
import builtins
import inspect
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import thena_runtime
from thena_runtime.markers import Marker

ROOT = Path(__file__).parents[2]

PUBLIC = {
    # Declarations
    "Agent", "Tool", "Workflow", "Prompt", "AgentHooks",
    # Steps
    "loop", "parallel", "until_answered", "turn_of", "called_tool", "was_exhausted", "Turn", "LoopInfo", "LoopFailure",
    # Injection
    "State", "Input", "Context", "state", "input", "context", "memory",
    # Runs
    "Thena", "ThenaConfig", "ReportOptions", "RunHandle", "current_context", "Conversation", "Event", "Token",
    "WorkflowRuntime",
    # Budgets
    "Budget", "BudgetBreach", "BudgetExceededError", "RunUsage",
    # What hooks and tools see
    "ToolCall", "ToolResult", "ToolOutput",
    # Memories
    "VectorMemory", "Memory", "Recalled", "EVERY_DATASET", "VectorStore", "Embedder",
    # What plugins and middlewares are written with
    "Plugin", "ChatInvocation", "ToolInvocation", "ChatMiddleware", "ToolMiddleware", "context_window",
    # Providers, and what one is written with
    "ScriptedProvider", "ScriptedCall", "tool_call", "OpenAIProvider", "RetryPolicy",
    "StreamingProvider", "Emit", "Prices",
    "Provider", "CompletionRequest", "Completion", "Message", "FunctionCall", "ToolSpec", "Sampling", "Usage",
    # What may be caught
    "ContractError", "ThenaWarning", "OutsideRunError", "OutputError", "FatalToolError", "RunAborted",
    "RunStoppedError", "ProviderError",
}  # fmt: skip


NOT_STARRED = {"input"}
"""Public names that a star import leaves out, for Python has such a name itself."""


def packages() -> list[str]:
    """The packages that a wheel holds."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    names: list[str] = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    return names


def test_every_package_ships_its_types() -> None:
    """Type checkers read the annotations of each package, as its `py.typed` says."""
    assert 5 == len(packages())
    assert [] == [name for name in packages() if not (ROOT / name / "py.typed").is_file()]


def test_the_public_names_are_the_documented_ones() -> None:
    """A name that users may rely on comes or goes by decision, never by accident."""
    assert sorted(PUBLIC - NOT_STARRED) == sorted(thena_runtime.__all__)


def test_a_star_import_takes_nothing_of_pythons_own_away() -> None:
    """`input` stays the builtin, and is the marker for who imports it by name."""
    names: dict[str, object] = {}
    exec("from thena_runtime import *", names)

    assert set() == names.keys() & vars(builtins).keys() - {"__builtins__"}
    assert isinstance(thena_runtime.input, Marker)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_public_name_exists_and_is_explained(name: str) -> None:
    """Each public name can be imported, those that load late too, and has a docstring of its own."""
    value = getattr(thena_runtime, name)
    if isinstance(value, type) or inspect.isroutine(value):
        assert (value.__doc__ or "").strip() != ""
        assert not (value.__doc__ or "").startswith(f"{name}(")  # what a dataclass writes when nobody did


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_public_method_is_explained(name: str) -> None:
    """Each public method and property that a public class defines has a docstring."""
    value = getattr(thena_runtime, name)
    members = vars(value) if isinstance(value, type) else {}
    functions = {
        key: member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        for key, member in members.items()
        if not key.startswith("_")
    }
    bare = [key for key, function in functions.items() if inspect.isfunction(function) and not inspect.getdoc(function)]
    assert [] == bare


def test_every_module_says_what_it_is_for() -> None:
    """Each module of each package begins with a docstring."""
    modules = [path for name in packages() for path in (ROOT / name).rglob("*.py")]
    assert ROOT / "thena_runtime" / "messages.py" in modules
    assert [] == [
        str(path.relative_to(ROOT)) for path in modules if not path.read_text("utf-8").startswith(('"""', 'r"""'))
    ]


def test_type_checkers_see_the_names_where_they_are_loaded_from() -> None:
    """What the face imports for type checkers is what it loads when a name is asked for, and neither lacks a name."""
    face = ast.parse((ROOT / "thena_runtime" / "__init__.py").read_text("utf-8"))
    seen = {
        (node.module, alias.name)
        for block in face.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    loaded = {(f"thena_runtime.{owner}", name) for owner, names in thena_runtime._OWNERS.items() for name in names}
    assert seen == loaded
    assert PUBLIC == {name for _, name in loaded} | {"memory"}


def test_importing_the_package_loads_next_to_nothing() -> None:
    """A name is loaded when it is first asked for; the marker of the name of a package stays the marker."""
    code = (
        "import sys, thena_runtime\n"
        "print(*sorted(name for name in sys.modules if name.startswith('thena_')))\n"
        "import thena_runtime.memory.vector\n"
        "print(type(thena_runtime.memory).__name__, 'Thena' in dir(thena_runtime), hasattr(thena_runtime, 'Tena'))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert [
        "thena_contract thena_contract.vocabulary thena_runtime thena_runtime.markers thena_runtime.memory",
        "MemoryMarker True False",
    ] == done.stdout.splitlines()
