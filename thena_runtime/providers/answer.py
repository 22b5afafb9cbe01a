"""One answer of a model, put together from what its server sends, and said aloud while it comes in.

It belongs to no wire format: a format reads its own chunks and calls `text`, `thinking` and `call`. Left out on
purpose: what the pieces of a wire mean, and asking again.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from thena_runtime.messages import Completion, FinishReason, FunctionCall, TokenKind, ToolSpec, Usage
from thena_runtime.providers.provider import Emit
from thena_runtime.providers.rescue import CallSplitter, rescue_calls
from thena_runtime.providers.think import ThinkSplitter

Rescue: TypeAlias = bool | Literal["strict"]
RESCUE_CHOICES: Final = (True, False, "strict")


@dataclass(slots=True)
class CallSoFar:
    """A call that the server marked as one, as far as it has come."""

    index: int
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


def finish_completion(
    content: str,
    calls: tuple[FunctionCall, ...],
    *,
    tools: Sequence[ToolSpec],
    rescue: Rescue,
    usage: Usage | None,
    attempts: int,
    finish_reason: FinishReason,
) -> Completion:
    """Make the completion; calls that stand in the text count only where the server marked none."""
    if not calls and rescue and tools:
        names = {tool.name for tool in tools}
        calls = rescue_calls(content, names, strict=rescue == "strict", is_cut_off=finish_reason != "stop")
    return Completion(content=content, tool_calls=calls, usage=usage, attempts=attempts, finish_reason=finish_reason)


class IncomingAnswer:
    """An answer while it comes in. Lives for one attempt."""

    def __init__(self, emit: Emit, tools: Sequence[ToolSpec], rescue: Rescue) -> None:
        self._emit = emit
        self._tools = tools
        self._rescue: Rescue = rescue if tools else False
        self._thinking = ThinkSplitter()
        self._doubtful = CallSplitter() if self._rescue else None
        self._content: list[str] = []
        self._blanks = ""
        self._has_text = False
        self._calls: list[CallSoFar] = []
        self.has_spoken = False
        """Whether a piece was passed on, which can't be taken back."""

    def text(self, piece: str) -> None:
        """Take a piece of the text, in which a model may also think."""
        for kind, part in self._thinking.feed(piece):
            self._take(kind, part)

    def thinking(self, piece: str) -> None:
        """Take a piece that the server marks as thinking."""
        self._say(piece, "thinking")

    def call(self, index: int | None, call_id: str, name: str, arguments: str) -> None:
        """Take a piece of a call; pieces belong together by their index."""
        call = self._call_at(index, call_id, name)
        call.id = call_id or call.id
        call.name = name or call.name
        if arguments:
            call.arguments.append(arguments)
        if call.name:
            self._say(arguments, "tool_call", call.name, even_empty=bool(name))

    def finish(
        self,
        read_calls: Callable[[Iterable[Mapping[str, object]]], tuple[FunctionCall, ...]],
        *,
        usage: Usage | None,
        attempts: int,
        finish_reason: FinishReason,
    ) -> Completion:
        """Say what was held back, and make the completion. `read_calls` reads the marked calls of this wire format."""
        for kind, part in self._thinking.finish():
            self._take(kind, part)
        held = "" if self._doubtful is None else self._doubtful.finish()
        content = "".join([*self._content, held]).strip()
        entries = [
            {"id": call.id, "function": {"name": call.name, "arguments": "".join(call.arguments)}}
            for call in sorted(self._calls, key=lambda call: call.index)
        ]
        completion = finish_completion(
            content,
            read_calls(entries),
            tools=self._tools,
            rescue=self._rescue,
            usage=usage,
            attempts=attempts,
            finish_reason=finish_reason,
        )
        if held:
            calls = completion.tool_calls
            if calls and calls[0].source == "rescued":
                self._say(held, "tool_call", calls[0].name)
            else:
                self._say_trimmed(held)
        return completion

    def _take(self, kind: Literal["text", "thinking"], part: str) -> None:
        if kind == "thinking":
            self._say(part, "thinking")
            return
        if self._doubtful is not None:
            part = self._doubtful.feed(part)
        if part:
            self._content.append(part)
            self._say_trimmed(part)

    def _say_trimmed(self, part: str) -> None:
        """Say a text without the blanks around the whole answer, so that what was said is what it will be."""
        text = self._blanks + part if self._has_text else part.lstrip()
        kept = text.rstrip()
        self._blanks = text[len(kept) :]
        if kept:
            self._has_text = True
            self._say(kept, "text")

    def _say(self, text: str, kind: TokenKind, tool: str | None = None, *, even_empty: bool = False) -> None:
        if text or even_empty:
            self.has_spoken = True
            self._emit(text, kind, tool)

    def _call_at(self, index: int | None, call_id: str, name: str) -> CallSoFar:
        """Find the call that a piece belongs to. Some servers leave the index out, or count every call as the first."""
        last = self._calls[-1] if self._calls else None
        if index is None:
            if last is not None and not name and call_id in ("", last.id):
                return last
        else:
            known = next((call for call in reversed(self._calls) if call.index == index), None)
            if known is not None and (not call_id or not known.id or call_id == known.id):
                return known
        position = (0 if last is None else last.index + 1) if index is None else index
        self._calls.append(CallSoFar(position))
        return self._calls[-1]
