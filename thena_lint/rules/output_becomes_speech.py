"""THN803: an agent reads the answer of the agent before it as something that it said itself."""

from collections.abc import Iterator
from itertools import pairwise

from thena_contract import vocabulary
from thena_contract.declarations import AgentStep, LoopStep
from thena_contract.source_faults.output_becomes_speech import OutputBecomesSpeech
from thena_lint.bodies.flows import Flow
from thena_lint.bodies.memory import BodyIndex
from thena_lint.bodies.spotted import Spotted

_PROMOTING = (vocabulary.RUN, "after_response")
_PREPARING = (vocabulary.RUN, "before_prompt")


def check(index: BodyIndex, flow: Flow) -> Iterator[Spotted]:
    """Report every agent that follows another, where neither does anything about the answer in between."""
    lists = [flow.workflow.steps, *(step.steps for step in flow.linked.assembly.steps() if isinstance(step, LoopStep))]
    for steps in lists:
        for first, second in pairwise(steps if isinstance(steps, tuple) else ()):
            if not isinstance(first, AgentStep) or not isinstance(second, AgentStep):
                continue
            site = flow.linked.site(second.anchor)
            is_left = flow.lacks(first.agent.ref, *_PROMOTING) and flow.lacks(second.agent.ref, *_PREPARING)
            if is_left and site is not None:
                yield Spotted(OutputBecomesSpeech(first=first.agent.ref.name, second=second.agent.ref.name), site)
