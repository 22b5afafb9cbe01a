"""Every fault class by its code: for `explain`, the docs and the tests."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from thena_contract.fault import Fault
from thena_contract.rules.context_at_construction import ContextAtConstruction
from thena_contract.rules.prompt_not_found import PromptNotFound
from thena_contract.rules.state_not_declared import StateNotDeclared
from thena_contract.rules.step_not_agent import StepNotAgent
from thena_contract.rules.until_arity import UntilArity
from thena_contract.rules.until_needs_state import UntilNeedsState
from thena_contract.run_faults.budget_exceeded import BudgetExceeded
from thena_contract.run_faults.budget_not_kept import BudgetNotKept
from thena_contract.run_faults.fatal_tool import FatalTool
from thena_contract.run_faults.output_mismatch import OutputMismatch
from thena_contract.run_faults.outside_a_run import OutsideARun
from thena_contract.run_faults.provider_failed import ProviderFailed
from thena_contract.run_faults.run_aborted import RunAborted

FAULTS: Final[Mapping[str, type[Fault]]] = MappingProxyType(
    {
        fault.code: fault
        for fault in (
            StepNotAgent,
            PromptNotFound,
            StateNotDeclared,
            ContextAtConstruction,
            UntilNeedsState,
            UntilArity,
            BudgetExceeded,
            OutsideARun,
            ProviderFailed,
            FatalTool,
            RunAborted,
            OutputMismatch,
            BudgetNotKept,
        )
    }
)
