"""Every fault class by its code: for `explain`, the docs and the tests."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from thena_contract.fault import Fault
from thena_contract.rules.abstract_step import AbstractStep
from thena_contract.rules.annotation_unresolvable import AnnotationUnresolvable
from thena_contract.rules.brake_out_of_range import BrakeOutOfRange
from thena_contract.rules.callback_arity import CallbackArity
from thena_contract.rules.context_at_construction import ContextAtConstruction
from thena_contract.rules.data_type_mismatch import DataTypeMismatch
from thena_contract.rules.decorator_on_non_class import DecoratorOnNonClass
from thena_contract.rules.decorator_without_call import DecoratorWithoutCall
from thena_contract.rules.duplicate_tool_name import DuplicateToolName
from thena_contract.rules.generator_execute import GeneratorExecute
from thena_contract.rules.generator_hook import GeneratorHook
from thena_contract.rules.hook_argument_mismatch import HookArgumentMismatch
from thena_contract.rules.hook_arity import HookArity
from thena_contract.rules.hook_misspelt import HookMisspelt
from thena_contract.rules.hook_never_called import HookNeverCalled
from thena_contract.rules.input_not_a_model import InputNotAModel
from thena_contract.rules.input_outside_execute import InputOutsideExecute
from thena_contract.rules.marker_has_no_effect import MarkerHasNoEffect
from thena_contract.rules.no_json_schema import NoJsonSchema
from thena_contract.rules.no_store_registered import NoStoreRegistered
from thena_contract.rules.option_value_wrong import OptionValueWrong
from thena_contract.rules.option_without_name import OptionWithoutName
from thena_contract.rules.parameter_unfillable import ParameterUnfillable
from thena_contract.rules.parameter_without_type import ParameterWithoutType
from thena_contract.rules.prompt_missing import PromptMissing
from thena_contract.rules.prompt_not_found import PromptNotFound
from thena_contract.rules.provider_not_usable import ProviderNotUsable
from thena_contract.rules.state_immutable import StateImmutable
from thena_contract.rules.state_not_constructible import StateNotConstructible
from thena_contract.rules.state_not_copyable import StateNotCopyable
from thena_contract.rules.state_not_declared import StateNotDeclared
from thena_contract.rules.state_type_mismatch import StateTypeMismatch
from thena_contract.rules.state_without_marker import StateWithoutMarker
from thena_contract.rules.step_not_agent import StepNotAgent
from thena_contract.rules.store_not_registered import StoreNotRegistered
from thena_contract.rules.too_few_stores import TooFewStores
from thena_contract.rules.tool_name_invalid import ToolNameInvalid
from thena_contract.rules.tool_name_missing import ToolNameMissing
from thena_contract.rules.tool_not_declared import ToolNotDeclared
from thena_contract.rules.tool_without_execute import ToolWithoutExecute
from thena_contract.rules.two_declarations import TwoDeclarations
from thena_contract.rules.two_inputs import TwoInputs
from thena_contract.rules.two_markers import TwoMarkers
from thena_contract.rules.unknown_option import UnknownOption
from thena_contract.rules.unsupported_parameter import UnsupportedParameter
from thena_contract.rules.until_arity import UntilArity
from thena_contract.rules.until_is_a_class import UntilIsAClass
from thena_contract.rules.until_needs_state import UntilNeedsState
from thena_contract.rules.until_not_callable import UntilNotCallable
from thena_contract.rules.until_state_mismatch import UntilStateMismatch
from thena_contract.rules.variadic_execute import VariadicExecute
from thena_contract.rules.workflow_recursion import WorkflowRecursion
from thena_contract.rules.workflow_without_steps import WorkflowWithoutSteps
from thena_contract.run_faults.budget_exceeded import BudgetExceeded
from thena_contract.run_faults.budget_not_kept import BudgetNotKept
from thena_contract.run_faults.fatal_tool import FatalTool
from thena_contract.run_faults.output_mismatch import OutputMismatch
from thena_contract.run_faults.outside_a_run import OutsideARun
from thena_contract.run_faults.provider_failed import ProviderFailed
from thena_contract.run_faults.run_aborted import RunAborted
from thena_contract.source_faults.bad_configuration import BadConfiguration
from thena_contract.source_faults.blocking_call import BlockingCall
from thena_contract.source_faults.handle_dropped import HandleDropped
from thena_contract.source_faults.output_becomes_speech import OutputBecomesSpeech
from thena_contract.source_faults.reserved_context_name import ReservedContextName
from thena_contract.source_faults.secret_in_memory import SecretInMemory
from thena_contract.source_faults.shared_class_attribute import SharedClassAttribute
from thena_contract.source_faults.swallowed_cancellation import SwallowedCancellation
from thena_contract.source_faults.tool_result_is_output import ToolResultIsOutput
from thena_contract.source_faults.unknown_bucket import UnknownBucket
from thena_contract.source_faults.unknown_code import UnknownCode
from thena_contract.source_faults.unknown_state_field import UnknownStateField
from thena_contract.source_faults.until_always_true import UntilAlwaysTrue
from thena_contract.source_faults.until_never_true import UntilNeverTrue
from thena_contract.source_faults.unused_suppression import UnusedSuppression

FAULTS: Final[Mapping[str, type[Fault]]] = MappingProxyType(
    {
        fault.code: fault
        for fault in (
            StepNotAgent,
            ToolNotDeclared,
            ToolWithoutExecute,
            PromptMissing,
            PromptNotFound,
            ProviderNotUsable,
            WorkflowWithoutSteps,
            DuplicateToolName,
            ToolNameInvalid,
            UnknownOption,
            WorkflowRecursion,
            DecoratorWithoutCall,
            DecoratorOnNonClass,
            TwoDeclarations,
            AbstractStep,
            OptionWithoutName,
            OptionValueWrong,
            ToolNameMissing,
            StateNotDeclared,
            ContextAtConstruction,
            InputOutsideExecute,
            StoreNotRegistered,
            NoStoreRegistered,
            MarkerHasNoEffect,
            TwoInputs,
            ParameterUnfillable,
            StateTypeMismatch,
            TooFewStores,
            AnnotationUnresolvable,
            UnsupportedParameter,
            TwoMarkers,
            StateWithoutMarker,
            DataTypeMismatch,
            UntilNeedsState,
            UntilArity,
            UntilNotCallable,
            UntilStateMismatch,
            BrakeOutOfRange,
            CallbackArity,
            UntilIsAClass,
            InputNotAModel,
            ParameterWithoutType,
            NoJsonSchema,
            VariadicExecute,
            GeneratorExecute,
            HookArity,
            HookNeverCalled,
            HookMisspelt,
            HookArgumentMismatch,
            GeneratorHook,
            StateNotConstructible,
            StateNotCopyable,
            StateImmutable,
            BudgetExceeded,
            OutsideARun,
            ProviderFailed,
            FatalTool,
            RunAborted,
            OutputMismatch,
            BudgetNotKept,
            UntilNeverTrue,
            UntilAlwaysTrue,
            UnknownStateField,
            BlockingCall,
            ToolResultIsOutput,
            OutputBecomesSpeech,
            UnknownBucket,
            ReservedContextName,
            SecretInMemory,
            SharedClassAttribute,
            SwallowedCancellation,
            HandleDropped,
            UnusedSuppression,
            UnknownCode,
            BadConfiguration,
        )
    }
)
