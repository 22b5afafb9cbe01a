"""THN104: an agent without a prompt."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract import vocabulary
from thena_contract.assembly import Assembly
from thena_contract.declarations import AgentDecl, PromptText
from thena_contract.fault import Fault, Finding
from thena_contract.options import is_meant


@final
class PromptMissing(Fault):
    """`@Agent` has no `prompt=`, or an empty one."""

    code: ClassVar[str] = "THN104"
    name: ClassVar[str] = "prompt-missing"
    text: ClassVar[str] = "`{agent}` has {what}, so its model isn't told what to do."
    hint: ClassVar[str] = (
        'Give `@Agent` a file beside the class (`prompt="./{agent}.agent.md"`) or a text (`prompt=Prompt("...")`).'
    )

    agent: str
    what: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every agent whose model is certainly told nothing."""
    for agent, _ in assembly.all_agents():
        if agent.prompt is None and not is_meant(agent.given, vocabulary.AGENT, "prompt"):
            yield _found(agent, "no `prompt=`")
        elif isinstance(agent.prompt, PromptText) and agent.prompt.is_empty is True:
            yield _found(agent, "an empty prompt")


def _found(agent: AgentDecl, what: str) -> Finding:
    return Finding(PromptMissing(agent=agent.ref.name, what=what), agent.anchor.at("option", "prompt"))
