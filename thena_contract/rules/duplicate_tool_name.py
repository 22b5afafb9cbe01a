"""THN108: two tools that a model can't tell apart."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.declarations import UNKNOWN, ToolDecl, ToolEntry
from thena_contract.fault import Fault, Finding, Related


@final
class DuplicateToolName(Fault):
    """Two tools of one agent have the same name."""

    code: ClassVar[str] = "THN108"
    name: ClassVar[str] = "duplicate-tool-name"
    text: ClassVar[str] = "`{agent}` has two tools named `{tool}`, and a model couldn't tell which one it calls."
    hint: ClassVar[str] = "Give one of them another name, or take it out of `tools=`."

    agent: str
    tool: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every tool whose name an earlier tool of the agent has."""
    for agent, _ in assembly.all_agents():
        first: dict[str, ToolEntry] = {}
        for entry in agent.entries:
            if entry.tool is UNKNOWN:
                break  # what comes after it may stand elsewhere in the list
            if isinstance(entry.tool, ToolDecl) and isinstance(entry.tool.name, str):
                before = first.setdefault(entry.tool.name, entry)
                if before is not entry:
                    fault = DuplicateToolName(agent=agent.ref.name, tool=entry.tool.name)
                    yield Finding(fault, entry.anchor, _related(before, entry))


def _related(before: ToolEntry, entry: ToolEntry) -> tuple[Related, ...]:
    """The other tool, and where each of the two gets its name."""
    names = {
        (tool.ref.name, tool.anchor if tool.is_function else tool.anchor.at("option", "name")): None
        for tool in (before.tool, entry.tool)
        if isinstance(tool, ToolDecl)
    }
    other = Related("the other one is here", before.anchor)
    return (other, *(Related(f"`{name}` gets its name here", anchor) for name, anchor in names))
