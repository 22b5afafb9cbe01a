"""THN102: an entry of `tools=` that is no tool."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.declarations import Thing
from thena_contract.fault import Fault, Finding


@final
class ToolNotDeclared(Fault):
    """An entry of an agent's `tools=` is no `@Tool` class, no object of one and no function."""

    code: ClassVar[str] = "THN102"
    name: ClassVar[str] = "tool-not-declared"
    text: ClassVar[str] = "`{agent}` has {what} as `{position}`, which is no tool."
    hint: ClassVar[str] = "Put a class with `@Tool(...)` there, an object of one, or a function."

    agent: str
    position: str
    what: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every entry of a list of tools that is certainly none."""
    for agent, _ in assembly.all_agents():
        for entry in agent.entries:
            if isinstance(entry.tool, Thing):
                fault = ToolNotDeclared(
                    agent=agent.ref.name, position=entry.anchor.label, what=entry.tool.text_as_entry
                )
                yield Finding(fault, entry.anchor)
