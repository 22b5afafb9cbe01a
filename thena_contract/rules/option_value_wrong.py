"""THN117: an option that can't have the value that it is given."""

from collections.abc import Iterator
from typing import ClassVar, Final, final

from thena_contract.anchor import Anchor
from thena_contract.assembly import Assembly
from thena_contract.declarations import UNKNOWN, AgentDecl, Given, LoopStep, ParallelStep, Thing, ToolDecl, Unknown
from thena_contract.fault import Fault, Finding
from thena_contract.options import is_no_output


@final
class OptionValueWrong(Fault):
    """An option is given a value of a kind that it can't have."""

    code: ClassVar[str] = "THN117"
    name: ClassVar[str] = "option-value-wrong"
    text: ClassVar[str] = "`{option}` of `{owner}` is {what}."
    hint: ClassVar[str] = "Give {wanted}."

    option: str
    owner: str
    what: str
    wanted: str


_LIST: Final = "a list: `[...]`"
_CALLS: Final = ("first", "all")


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every option whose value is certainly none that it can have."""
    for agent, _ in assembly.all_agents():
        for option, thing, wanted in _of_agent(agent):
            yield _found(agent.anchor.at("option", option), agent.ref.name, thing, wanted)
    for tool, _ in assembly.all_tools():
        for option, thing, wanted in _of_tool(tool):
            yield _found(tool.anchor.at("option", option), tool.ref.name, thing, wanted)
    if assembly.workflow is not None:
        owner = assembly.workflow.ref.name
        if isinstance(assembly.workflow.steps, Thing):
            yield _found(assembly.workflow.anchor.at("option", "steps"), owner, assembly.workflow.steps, _LIST)
        for step in assembly.steps():
            if isinstance(step, LoopStep | ParallelStep) and isinstance(step.steps, Thing) and _is_whole(step.given):
                yield _found(step.anchor.at("steps"), owner, step.steps, _LIST)


def _is_whole(given: Given | Unknown) -> bool:
    """Say whether all steps were given in one place: of several, none is meant to be the list."""
    return given is UNKNOWN or not given.unnamed


_Wrong = Iterator[tuple[str, Thing, str]]


def _of_agent(agent: AgentDecl) -> _Wrong:
    if isinstance(agent.tools, Thing):
        yield "tools", agent.tools, _LIST
    if isinstance(agent.prompt, Thing):
        yield "prompt", agent.prompt, 'the name of a file beside the class, or a text: `Prompt("...")`'
    if isinstance(agent.sampling, Thing):
        yield "sampling", agent.sampling, "a mapping, such as `{'temperature': 0}`"
    calls = _given(agent.given, "tool_calls")
    if calls is not None and calls.literal is not UNKNOWN and calls.literal not in _CALLS:
        yield "tool_calls", calls, '`"first"`, which executes one call of an answer, or `"all"`, which executes each'
    output = _given(agent.given, "output")
    if output is not None and is_no_output(output):
        yield "output", output, "a pydantic model or another type that JSON can hold, or leave `output=` out"


def _of_tool(tool: ToolDecl) -> _Wrong:
    for option, value in (("name", tool.name), ("description", tool.description)):
        if isinstance(value, Thing):
            yield option, value, "a string"
    repeatable = _given(tool.given, "repeatable")
    if repeatable is not None and (repeatable.kind, repeatable.name) != ("value", "bool"):
        yield "repeatable", repeatable, "`True` or `False`"


def _given(given: Given | Unknown, option: str) -> Thing | None:
    """What an option is given, as far as that is seen."""
    value = None if given is UNKNOWN else given.value(option)
    return value if isinstance(value, Thing) else None


def _found(anchor: Anchor, owner: str, thing: Thing, wanted: str) -> Finding:
    fault = OptionValueWrong(option=anchor.label, owner=owner, what=thing.text_as_value, wanted=wanted)
    return Finding(fault, anchor)
