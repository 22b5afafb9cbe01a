"""What users' code hands back, looked at where it is taken.

Each function says what is wrong with a value and how to repair it, or nothing; who handed it back, the caller knows.
Where an answer is right, that costs a few comparisons, for every turn passes here.
"""

from collections.abc import Sequence

from thena_runtime.messages import FINISH_REASONS, Completion, FunctionCall, Message, ToolOutput, ToolSpec


def flaw_of_completion(completion: Completion) -> str | None:
    """Look at a completion's parts, but its usage."""
    calls = completion.tool_calls
    if not isinstance(completion.content, str):
        return f"a `Completion` whose `content` is of type `{_type(completion.content)}`. Give a string."
    if not isinstance(calls, tuple):
        return f"a `Completion` whose `tool_calls` are of type `{_type(calls)}`. Give a tuple of `FunctionCall(...)`."
    for call in calls:
        if not isinstance(call, FunctionCall):
            return (
                f"a `Completion` with a value of type `{_type(call)}` in its `tool_calls`. "
                "Put `FunctionCall(name=..., arguments=...)` there."
            )
        for part, value in (("name", call.name), ("id", call.id)):
            if not isinstance(value, str):
                return f"a `FunctionCall` whose `{part}` is of type `{_type(value)}`. Give a string."
    if completion.finish_reason not in FINISH_REASONS:
        return f"a `Completion` whose `finish_reason` is {completion.finish_reason!r}. Give one of: {_REASONS}."
    if type(completion.attempts) is not int:
        return f"a `Completion` whose `attempts` are of type `{_type(completion.attempts)}`. Give a whole number."
    return None


_REASONS = ", ".join(f"`{reason}`" for reason in FINISH_REASONS)


def flaw_of_output(output: ToolOutput) -> str | None:
    """Look at a tool's output."""
    if not isinstance(output.content, str):
        return f"a `ToolOutput` whose `content` is of type `{_type(output.content)}`. Give a string."
    if not isinstance(output.is_error, bool):
        return f"a `ToolOutput` whose `is_error` is of type `{_type(output.is_error)}`. Give `True` or `False`."
    return None


def flaw_of_messages(messages: object) -> str | None:
    """Look at what is to be a list of messages."""
    if not isinstance(messages, Sequence) or isinstance(messages, str):
        return f"`messages` of type `{_type(messages)}`. Give a list of `Message(role, content)` values."
    for message in messages:
        if not isinstance(message, Message):
            return (
                f"a message of type `{_type(message)}`. "
                'Give `Message(role, content)` values, such as `Message("user", "...")`.'
            )
        if not isinstance(message.content, str):
            return f"a `Message` whose `content` is of type `{_type(message.content)}`. Give a string."
    return None


def flaw_of_specs(tools: object) -> str | None:
    """Look at what is to be a list of tools as a model is told of them."""
    if not isinstance(tools, Sequence) or isinstance(tools, str):
        return f"`tools` of type `{_type(tools)}`. Give a list of `ToolSpec(...)` values."
    for tool in tools:
        if not isinstance(tool, ToolSpec):
            return f"a tool of type `{_type(tool)}`. Give `ToolSpec(...)` values, such as those that stood in `tools`."
    return None


def flaw_of_sampling(sampling: object) -> str | None:
    """Look at what is to be a sampling."""
    if isinstance(sampling, dict) and all(isinstance(key, str) for key in sampling):
        return None
    return f"`sampling` of type `{_type(sampling)}`. Give a dict, such as `{{'temperature': 0.2}}`."


def _type(value: object) -> str:
    return type(value).__name__
