"""THN503: a method that looks like a hook and is none."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract import vocabulary
from thena_contract.assembly import Assembly
from thena_contract.declarations import AgentDecl, Signature
from thena_contract.fault import Fault, Finding, Severity
from thena_contract.spelling import hook_like


@final
class HookMisspelt(Fault):
    """A method is called almost like a hook, or like one in camelCase, and so is never called."""

    code: ClassVar[str] = "THN503"
    name: ClassVar[str] = "hook-misspelt"
    severity: ClassVar[Severity] = Severity.WARNING
    text: ClassVar[str] = "`{agent}.{method}` is never called by Thena, but looks like the hook `{hook}`."
    hint: ClassVar[str] = "Give it the name `{hook}`, or another that no hook resembles."

    agent: str
    method: str
    hook: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every misspelt hook of an agent that lacks the hook itself."""
    for agent, method in assembly.all_methods():
        hook = hook_like(method.name)
        is_idle = isinstance(method.called, Signature) and method.is_mentioned is False
        if hook is not None and is_idle and _lacks(agent, hook):
            fault = HookMisspelt(agent=agent.ref.name, method=method.name, hook=hook)
            yield Finding(fault, method.anchor)


def _lacks(agent: AgentDecl, hook: str) -> bool:
    """Say whether an agent has hooks, and not this one."""
    return agent.method(hook) is None and agent.method(vocabulary.RUN) is None
