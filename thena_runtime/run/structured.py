"""Answers that are to be data: the model is told of the type, its answer is read, and repaired once if it must be.

The exchange in which an answer is repaired leaves no trace in the conversation: later steps see the good answer alone.
"""

from dataclasses import replace

from thena_contract.run_faults.output_mismatch import OutputMismatch
from thena_runtime.build.output import OutputType, UnfitError, opening
from thena_runtime.build.plan import AgentNode
from thena_runtime.errors import OutputError
from thena_runtime.messages import Message
from thena_runtime.providers.provider import CompletionRequest
from thena_runtime.run.live import LiveAgent
from thena_runtime.run.model_call import ask_model, numbers_of
from thena_runtime.run_context import Context, facts_of


def system_messages(node: AgentNode, prompt: str) -> tuple[Message, ...]:
    """What a turn begins with: the prompt, and what the answer is to be."""
    return node.head if prompt is node.prompt else opening(prompt, node.output)


async def read_answer(
    agent: LiveAgent, request: CompletionRequest, answer: Message, ctx: Context
) -> tuple[Message, object]:
    """Read an answer, asking once more if it doesn't fit; returns the answer that was read, and its value."""
    wanted = agent.node.output
    if wanted is None:
        return answer, answer.content
    try:
        return answer, wanted.read(answer.content)
    except UnfitError as error:
        repaired = await _ask_again(agent, request, answer, _complaint(answer, error), ctx)
    try:
        return repaired, wanted.read(repaired.content)
    except UnfitError as error:
        raise _unfit(
            agent.node.name,
            wanted,
            f"its model was asked twice, and the answer still doesn't fit: {_complaint(repaired, error)}. "
            + (
                "Say in the prompt what each field means, or use another model."
                if repaired.finish_reason == "stop"
                else "Let the model answer with more tokens, or ask it for less."
            ),
        ) from None


def _complaint(answer: Message, error: UnfitError) -> str:
    """Say what is wrong, and what comes first where an answer isn't whole: that it was cut off."""
    return str(error) if answer.finish_reason == "stop" else f"it was cut off before its end, make it shorter ({error})"


async def _ask_again(
    agent: LiveAgent, request: CompletionRequest, answer: Message, complaint: str, ctx: Context
) -> Message:
    complained = Message(
        "user", f"This answer doesn't fit the schema: {complaint}. Answer again, with JSON of the schema alone."
    )
    again = replace(request, messages=(*request.messages, answer, complained), tools=())
    with facts_of(ctx).scope.recorder.node("chat", "chat") as node:
        node.data["repair"] = True
        completion, _ = await ask_model(agent.equipment.chat, agent.hooks.agent, agent.provider, again, ctx)
        node.data.update(numbers_of(completion))
    return Message("assistant", completion.content, finish_reason=completion.finish_reason)


def read_replacement(node: AgentNode, hook: str, text: str) -> object:
    """Read what a hook put in the place of an answer; it isn't repaired."""
    if node.output is None:
        return text
    try:
        return node.output.read(text)
    except UnfitError as error:
        raise _unfit_return(f"{node.name}.{hook}", node.output, error) from None


def check_returned(node: AgentNode, value: object) -> object:
    """Take what an agent's own `run` returned."""
    if node.output is None:
        return value
    try:
        return node.output.check(value)
    except UnfitError as error:
        raise _unfit_return(f"{node.name}.run", node.output, error) from None


def _unfit_return(subject: str, wanted: OutputType, error: UnfitError) -> OutputError:
    return _unfit(subject, wanted, f"{error}. Return what the agent's `output=` says.")


def _unfit(subject: str, wanted: OutputType, reason: str) -> OutputError:
    return OutputError(OutputMismatch(subject=subject, wanted=wanted.name, reason=reason))
