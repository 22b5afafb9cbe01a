"""The files that are edited: agents and tools as people write them, with one line that changes from edit to edit.

What that line names is declared nowhere, which every server has a word for.
"""

import re
from dataclasses import dataclass
from pathlib import Path

MEDIUM, LARGE = 534, 4_344
"""Lines of the files that are edited, about."""

HEAD = """\
from app.shared.state import Draft
from thena_runtime import Agent, Context, Prompt, ScriptedProvider, State, Tool
"""

PIECE = '''

@Tool(name="look_{n}", description="Look something up.")
class Look{n}:
    """A tool with an argument, the context and the state."""

    def execute(self, word: str, ctx: Context, s: State[Draft]) -> str:
        """Return what was found."""
        found = [line for line in s.notes if word in line]
        return "\\n".join(found) or f"Nothing is known of {{word}} in {{ctx.run_id}}."


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Write part {n}."), tools=[Look{n}])
class Writer{n}:
    """Writes one part."""

    def __init__(self, s: State[Draft]) -> None:
        self.s = s

    def after_response(self, response: str) -> None:
        """Keep the part."""
        self.s.notes.append(response.strip())  # part {n}
'''

TOOL = """\
from thena_runtime import Tool


@Tool(name="keep", description="Keep what was found.")
class Keep:
    def execute(self, text: str) -> str:
        return text
"""

USER = '''\
from thena_runtime import Agent, Prompt, ScriptedProvider

from .keeping import Keep


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Keep it."), tools=[Keep])
class Keeper:
    """Keeps what was found."""
'''


@dataclass(frozen=True, slots=True)
class Source:
    """A file, and what is typed between two halves of it, again and again, with another number each time."""

    path: Path
    above: str
    typed: str
    below: str
    names: str | None
    """What the diagnostics name; `None` where they name nothing that changes."""

    def after(self, number: int) -> str:
        """The text after so many edits."""
        return self.above + self.typed.format(number) + self.below

    def name(self, number: int) -> str | None:
        """What the diagnostics of that text name."""
        return None if self.names is None else self.names.format(number)

    def change(self, number: int) -> dict[str, object]:
        """What the client reports of this edit: what the one before typed is replaced."""
        start, end = _end(self.above), _end(self.above + self.typed.format(number - 1))
        return {"range": {"start": start, "end": end}, "text": self.typed.format(number)}

    @property
    def places(self) -> list[tuple[int, int]]:
        """Line and column (from 0) of names to point at, spread over the file."""
        lines = self.after(0).split("\n")
        words = ("State", "Agent", "Writer", "execute", "after_response", "Look", "Context", "Draft")
        found = [
            (number, match.start())
            for number, line in enumerate(lines)
            for match in re.finditer("|".join(words), line)
            if not line.startswith(("from", "import"))
        ]
        return found[:: max(1, len(found) // 200)]


def _end(text: str) -> dict[str, int]:
    """The position of the end of a text, as the protocol counts it; nothing but ASCII is in these."""
    return {"line": text.count("\n"), "character": len(text) - (text.rfind("\n") + 1)}


@dataclass(frozen=True, slots=True)
class Written:
    """A project with the files that are edited.

    `agents` are of two sizes, and so are the ways to type in them that only Thena's server has a word for; a tool is
    told of in the file of its `user`.
    """

    root: Path
    agents: dict[int, Source]
    ways: dict[str, Source]
    tool: Source
    user: Path


def write_agents(root: Path) -> Written:
    """Add the files that are edited to a project."""
    shared = root / "app" / "shared"
    shared.mkdir()
    (shared / "__init__.py").write_text("", encoding="utf-8")
    (shared / "state.py").write_text("class Draft:\n    notes: list[str] = []\n", encoding="utf-8")
    texts = {size: _write(shared / f"agents_{size}.py", size) for size in (MEDIUM, LARGE)}
    (shared / "keeping.py").write_text(TOOL, encoding="utf-8")
    (shared / "keeper.py").write_text(USER, encoding="utf-8")
    (shared / "flow.py").write_text(
        "from thena_runtime import Workflow\n\nfrom .keeper import Keeper\n\n\n"
        "@Workflow(steps=[Keeper])\nclass Keeping:\n    pass\n",
        encoding="utf-8",
    )
    # Nothing declares it, so the agent is told that it is no tool, by its name.
    tool = Source(shared / "keeping.py", "", "class Keep{0}:\n    pass\n\n\nKeep = Keep{0}\n", "", "`Keep{0}`")
    agents = {size: _typed_in(*one, "        found = [", _NAMED, "undefined_name_{0}") for size, one in texts.items()}
    ways = {
        f"{way}, {size:,} lines": _typed_in(*one, at, typed, names)
        for size, one in texts.items()
        for way, at, typed, names in (
            ("at a parameter", "s: State[Draft]) -> None:", "a{0}: int, ", "`a{0}`"),
            ("half-typed", "self.s.notes.append", "(({0} ", None),
        )
    }
    return Written(root, agents, ways, tool, shared / "keeper.py")


_NAMED = "        s.undefined_name_{0} = undefined_name_{0}\n"


def _typed_in(path: Path, text: str, at: str, typed: str, names: str | None) -> Source:
    middle = text.index(at, len(text) // 2)
    return Source(path, text[:middle], typed, text[middle:], names)


def _write(path: Path, size: int) -> tuple[Path, str]:
    count = (size - HEAD.count("\n")) // PIECE.count("\n")
    text = HEAD + "".join(PIECE.format(n=number) for number in range(count))
    names = ", ".join(f"Writer{number}" for number in range(count))
    path.write_text(text, encoding="utf-8")
    path.with_name(f"flow_{size}.py").write_text(
        f"from thena_runtime import Workflow\n\nfrom .{path.stem} import {names}\nfrom .state import Draft\n\n\n"
        f"@Workflow(state=Draft, steps=[{names}])\nclass Flow{size}:\n    pass\n",
        encoding="utf-8",
    )
    return path, text
