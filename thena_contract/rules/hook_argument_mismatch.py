"""THN504: a hook that takes the context first."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract import vocabulary
from thena_contract.assembly import Assembly
from thena_contract.declarations import Signature
from thena_contract.fault import Fault, Finding
from thena_contract.vocabulary import RequestKind


@final
class HookArgumentMismatch(Fault):
    """The first parameter of a hook is annotated `Context`, and receives something else."""

    code: ClassVar[str] = "THN504"
    name: ClassVar[str] = "hook-argument-mismatch"
    text: ClassVar[str] = (
        "`{agent}.{hook}` parameter 0 `{parameter}` is annotated `Context`, but receives the {receives}."
    )
    hint: ClassVar[str] = "Take the context last: `{hook}(self, {receives}, ctx)`."

    agent: str
    hook: str
    parameter: str
    receives: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every hook whose first parameter asks for the context."""
    for agent, method in assembly.called_methods():
        first = method.called.positional[:1] if isinstance(method.called, Signature) else ()
        for param in first:
            if param.asks_for(RequestKind.CONTEXT):
                fault = HookArgumentMismatch(
                    agent=agent.ref.name,
                    hook=method.name,
                    parameter=param.name,
                    receives=vocabulary.CALLED[method.name][0],
                )
                yield Finding(fault, param.anchor)
