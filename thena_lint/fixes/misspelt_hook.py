"""THN503: a method that is called almost like a hook, and that nothing calls."""

from collections.abc import Iterator

import libcst

from thena_contract import vocabulary
from thena_contract.declarations import Signature
from thena_contract.rules.hook_misspelt import HookMisspelt
from thena_contract.vocabulary import RequestKind
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Fix
from thena_lint.rewrite.context import FixContext


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Give it the name of the hook, if nothing else has the one that it has."""
    found = context.owner(one, libcst.FunctionDef)
    if found is None or not isinstance(one.fault, HookMisspelt):
        return
    region, method = found
    if all(text.startswith("def ", at - len("def ")) for text, at in context.mentions(method.name.value)):
        yield Fix(
            title=f"Call it `{one.fault.hook}`",
            applicability=Applicability.UNSAFE if _can_be_called(context, one) else Applicability.CHOICE,
            edits=(region.swap(method.name, one.fault.hook),),
        )


def _can_be_called(context: FixContext, one: Diagnostic) -> bool:
    """Say whether the method does what it is to do when it is called as the hook is."""
    linked = context.linked(one)
    methods = () if linked is None else linked.assembly.all_methods()
    called = next((method.called for _, method in methods if one.finding and method.anchor == one.finding.anchor), None)
    if not isinstance(called, Signature) or not isinstance(one.fault, HookMisspelt) or called.is_generator is True:
        return False
    takes_context_first = any(param.asks_for(RequestKind.CONTEXT) for param in called.positional[:1])
    is_short = len(called.required_positional) <= len(vocabulary.HOOKS[one.fault.hook])
    return is_short and not called.required_keyword and not takes_context_first
