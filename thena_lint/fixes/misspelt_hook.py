"""THN503: a method that is called almost like a hook, and that nothing calls."""

from collections.abc import Iterator

import libcst

from thena_contract.rules.hook_misspelt import HookMisspelt
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
            applicability=Applicability.UNSAFE,
            edits=(region.swap(method.name, one.fault.hook),),
        )
