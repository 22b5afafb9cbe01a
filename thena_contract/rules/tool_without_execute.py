"""THN103: a tool that does nothing."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.declarations import Thing
from thena_contract.fault import Fault, Finding


@final
class ToolWithoutExecute(Fault):
    """A `@Tool` class has no method `execute`, its own or inherited."""

    code: ClassVar[str] = "THN103"
    name: ClassVar[str] = "tool-without-execute"
    text: ClassVar[str] = "`{tool}` has no method `execute`, so there is nothing to do when a model calls it."
    hint: ClassVar[str] = "Add `execute` to `{tool}`: its parameters are what the model fills in."

    tool: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every tool that certainly has nothing to call."""
    for tool, _ in assembly.all_tools():
        if tool.execute is None or isinstance(tool.execute, Thing):
            yield Finding(ToolWithoutExecute(tool=tool.ref.name), tool.anchor)
