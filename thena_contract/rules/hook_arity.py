"""THN501: a hook that can't be called with what it is given."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract import vocabulary
from thena_contract.assembly import Assembly
from thena_contract.declarations import Signature, Thing, Unknown
from thena_contract.fault import Fault, Finding


@final
class HookArity(Fault):
    """A hook, or an agent's own `run`, needs more arguments than it is given, or can't be called."""

    code: ClassVar[str] = "THN501"
    name: ClassVar[str] = "hook-arity"
    text: ClassVar[str] = "`{agent}.{hook}` {fact}, but it is called with `({given})`."
    hint: ClassVar[str] = "Make it a method of `(self, {given})`, which may leave out the last ones."

    agent: str
    hook: str
    fact: str
    given: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every method of an agent that the runtime would fail to call."""
    for agent, method in assembly.called_methods():
        given = vocabulary.CALLED[method.name]
        fact = _fact(method.called, len(given))
        if isinstance(method.called, Thing) and method.name == vocabulary.RUN:
            continue  # An agent whose `run` can't be called has no step of its own, and may call anything so.
        if fact is not None:
            fault = HookArity(agent=agent.ref.name, hook=method.name, fact=fact, given=", ".join(given))
            yield Finding(fault, method.anchor)


def _fact(called: Signature | Thing | Unknown, given: int) -> str | None:
    """What makes the call impossible, or `None`."""
    match called:
        case Thing():
            return f"is {called.text}"
        case Signature() if called.required_keyword:
            return f"has a required keyword-only parameter `{called.required_keyword[0].name}`"
        case Signature() if len(called.required_positional) > given:
            return f"needs {len(called.required_positional)} arguments"
    return None
