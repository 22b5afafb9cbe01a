"""THN106: an agent whose provider can't complete anything."""

from collections.abc import Iterator
from typing import ClassVar, Final, final

from thena_contract import vocabulary
from thena_contract.assembly import Assembly
from thena_contract.declarations import UNKNOWN, AgentDecl, ProviderDecl, Shape, Signature, Thing, Unknown
from thena_contract.fault import Fault, Finding
from thena_contract.options import is_meant


@final
class ProviderNotUsable(Fault):
    """`provider=` is missing, or is no provider and nothing that makes one without arguments."""

    code: ClassVar[str] = "THN106"
    name: ClassVar[str] = "provider-not-usable"
    text: ClassVar[str] = "`{agent}` has {what}."
    hint: ClassVar[str] = "Give {instead}."

    agent: str
    what: str
    instead: str


_A_PROVIDER: Final = "it an object with `complete` and `close`, or a class or function that makes one without arguments"
_TO_A_PROVIDER: Final = 'the name of a model to a provider, as in `provider=OpenAIProvider("gpt-4o")`'
_MADE: Final = frozenset({"class", "agent", "tool", "workflow"})


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every agent that certainly has no model to ask."""
    for agent, _ in assembly.all_agents():
        what = _what(agent)
        if what is not None:
            is_text = isinstance(agent.provider, Thing) and agent.provider.name == "str"
            instead = _TO_A_PROVIDER if is_text else _A_PROVIDER
            fault = ProviderNotUsable(agent=agent.ref.name, what=what, instead=instead)
            yield Finding(fault, agent.anchor.at("option", "provider"))


def _what(agent: AgentDecl) -> str | None:
    """What is wrong, or `None`."""
    match agent.provider:
        case None:
            return None if is_meant(agent.given, vocabulary.AGENT, "provider") else "no `provider=`"
        case Thing() as thing:
            return f"{thing.text} as its provider, which is none"
        case ProviderDecl() as provider:
            reason = _reason(provider)
            return None if reason is None else f"{provider.thing.text} as its provider, which {reason}"
    return None


def _reason(provider: ProviderDecl) -> str | None:
    if provider.thing.kind in _MADE and provider.has_complete is False:
        return "has no method `complete`"
    if isinstance(provider.shape, Shape) and provider.shape.kind != "plain":
        return f"is {provider.shape.text}"
    if isinstance(provider.call, Signature) and provider.call.is_generator is True:
        return "is a generator: it yields what it should return"
    needed = _needed(provider.call) or _needed(None if provider.shape is UNKNOWN else provider.shape.new)
    return None if needed is None else f"needs `{needed}`, and is called without arguments"


def _needed(call: Signature | Unknown | None) -> str | None:
    """The first parameter without which a call fails."""
    if not isinstance(call, Signature):
        return None
    return next((param.name for param in call.params if param.is_required), None)
