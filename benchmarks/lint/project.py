"""Writes a project for the lint benchmark: features that use Thena, a few of them with a known fault, among other code.

A feature is seven files as people write them: the state reaches its users through an alias in another file, the agents
through a re-export. The other code is a sample of what is installed beside the Python that runs this.
"""

import random
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

FILES_OF_A_FEATURE = 7
SPEAKING_FILES = 4
"""How many files of a feature mention Thena; the others hold its state, its condition and its names."""

SMALLEST, LARGEST = 1_000, 60_000

HELPER = '''
    def helper_{n}(self, items: list[dict[str, str]], limit: int = 10) -> dict[str, int]:
        """Count things."""
        found: dict[str, int] = {{}}
        for number, item in enumerate(items):
            if number >= limit:
                break
            for key, value in item.items():
                found[key] = found.get(key, 0) + len(value)
        return {{key: value for key, value in sorted(found.items(), key=lambda one: -one[1]) if value > 1}}
'''

ALIASES = (
    """from thena_runtime import State

from .state import Draft

DraftState = State[Draft]
""",
    """from typing import Annotated

from thena_runtime import state

from .state import Draft

DraftState = Annotated[Draft, state()]
""",
    """import thena_runtime as th

from .state import Draft as Shared

_Inner = th.State[Shared]
DraftState = _Inner
""",
)

STATE = '''"""What the steps of feature {n} share."""


class Draft:
    text = ""
    approved = False
    notes: list[str] = []
'''

TOOL = """
@Tool(name="look_{k}", description="Look up {k}.")
class Look{k}:
    async def execute(self, text: str, ctx: Context, s: DraftState{default}) -> str:
        {body}
        return text
"""

AGENT = """
@Agent(provider=local_model, prompt="./{file}.agent.md", tools=[{tools}])
class {name}:
    def __init__(self, s: DraftState) -> None:
        self.s = s

    async def after_response(self, response: str) -> None:
        self.s.approved = "APPROVED" in response
"""

WORKFLOW = '''from thena_runtime import Workflow, loop

from .agents import Critic, Writer
from .rules import done
from .state import Draft


@Workflow({state}steps=[loop([Writer, Critic], until=done, max_iterations=5)])
class Flow{n}:
    """Feature {n}."""
'''


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A project on disk: how large it is, and the codes that must be found in it."""

    root: Path
    files: int
    lines: int
    speaking: int
    codes: tuple[str, ...]
    workflows: tuple[Path, ...]


def write_project(root: Path, files: int, share: float) -> Written:
    """Write so many files, of which a share mentions Thena; no more than there can be, if it is one."""
    features = max(1, min(round(files * share / SPEAKING_FILES), files // FILES_OF_A_FEATURE))
    texts = {Path("app/__init__.py"): "", Path("app/provider.py"): PROVIDER}
    for number in range(features):
        texts.update(_feature(Path(f"app/feature_{number}"), number, is_faulty=number == features // 2))
    sample = _sample(max(0, files - len(texts)))
    texts.update({Path(f"lib/part_{number // 100}/m{number}.py"): text for number, text in enumerate(sample)})
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    for number in range(features):
        for name in ("writer", "critic"):
            (root / f"app/feature_{number}/{name}.agent.md").write_text(f"You are the {name}.\n", encoding="utf-8")
    (root / "pyproject.toml").write_text('[project]\nname = "demo"\nversion = "0"\n', encoding="utf-8")
    return Written(
        root=root,
        files=len(texts),
        lines=sum(text.count("\n") for text in texts.values()),
        speaking=sum("thena" in text for text in texts.values()),
        codes=("THN201", "THN201", "THN201", "THN301"),
        workflows=tuple(root / f"app/feature_{number}/workflow.py" for number in range(features)),
    )


PROVIDER = """from thena_runtime import OpenAIProvider


def local_model() -> OpenAIProvider:
    return OpenAIProvider("small", base_url="http://localhost:8080/v1")
"""


def _feature(folder: Path, number: int, *, is_faulty: bool) -> Iterator[tuple[Path, str]]:
    """The files of a feature; a faulty one forgets to declare its state."""
    yield folder / "__init__.py", 'from .agents import Critic, Writer\n\n__all__ = ["Critic", "Writer"]\n'
    yield folder / "state.py", STATE.format(n=number)
    yield folder / "types.py", ALIASES[number % len(ALIASES)]
    yield (
        folder / "tools.py",
        "from thena_runtime import Context, Tool\n\nfrom .types import DraftState\n"
        + "".join(_tool(k) for k in range(4)),
    )
    yield (
        folder / "agents.py",
        (
            "from thena_runtime import Agent\n\nfrom app.provider import local_model\n\n"
            "from .tools import Look0, Look1, Look2, Look3\nfrom .types import DraftState\n"
            + AGENT.format(file="writer", name="Writer", tools="Look0, Look1")
            + HELPER.format(n=0)
            + AGENT.format(file="critic", name="Critic", tools="Look2, Look3")
            + HELPER.format(n=1)
        ),
    )
    yield (
        folder / "rules.py",
        (f'"""When feature {number} is finished."""\n\n\ndef done(ctx, s) -> bool:\n    return s.approved\n'),
    )
    yield folder / "workflow.py", WORKFLOW.format(n=number, state="" if is_faulty else "state=Draft, ")


def _tool(number: int) -> str:
    asks = number == 2
    body = "s.notes.append(text)" if asks else "text = text.strip()"
    return TOOL.format(k=number, body=body, default="" if asks else " | None = None") + HELPER.format(n=number)


def _sample(count: int) -> list[str]:
    """The text of so many files that have nothing to do with Thena; the same ones, where the same is installed."""
    folders = [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib")]
    paths = sorted({path for folder in folders for path in folder.rglob("*.py") if _is_usual(path)})
    random.Random(7).shuffle(paths)
    texts = list(islice((text for path in paths if (text := _text(path)) is not None), count))
    if count and not texts:
        raise SystemExit("No installed Python file was found to fill the project with.")
    return list(islice(cycle(texts), count))


def _is_usual(path: Path) -> bool:
    return not {"test", "tests", "lib2to3"} & set(path.parts) and SMALLEST < path.stat().st_size < LARGEST


def _text(path: Path) -> str | None:
    try:
        text = path.read_text(encoding="utf-8")
        compile(text, str(path), "exec", dont_inherit=True)
    except (OSError, ValueError, SyntaxError):
        return None
    return None if "thena" in text else text
