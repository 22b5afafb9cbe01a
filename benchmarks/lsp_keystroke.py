"""How long a keystroke takes to become diagnostics in the language server, over a real stdio conversation.

`python benchmarks/lsp_keystroke.py [EDITS]` opens a workflow and an agents file of about 300 and of about 3,000 lines
in a real server and edits the agents: in a method's body, at a parameter, and so that the code is half-typed; no text
comes twice. The last row edits the workflow and waits for the agents' diagnostics. Machines are noisy, so each
median is also set against a cold `thena-lint` of the same project.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
sys.path.insert(0, str(REPOSITORY))

from tests.support.lsp import Client  # noqa: E402 - the repository's root must be on the path first

EDITS = 50
PAUSE = 0.03

HEAD = """\
from state import Draft
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

PARAMETER = "s: State[Draft]) -> None:"


def main() -> None:
    """Measure and print the table."""
    edits = int(sys.argv[1]) if len(sys.argv) > 1 else EDITS
    print(f"{'lines':>6}  {'edit':<22} {'p50 ms':>8} {'p95 ms':>8}  {'cold lint : p50':>15}")
    for pieces in (12, 130):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            text = _write(folder, pieces)
            cold = statistics.median(_cold(folder) for _ in range(3))
            for label, times in _measured(folder, text, edits):
                p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
                ratio = f"{cold / p50:.0f}"
                print(f"{text.count(chr(10)):>6}  {label:<22} {p50 * 1000:>8.1f} {p95 * 1000:>8.1f}  {ratio:>15}")


def _write(folder: Path, pieces: int) -> str:
    text = HEAD + "".join(PIECE.format(n=number) for number in range(pieces))
    names = ", ".join(f"Writer{number}" for number in range(pieces))
    (folder / "state.py").write_text("class Draft:\n    notes: list[str] = []\n")
    (folder / "agents.py").write_text(text)
    (folder / "flow.py").write_text(
        f"from agents import {names}\nfrom state import Draft\nfrom thena_runtime import Workflow\n\n\n"
        f"@Workflow(state=Draft, steps=[{names}])\nclass Flow:\n    pass\n"
    )
    return text


def _cold(folder: Path) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "thena_lint", str(folder)], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def _measured(folder: Path, text: str, edits: int) -> Iterator[tuple[str, list[float]]]:
    agents, flow = folder / "agents.py", folder / "flow.py"
    with Client(folder) as client:
        client.initialize()
        client.open(flow)
        client.published(agents, client.open(agents))
        middle = text.index("self.s.notes.append", len(text) // 2)
        yield "in a body", _typed(client, agents, text, middle, "x{}.", edits)
        parameter = text.index(PARAMETER, len(text) // 2)
        yield "at a parameter", _typed(client, agents, text, parameter, "a{}: int, ", edits)
        yield "half-typed code", _typed(client, agents, text, middle, "(({} ", edits)
        workflow = flow.read_text()
        yield "in the workflow", _switched(client, flow, agents, workflow, edits)
        client.stop()


def _typed(client: Client, path: Path, text: str, offset: int, typed: str, edits: int) -> list[float]:
    """Insert something, replace it by something like it, and so on: no text comes twice, so nothing is remembered."""
    line = text.count("\n", 0, offset)
    column = offset - (text.rfind("\n", 0, offset) + 1)
    start, length, times = {"line": line, "character": column}, 0, []
    for number in range(edits):
        new = typed.format(number)
        change = {"range": {"start": start, "end": {"line": line, "character": column + length}}, "text": new}
        length = len(new)
        times.append(_timed(client, lambda: client.published(path, client.change(path, change))))  # noqa: B023
    client.published(path, client.replace(path, text))
    return times


def _switched(client: Client, flow: Path, agents: Path, workflow: str, edits: int) -> list[float]:
    """Take the workflow's state away and give it back, and wait for the agents."""
    bare = workflow.replace("state=Draft, ", "")
    faults = ["THN201"] * (2 * bare[: bare.index("\n")].count("Writer"))
    return [
        _timed(
            client,
            lambda: (
                client.replace(flow, (bare if number % 2 == 0 else workflow) + f"# {number}\n"),  # noqa: B023
                client.codes(agents, faults if number % 2 == 0 else []),  # noqa: B023
            ),
        )
        for number in range(edits + edits % 2)
    ]


def _timed(client: Client, edit: Callable[[], object]) -> float:
    time.sleep(PAUSE)
    began = time.perf_counter()
    edit()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
