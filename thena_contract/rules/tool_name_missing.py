"""THN118: a tool that a model isn't told of."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract import vocabulary
from thena_contract.assembly import Assembly
from thena_contract.fault import Fault, Finding
from thena_contract.options import is_meant


@final
class ToolNameMissing(Fault):
    """`@Tool` has no `name=` or no `description=`."""

    code: ClassVar[str] = "THN118"
    name: ClassVar[str] = "tool-name-missing"
    text: ClassVar[str] = "`@Tool` on `{tool}` has no `{option}=`, {purpose}."
    hint: ClassVar[str] = 'Add `{option}="..."` to it.'

    tool: str
    option: str
    purpose: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every tool class without a name or description."""
    for tool, _ in assembly.all_tools():
        for option, value, purpose in (
            ("name", tool.name, "by which a model calls the tool"),
            ("description", tool.description, "which tells a model what the tool is for"),
        ):
            if value is None and not tool.is_function and not is_meant(tool.given, vocabulary.TOOL, option):
                fault = ToolNameMissing(tool=tool.ref.name, option=option, purpose=purpose)
                yield Finding(fault, tool.anchor.at("option", option))
