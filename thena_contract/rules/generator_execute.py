"""THN405: a tool that yields."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract import vocabulary
from thena_contract.anchor import Anchor
from thena_contract.assembly import Assembly
from thena_contract.declarations import UNKNOWN, Signature, ToolDecl
from thena_contract.fault import Fault, Finding


@final
class GeneratorExecute(Fault):
    """A tool's `execute` is a generator, whose result no model could be given."""

    code: ClassVar[str] = "THN405"
    name: ClassVar[str] = "generator-execute"
    text: ClassVar[str] = (
        "`{subject}` is a generator, because it has a `yield`, so nothing in it runs and the model gets no result."
    )
    hint: ClassVar[str] = "Give the whole result with `return` instead of `yield`."

    subject: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every tool that yields its result."""
    for tool, _ in assembly.all_tools():
        anchor = _anchor(tool)
        if anchor is not None and isinstance(tool.execute, Signature) and tool.execute.is_generator is True:
            yield Finding(GeneratorExecute(subject=tool.execute.subject), anchor)


def _anchor(tool: ToolDecl) -> Anchor | None:
    """Where `execute` stands, which may be in a base; a function is a tool without methods."""
    if tool.methods is UNKNOWN:
        return None
    return next((method.anchor for method in tool.methods if method.name == vocabulary.EXECUTE), tool.anchor)
