"""THN109: a tool that a model can't be told of."""

import re
from collections.abc import Iterator
from typing import ClassVar, Final, final

from thena_contract.anchor import Anchor
from thena_contract.assembly import Assembly
from thena_contract.declarations import ToolDecl, literal_of
from thena_contract.fault import Fault, Finding

_ACCEPTED: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


@final
class ToolNameInvalid(Fault):
    """A tool's name is one that no provider accepts, or its description is empty."""

    code: ClassVar[str] = "THN109"
    name: ClassVar[str] = "tool-name-invalid"
    text: ClassVar[str] = "`{tool}` has {what}."
    hint: ClassVar[str] = "Give it {wanted}."

    tool: str
    what: str
    wanted: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every tool whose name or description is seen and can't be sent."""
    for tool, _ in assembly.all_tools():
        if isinstance(tool.name, str) and not _ACCEPTED.fullmatch(tool.name):
            fault = ToolNameInvalid(
                tool=tool.ref.name,
                what=f"{_shown(tool.name)}, which no provider accepts",
                wanted="a name of 1 to 64 letters, digits, `_` and `-`",
            )
            yield Finding(fault, _anchor(tool, "name"))
        if tool.is_function and tool.description is None:
            fault = ToolNameInvalid(
                tool=tool.ref.name,
                what="no docstring, and a model is told by it what the function is for",
                wanted="a docstring that begins with a sentence about what it does",
            )
            yield Finding(fault, tool.anchor)
        if isinstance(tool.description, str) and not tool.description.strip():
            fault = ToolNameInvalid(
                tool=tool.ref.name,
                what="an empty description, and a model is told by it what the tool is for",
                wanted="a sentence about what it does",
            )
            yield Finding(fault, _anchor(tool, "description"))


def _shown(name: str) -> str:
    return f'the name `"{name}"`' if literal_of(name) is not None and "`" not in name else "a name"


def _anchor(tool: ToolDecl, option: str) -> Anchor:
    return tool.anchor if tool.is_function else tool.anchor.at("option", option)
