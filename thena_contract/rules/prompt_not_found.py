"""THN105: a prompt file that doesn't exist."""

from collections.abc import Iterator
from typing import ClassVar, Final, final

from thena_contract.assembly import Assembly
from thena_contract.declarations import PromptFile
from thena_contract.fault import Fault, Finding

_LONGEST: Final = 60


@final
class PromptNotFound(Fault):
    """The file that `prompt=` names doesn't exist beside the agent's file."""

    code: ClassVar[str] = "THN105"
    name: ClassVar[str] = "prompt-not-found"
    text: ClassVar[str] = "`{agent}` has `prompt={prompt}`, and there is no such file beside the agent's own."
    hint: ClassVar[str] = 'Create the file, or write the text itself as `prompt=Prompt("...")`.'

    agent: str
    prompt: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every agent whose prompt file is certainly missing."""
    for agent, _ in assembly.all_agents():
        if isinstance(agent.prompt, PromptFile) and agent.prompt.exists is False:
            fault = PromptNotFound(agent=agent.ref.name, prompt=_quoted(agent.prompt.literal))
            yield Finding(fault, agent.anchor.at("option", "prompt"))


def _quoted(literal: str) -> str:
    """The literal in double quotes, on one line and not longer than a reader wants: a path keeps its end."""
    words = literal.split()
    line = " ".join(words)
    if len(line) > _LONGEST:
        line = line[: _LONGEST - 1] + "…" if len(words) > 1 else "…" + line[1 - _LONGEST :]
    return f'"{line}"'
