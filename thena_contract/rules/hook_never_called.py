"""THN502: a hook of an agent that owns its step."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract import vocabulary
from thena_contract.assembly import Assembly
from thena_contract.declarations import MethodDecl, Signature
from thena_contract.fault import Fault, Finding, Related, Severity


@final
class HookNeverCalled(Fault):
    """The agent defines `run`, so this hook never fires."""

    code: ClassVar[str] = "THN502"
    name: ClassVar[str] = "hook-never-called"
    severity: ClassVar[Severity] = Severity.WARNING
    text: ClassVar[str] = "`{agent}.{hook}` is never called, because `{agent}` defines `run` and so owns its step."
    hint: ClassVar[str] = "Take the hook away and do its work in `run`, or take `run` away."

    agent: str
    hook: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every hook beside a `run` that the class doesn't call itself."""
    for agent, hook in assembly.called_methods():
        run = agent.method(vocabulary.RUN)
        if isinstance(run, MethodDecl) and hook != run and hook.is_mentioned is False and _are_called(run, hook):
            fault = HookNeverCalled(agent=agent.ref.name, hook=hook.name)
            yield Finding(fault, hook.anchor, (Related(f"`{agent.ref.name}` owns its step here", run.anchor),))


def _are_called(*methods: MethodDecl) -> bool:
    return all(isinstance(method.called, Signature) for method in methods)
