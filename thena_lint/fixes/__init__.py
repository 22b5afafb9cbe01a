"""How faults are repaired: for each code, the fixes of one finding. They are worked out only when somebody asks.

Every fix is an edit of the text that leaves all else as it is written. One that isn't certain isn't offered.
"""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Fix
from thena_lint.fixes import (
    argument_type,
    blocking_call,
    call_decorator,
    caught_cancellation,
    context_in_hooks,
    declare_state,
    decorator_on_function,
    default_of_none,
    dropped_handle,
    frozen_state,
    hook_argument,
    import_for_types,
    missing_marker,
    misspelt_bucket,
    misspelt_field,
    misspelt_hook,
    misspelt_option,
    prompt_file,
    register_store,
    steps_in_a_list,
    stray_marker,
    suppression,
    until_parameters,
    until_value,
)
from thena_lint.rewrite.context import FixContext

Fixer = Callable[[FixContext, Diagnostic], Iterator[Fix]]

FIXES: Final[Mapping[str, tuple[Fixer, ...]]] = MappingProxyType(
    {
        "THN104": (prompt_file.fixes,),
        "THN105": (prompt_file.fixes,),
        "THN110": (misspelt_option.fixes,),
        "THN112": (call_decorator.fixes,),
        "THN113": (decorator_on_function.fixes,),
        "THN116": (steps_in_a_list.fixes,),
        "THN118": (call_decorator.fixes,),
        "THN201": (declare_state.fixes, default_of_none.fixes),
        "THN202": (context_in_hooks.fixes,),
        "THN204": (register_store.fixes, default_of_none.fixes),
        "THN205": (default_of_none.fixes,),
        "THN206": (stray_marker.fixes,),
        "THN208": (default_of_none.fixes,),
        "THN210": (default_of_none.fixes,),
        "THN211": (import_for_types.fixes,),
        "THN214": (missing_marker.fixes,),
        "THN301": (until_parameters.fixes, declare_state.fixes),
        "THN302": (until_parameters.fixes,),
        "THN303": (until_value.fixes,),
        "THN304": (declare_state.fixes,),
        "THN306": (until_parameters.fixes,),
        "THN309": (until_value.fixes,),
        "THN402": (argument_type.fixes,),
        "THN403": (missing_marker.fixes,),
        "THN501": (until_parameters.fixes,),
        "THN503": (misspelt_hook.fixes,),
        "THN504": (hook_argument.fixes,),
        "THN602": (misspelt_field.fixes,),
        "THN604": (frozen_state.fixes,),
        "THN801": (blocking_call.fixes,),
        "THN804": (misspelt_bucket.fixes,),
        "THN808": (caught_cancellation.fixes,),
        "THN809": (dropped_handle.fixes,),
        "THN902": (suppression.fixes,),
        "THN903": (suppression.fixes,),
    }
)
"""What repairs each fault, the best first."""
