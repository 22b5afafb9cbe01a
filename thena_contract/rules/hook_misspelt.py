"""THN503: a method that looks like a hook and is none."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final, final

from thena_contract import vocabulary
from thena_contract.assembly import Assembly
from thena_contract.declarations import AgentDecl, Signature
from thena_contract.fault import Fault, Finding, Severity

_MEANT: Final = frozenset(
    {
        *("no_error", "in_error", "an_error", "own_error"),
        *("alter_tool", "alter_response", "before_pool", "after_pool"),
    }
)
"""Names of one edit away from a hook's that are words of their own."""

_ENDINGS: Final = "s0123456789"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
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
        hook = _hook_like(method.name)
        if hook is not None and isinstance(method.called, Signature) and _lacks(agent, hook):
            fault = HookMisspelt(agent=agent.ref.name, method=method.name, hook=hook)
            yield Finding(fault, method.anchor)


def _lacks(agent: AgentDecl, hook: str) -> bool:
    """Say whether an agent has hooks, and not this one."""
    return agent.method(hook) is None and agent.method(vocabulary.RUN) is None


def _hook_like(name: str) -> str | None:
    """The hook that a name is a misspelling of."""
    if name in vocabulary.CALLED or name in _MEANT:
        return None
    return next((hook for hook in vocabulary.HOOKS if name == _camel_case(hook) or _is_misspelt(name, hook)), None)


def _camel_case(hook: str) -> str:
    first, *others = hook.split("_")
    return first + "".join(word.capitalize() for word in others)


def _is_misspelt(name: str, hook: str) -> bool:
    """Say whether a name is one edit away from a hook's; a plural, a number and a private name are no mistakes."""
    is_meant = name.strip("_") != name or (name[:-1] == hook and name[-1] in _ENDINGS)
    return not is_meant and _is_one_edit_away(name, hook)


def _is_one_edit_away(left: str, right: str) -> bool:
    """One letter more, less or other, or two neighbours swapped."""
    short, long = sorted((left, right), key=len)
    start = next((i for i, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    if len(long) - len(short) == 1:
        return short[start:] == long[start + 1 :]
    if len(long) != len(short) or short == long:
        return False
    is_swapped = short[start : start + 2] == long[start : start + 2][::-1]
    return short[start + 1 :] == long[start + 1 :] or (is_swapped and short[start + 2 :] == long[start + 2 :])
