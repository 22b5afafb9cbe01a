"""A chat middleware that sends a model only the last part of a conversation. The conversation itself stays whole.

What is cut off is a run of messages from its beginning, after the system messages that lead it. A tool call is never
parted from its results: both are sent or neither is.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from thena_runtime.messages import Completion, Message
from thena_runtime.middleware.invocation import ChatInvocation, ChatMiddleware

NOTICE: Final = "Earlier messages of this conversation were left out to keep it short."
TRUNCATED: Final = "\n[truncated]"


def context_window(
    *,
    max_turns: int | None = None,
    max_chars: int | None = None,
    max_chars_per_tool: int | None = None,
    notice: str | bool = True,
) -> ChatMiddleware:
    """Make a middleware that keeps what is sent within limits: `app.use(chat=context_window(max_turns=20))`.

    The last message is always sent, with the call that it answers, whatever the limits are. Each call's node says
    `window_trimmed`, `messages_sent` and `messages_original`.

    Args:
        max_turns: How many messages at most, the leading system messages aside.
        max_chars: How many characters their contents may have together.
        max_chars_per_tool: How much of each tool's result is sent.
        notice: What the model is told where something was left out; `False` tells it nothing.
    """
    limits = {"max_turns": max_turns, "max_chars": max_chars, "max_chars_per_tool": max_chars_per_tool}
    for name, value in limits.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise ValueError(f"[thena] `{name}` of `context_window` is {value!r}. Give a whole number from 1.")
    if all(value is None for value in limits.values()):
        raise ValueError(f"[thena] `context_window` has no limit. Give it one of: {', '.join(limits)}.")
    if not isinstance(notice, str | bool):
        raise TypeError(
            f"[thena] `notice` of `context_window` is of type `{type(notice).__name__}`. Give a string or `False`."
        )
    said = NOTICE if notice is True else notice

    async def window(call: ChatInvocation, go_on: Callable[[], Awaitable[Completion]]) -> Completion:
        head, conversation = _parted(call.messages)
        shortened = [_shortened(message, max_chars_per_tool) for message in conversation]
        kept = _last(shortened, max_turns, max_chars)
        is_trimmed = len(kept) < len(shortened)
        told = [Message("system", said)] if is_trimmed and said else []
        before = len(call.messages)
        call.messages = [*head, *told, *kept]
        call.meta(window_trimmed=is_trimmed, messages_sent=len(call.messages), messages_original=before)
        return await go_on()

    return window


def _parted(messages: Sequence[Message]) -> tuple[Sequence[Message], Sequence[Message]]:
    """The system messages that lead, and the rest."""
    length = next((index for index, message in enumerate(messages) if message.role != "system"), len(messages))
    return messages[:length], messages[length:]


def _shortened(message: Message, limit: int | None) -> Message:
    if limit is None or message.role != "tool" or len(message.content) <= limit:
        return message
    return replace(message, content=message.content[:limit] + TRUNCATED)


def _last(messages: Sequence[Message], max_turns: int | None, max_chars: int | None) -> list[Message]:
    """The last messages that fit, in whole exchanges, and the last exchange in any case."""
    kept: list[Message] = []
    chars = 0
    for exchange in reversed(list(_exchanges(messages))):
        chars += sum(len(message.content) for message in exchange)
        is_over = (max_turns is not None and len(kept) + len(exchange) > max_turns) or (
            max_chars is not None and chars > max_chars
        )
        if kept and is_over:
            break
        kept = [*exchange, *kept]
    return kept


def _exchanges(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Each message alone, but a tool's results together with the message that called for them."""
    exchange: list[Message] = []
    for message in messages:
        if message.role != "tool" and exchange:
            yield exchange
            exchange = []
        exchange.append(message)
    if exchange:
        yield exchange
