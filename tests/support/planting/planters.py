"""One fault planted into a right program by rewriting its source, and where it must be found.

A planter finds every place of a project where it applies. What it writes holds a mark, which is taken out again and
says at which lines the fault is to be found. Nothing here knows how a rule decides: only what a user got wrong.
"""

import ast
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.support.planting.code import (
    a_bucket_that_is_not_there,
    a_cancellation_that_is_swallowed,
    a_comment_about_nothing,
    a_comment_with_a_code_that_is_not_there,
    a_frozen_state,
    a_key_that_the_model_reads,
    a_list_for_all_runs,
    a_misspelt_field,
    a_name_that_the_runtime_owns,
    a_run_that_nobody_awaits,
    a_sleep_that_blocks,
    a_state_that_needs_something,
    an_until_that_answers_nothing,
    an_until_that_is_always_true,
)
from tests.support.planting.declarations import (
    a_decorator_on_a_function_tool,
    a_decorator_without_brackets,
    a_loop_over_nothing,
    a_misspelt_option,
    a_misspelt_option_of_a_loop,
    a_models_name_as_provider,
    a_prompt_file_that_is_not_there,
    a_string_as_step,
    a_string_as_step_of_a_loop,
    a_string_as_tool,
    a_tool_that_is_not_described,
    a_tool_that_says_nothing,
    a_tool_twice,
    a_tool_without_its_decorator,
    a_tools_name_with_a_blank,
    a_workflow_in_its_own_list,
    a_wrong_value,
    an_abstract_agent,
    an_agent_that_became_a_tool,
    an_agent_that_was_a_tool,
    an_empty_prompt,
    an_execute_by_another_name,
    an_object_as_step,
    an_option_without_its_name,
    another_tools_name,
    no_prompt,
    no_provider,
    no_steps,
)
from tests.support.planting.injection import (
    a_marker_in_a_tools_constructor,
    a_marker_on_a_hook,
    a_parameter_that_nothing_fills,
    a_plain_state_without_its_marker,
    a_type_that_is_not_imported,
    an_input_beside_arguments,
    another_data,
    another_state,
    no_state_declared,
    no_store_at_all,
    no_stores_for_what_is_asked_by_name,
    one_store_too_few,
    the_context_in_a_constructor,
    the_input_in_a_constructor,
    the_state_as_args,
    the_state_where_there_is_none,
    the_state_without_its_marker,
    two_things_at_once,
)
from tests.support.planting.loops import (
    a_brake_below_one,
    a_callback_that_wants_more,
    a_class_as_until,
    a_loop_over_another_state,
    a_sentence_as_until,
    an_until_of_nothing,
    an_until_over_another_state,
    an_until_with_a_state_that_is_not_there,
    no_until,
)
from tests.support.planting.source import MARK, Edit, Edits, Project, Source
from tests.support.planting.tools_and_hooks import (
    a_generator_as_hook,
    a_generator_as_tool,
    a_hook_that_wants_more,
    a_misspelt_hook,
    a_run_beside_hooks,
    a_tool_of_any_arguments,
    an_argument_without_a_schema,
    an_argument_without_annotation,
    an_input_that_is_no_model,
    the_context_first,
)


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A project with one fault: the files that are others, the lines of the fault, what may follow from it."""

    code: str
    project: Path
    files: Mapping[str, str]
    """The new text of each file that was rewritten, by its path in the project."""
    places: frozenset[tuple[str, int]]
    consequences: frozenset[str]

    def __str__(self) -> str:
        """The project and the places."""
        places = ", ".join(f"{file}:{line}" for file, line in sorted(self.places))
        return f"{self.project.name} {places}"


@dataclass(frozen=True, kw_only=True)
class Planter:
    """How one fault is planted, and the codes of what follows from it, with the reason beside it."""

    code: str
    plant: Callable[[Project], Edits]
    consequences: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What it plants, in words."""
        return self.plant.__name__

    def mutants(self, project: Project, most: int | None = None) -> Iterator[Mutant]:
        """The mutants of a project; `most` of them, always the same."""
        edits = list(self.plant(project))
        if most is not None and len(edits) > most:
            edits = random.Random(f"{self.name} {project.folder.name}").sample(edits, most)
        return (self._mutant(project, one) for one in edits)

    def _mutant(self, project: Project, edits: Mapping[Source, Sequence[Edit]]) -> Mutant:
        files = {source: _edited(source.text, changes) for source, changes in edits.items()}
        places = {
            (source.path, number)
            for source, text in files.items()
            for number, line in enumerate(text.split("\n"), start=1)
            if MARK in line
        }
        clean = {source.path: text.replace(MARK, "") for source, text in files.items()}
        assert places, f"{self.name} marked nothing in {project.folder.name}"
        assert all(ast.parse(text) for text in clean.values())
        return Mutant(
            code=self.code,
            project=project.folder,
            files=clean,
            places=frozenset(places),
            consequences=frozenset(self.consequences),
        )


def _edited(text: str, edits: Sequence[Edit]) -> str:
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end), reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


PLANTERS: Final = (
    Planter(code="THN101", plant=a_string_as_step),
    Planter(code="THN101", plant=a_string_as_step_of_a_loop),
    Planter(code="THN101", plant=an_object_as_step),
    Planter(code="THN102", plant=a_string_as_tool),
    Planter(code="THN102", plant=a_tool_without_its_decorator),
    # What `execute` asked for, a method of another name asks for in vain.
    Planter(code="THN103", plant=an_execute_by_another_name, consequences=("THN206",)),
    Planter(code="THN104", plant=no_prompt),
    Planter(code="THN104", plant=an_empty_prompt),
    Planter(code="THN105", plant=a_prompt_file_that_is_not_there),
    Planter(code="THN106", plant=a_models_name_as_provider),
    Planter(code="THN106", plant=no_provider),
    Planter(code="THN107", plant=no_steps),
    Planter(code="THN107", plant=a_loop_over_nothing),
    Planter(code="THN108", plant=a_tool_twice),
    Planter(code="THN108", plant=another_tools_name),
    Planter(code="THN109", plant=a_tools_name_with_a_blank),
    Planter(code="THN109", plant=a_tool_that_says_nothing),
    Planter(code="THN110", plant=a_misspelt_option),
    Planter(code="THN110", plant=a_misspelt_option_of_a_loop),
    Planter(code="THN111", plant=a_workflow_in_its_own_list),
    Planter(code="THN112", plant=a_decorator_without_brackets),
    Planter(code="THN113", plant=a_decorator_on_a_function_tool),
    Planter(code="THN114", plant=an_agent_that_was_a_tool),
    # The last decorator decides what the class is: a tool, which is no step, has no `execute` and is given no state.
    Planter(code="THN114", plant=an_agent_that_became_a_tool, consequences=("THN101", "THN103", "THN206", "THN208")),
    Planter(code="THN115", plant=an_abstract_agent),
    Planter(code="THN116", plant=an_option_without_its_name),
    Planter(code="THN117", plant=a_wrong_value),
    Planter(code="THN118", plant=a_tool_that_is_not_described),
    # An `until` or a state in a constructor needs the same state.
    Planter(code="THN201", plant=no_state_declared, consequences=("THN301", "THN304")),
    Planter(code="THN201", plant=the_state_where_there_is_none),
    Planter(code="THN202", plant=the_context_in_a_constructor),
    Planter(code="THN203", plant=the_input_in_a_constructor),
    # With one store less there are also too few by position.
    Planter(code="THN204", plant=no_stores_for_what_is_asked_by_name, consequences=("THN210",)),
    Planter(code="THN205", plant=no_store_at_all, consequences=("THN204", "THN210")),
    Planter(code="THN206", plant=a_marker_on_a_hook),
    Planter(code="THN206", plant=a_marker_in_a_tools_constructor),
    Planter(code="THN207", plant=an_input_beside_arguments),
    Planter(code="THN208", plant=a_parameter_that_nothing_fills),
    Planter(code="THN209", plant=another_state),
    Planter(code="THN210", plant=one_store_too_few, consequences=("THN204",)),
    Planter(code="THN211", plant=a_type_that_is_not_imported),
    # What it asks for isn't there either in a workflow without a state.
    Planter(code="THN212", plant=the_state_as_args, consequences=("THN201",)),
    # One of the two is the context, which no constructor can ask for.
    Planter(code="THN213", plant=two_things_at_once, consequences=("THN202",)),
    # It becomes an argument: one that stands beside the whole input.
    Planter(code="THN214", plant=the_state_without_its_marker, consequences=("THN207",)),
    Planter(code="THN403", plant=a_plain_state_without_its_marker, consequences=("THN207",)),
    Planter(code="THN215", plant=another_data),
    Planter(code="THN301", plant=an_until_with_a_state_that_is_not_there),
    Planter(code="THN302", plant=an_until_of_nothing),
    Planter(code="THN303", plant=no_until),
    Planter(code="THN303", plant=a_sentence_as_until),
    Planter(code="THN304", plant=a_loop_over_another_state),
    Planter(code="THN304", plant=an_until_over_another_state),
    Planter(code="THN305", plant=a_brake_below_one),
    Planter(code="THN306", plant=a_callback_that_wants_more),
    Planter(code="THN307", plant=an_until_that_answers_nothing),
    Planter(code="THN308", plant=an_until_that_is_always_true),
    Planter(code="THN309", plant=a_class_as_until),
    Planter(code="THN401", plant=an_input_that_is_no_model),
    Planter(code="THN402", plant=an_argument_without_annotation),
    Planter(code="THN403", plant=an_argument_without_a_schema),
    Planter(code="THN404", plant=a_tool_of_any_arguments),
    Planter(code="THN405", plant=a_generator_as_tool),
    Planter(code="THN501", plant=a_hook_that_wants_more),
    Planter(code="THN502", plant=a_run_beside_hooks),
    Planter(code="THN503", plant=a_misspelt_hook),
    Planter(code="THN504", plant=the_context_first),
    Planter(code="THN505", plant=a_generator_as_hook),
    Planter(code="THN601", plant=a_state_that_needs_something),
    Planter(code="THN602", plant=a_misspelt_field),
    Planter(code="THN604", plant=a_frozen_state),
    Planter(code="THN801", plant=a_sleep_that_blocks),
    Planter(code="THN804", plant=a_bucket_that_is_not_there),
    Planter(code="THN805", plant=a_name_that_the_runtime_owns),
    Planter(code="THN806", plant=a_key_that_the_model_reads),
    Planter(code="THN807", plant=a_list_for_all_runs),
    Planter(code="THN808", plant=a_cancellation_that_is_swallowed),
    Planter(code="THN809", plant=a_run_that_nobody_awaits),
    Planter(code="THN902", plant=a_comment_about_nothing),
    Planter(code="THN903", plant=a_comment_with_a_code_that_is_not_there),
)
