"""THN802: an agent with tools takes a workflow's last turn, so a tool's result may be what the workflow returns."""

from collections.abc import Iterator

from thena_contract import vocabulary
from thena_contract.declarations import AgentStep
from thena_contract.source_faults.tool_result_is_output import ToolResultIsOutput
from thena_lint.bodies.flows import Flow
from thena_lint.bodies.memory import BodyIndex
from thena_lint.bodies.spotted import Spotted

_ANSWERING = (vocabulary.RUN, "after_tool", "after_response")
"""What an agent may do itself about a tool's result."""


def check(index: BodyIndex, flow: Flow) -> Iterator[Spotted]:
    """Report a last step that is an agent with tools, and does nothing itself with what they return."""
    steps = flow.workflow.steps
    last = steps[-1] if isinstance(steps, tuple) and steps else None
    if not isinstance(last, AgentStep) or not last.agent.entries:
        return
    site = flow.linked.site(last.anchor)
    if flow.lacks(last.agent.ref, *_ANSWERING) and site is not None:
        yield Spotted(ToolResultIsOutput(agent=last.agent.ref.name, workflow=flow.workflow.ref.name), site)
