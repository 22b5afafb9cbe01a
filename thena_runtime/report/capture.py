"""What one run is about, kept while it goes: its nodes, and what was sent, answered, called and raised in each.

A message is kept once, however often it is sent, and a request as what is new in it, so that a run of twice as many
turns takes twice as much. Left out on purpose: secrets, which are masked when all is written (`document.py`), and the
run's data, which is nobody's to read.
"""

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec

from thena_runtime.messages import FunctionCall, Message, ToolOutput, ToolSpec
from thena_runtime.observability.recorder import Moment, Node, open_node
from thena_runtime.providers.provider import CompletionRequest
from thena_runtime.report.plain import plain
from thena_runtime.user_traceback import user_traceback

P = ParamSpec("P")

MIDDLEWARE: Final = "middleware"


@dataclass(slots=True, kw_only=True)
class Exchange:
    """One request to a model, by its `number` in the run, and its answer.

    What was sent are the `system` messages, then the first `kept` of the others of request `after`, then the `new`
    ones; all by their numbers, as the `answer`. An answer that no model gave has no number of a request.
    """

    number: int | None = None
    provider: str = ""
    model: str | None = None
    sampling: Mapping[str, Any] = field(default_factory=dict)
    tools: Sequence[int] = ()
    system: Sequence[int] = ()
    after: int | None = None
    kept: int = 0
    new: Sequence[int] = ()
    answer: int | None = None


@dataclass(slots=True)
class Content:
    """What one node is about."""

    exchanges: list[Exchange] = field(default_factory=list)
    call_id: str | None = None
    arguments: Any = None  # JSON values: a wire
    """What the model asked the tool to do."""
    changed: Any = None  # JSON values: a wire
    """The arguments that the tool was called with, where they are others."""
    result: int | None = None
    error: str | None = None
    """The class of what was raised."""
    traceback: str | None = None
    raised_in: int | None = None
    """The node that the error comes from, where that is another."""


def _harmless(
    method: Callable[Concatenate["Capture", P], None],
) -> Callable[Concatenate["Capture", P], None]:
    """Keep a report's failures from the run: what can't be kept is missing. Threads that run workflows take turns."""

    @wraps(method)
    def call(self: "Capture", /, *args: P.args, **named: P.kwargs) -> None:
        with self.turn:
            try:
                method(self, *args, **named)
            except Exception:
                self.is_whole = False

    return call


class Capture:
    """One run's content. Owned by the run, and by its report from the end on."""

    def __init__(self, run_id: str, workflow: str, prompt: str, *, has_content: bool) -> None:
        self.run_id = run_id
        self.workflow = workflow
        self.prompt = prompt
        self.has_content = has_content
        self.is_whole = True
        """Whether everything could be kept."""
        self.turn = threading.RLock()
        self.nodes: list[tuple[Node, float]] = []
        """In the order in which they began, with the date at which they did."""
        self.data: dict[int, Any] = {}
        self.contents: dict[int, Content] = {}
        self.messages: list[dict[str, Any]] = []
        self.tools: list[dict[str, Any]] = []
        self.output: Any = None
        self.stopped_by: str | None = None
        self.error: str | None = None
        self.traceback: str | None = None
        self._requests = 0
        # Messages by identity, which stays theirs as long as they are kept, and by what distinguishes most of them.
        self._messages: list[Message] = []
        self._by_identity: dict[int, int] = {}
        self._by_value: dict[tuple[str, str, str | None], list[int]] = {}
        self._seen: list[Message] = []
        self._specs: list[tuple[ToolSpec, ...]] = []
        self._offers: list[list[int]] = []
        # The last request of each agent where it stands, and of all.
        self._last: dict[tuple[str, int], tuple[int, tuple[Message, ...]]] = {}
        self._latest: tuple[int, tuple[Message, ...]] | None = None
        # Errors that may be on their way up; not more, for each holds on to the frames that it comes from.
        self._raised: deque[tuple[BaseException, int]] = deque(maxlen=16)

    def moment(self, moment: Moment) -> None:
        """Keep a node that opens, and what one that closes tells of itself."""
        # Nothing here raises, and it is called twice a node.
        node, is_end, _, time, _ = moment
        if not is_end:
            self.nodes.append((node, time))
        elif node.data:
            self.data[node.id] = plain(node.data)

    @_harmless
    def sent(self, provider: object, request: CompletionRequest) -> None:
        """Keep what a model is asked."""
        node = open_node()
        if node is None:
            return
        self._requests += 1
        exchange = Exchange(
            number=self._requests,
            provider=type(provider).__name__,
            model=_model_of(provider),
            sampling=plain(request.sampling),
            tools=self._offered(request.tools),
        )
        self._of(node).exchanges.append(exchange)
        if self.has_content:
            self._keep_request(exchange, request.messages, node)

    @_harmless
    def answered(self, answer: Message) -> None:
        """Keep an answer: the one to the node's last request, or one that a middleware gave."""
        node = open_node()
        if node is None or not self.has_content:
            return
        exchanges = self._of(node).exchanges
        number = self._number(answer)
        last = exchanges[-1] if exchanges else None
        if last is not None and last.answer is None:
            last.answer = number
        elif last is None or last.answer != number:
            exchanges.append(Exchange(provider=MIDDLEWARE, answer=number))

    @_harmless
    def called(self, call: FunctionCall) -> None:
        """Keep what a tool is asked for."""
        node = open_node()
        if node is not None and self.has_content:
            content = self._of(node)
            content.call_id, content.arguments = call.id, plain(call.arguments)

    @_harmless
    def returned(self, call: FunctionCall, args: Mapping[str, Any], output: ToolOutput) -> None:
        """Keep what the model is told of its call, and the arguments if they were changed on the way."""
        node = open_node()
        if node is None or not self.has_content:
            return
        content = self._of(node)
        executed = plain(args)
        if not call.is_cut_off and executed != (content.arguments or {}):
            content.changed = executed
        observation = Message(
            "tool", output.content, tool_call_id=call.id, tool_name=call.name, is_error=output.is_error
        )
        content.result = self._number(observation)

    @_harmless
    def raised(self, error: BaseException) -> None:
        """Keep an error where it comes from; the nodes that it passes through refer to that one."""
        node = open_node()
        if node is None:
            return
        content = self._of(node)
        content.error = type(error).__name__
        source = next((place for known, place in self._raised if known is error), None)
        if source is not None:
            content.raised_in = source
            return
        self._raised.append((error, node.id))
        if self.has_content:
            content.traceback = user_traceback(error)

    @_harmless
    def end(self, *, output: object = None, stopped_by: str | None = None, error: BaseException | None = None) -> None:
        """Keep how the run ended, and forget whatever belongs to it alone."""
        self.stopped_by = stopped_by
        if self.has_content:
            self.output = plain(output)
        if error is not None:
            self.error = f"{type(error).__name__}: {error}" if self.has_content else type(error).__name__
            if self.has_content and not any(known is error for known, _ in self._raised):
                self.traceback = user_traceback(error)
        for kept in (self._messages, self._seen, self._specs):
            kept.clear()
        self._raised.clear()
        self._last.clear()
        self._latest = None

    def _of(self, node: Node) -> Content:
        content = self.contents.get(node.id)
        if content is None:
            content = self.contents[node.id] = Content()
        return content

    def _keep_request(self, exchange: Exchange, messages: tuple[Message, ...], node: Node) -> None:
        head = next((count for count, message in enumerate(messages) if message.role != "system"), len(messages))
        said = messages[head:]
        exchange.system = [self._number(message) for message in messages[:head]]
        agent = node.parent
        place = ("", 0) if agent is None else (agent.name, 0 if agent.parent is None else agent.parent.id)
        before = self._last.get(place) or self._latest
        if before is not None:
            exchange.kept = _shared(before[1], said)
            exchange.after = before[0] if exchange.kept else None
        exchange.new = [self._number(message) for message in said[exchange.kept :]]
        assert exchange.number is not None
        self._latest = self._last[place] = exchange.number, said

    def _number(self, message: Message) -> int:
        number = self._by_identity.get(id(message))
        if number is None:
            call_id = message.tool_calls[0].id if message.tool_calls else message.tool_call_id
            same = self._by_value.setdefault((message.role, message.content, call_id), [])
            for number in same:
                if self._messages[number] == message:
                    break
            else:
                number = len(self._messages)
                same.append(number)
                self._messages.append(message)
                self.messages.append(_plain_message(message))
            self._by_identity[id(message)] = number
            self._seen.append(message)
        return number

    def _offered(self, specs: tuple[ToolSpec, ...]) -> list[int]:
        for known, offer in zip(self._specs, self._offers, strict=True):
            if known is specs:
                return offer
        numbers = [self._tool(spec) for spec in specs]
        self._specs.append(specs)
        self._offers.append(numbers)
        return numbers

    def _tool(self, spec: ToolSpec) -> int:
        tool = {"name": spec.name, "description": spec.description, "parameters": plain(spec.parameters)}
        if tool not in self.tools:
            self.tools.append(tool)
        return self.tools.index(tool)


def _shared(before: tuple[Message, ...], now: tuple[Message, ...]) -> int:
    """How many messages both begin with."""
    # Nearly always all of them, which a comparison of the whole finds out soonest.
    if before == now[: len(before)]:
        return len(before)
    pairs = zip(before, now, strict=False)
    return next((count for count, (old, new) in enumerate(pairs) if old != new), min(len(before), len(now)))


def _plain_message(message: Message) -> dict[str, Any]:
    kept: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        kept["calls"] = [_plain_call(call) for call in message.tool_calls]
    if message.tool_call_id is not None:
        kept["call_id"] = message.tool_call_id
    if message.tool_name is not None:
        kept["tool"] = message.tool_name
    if message.is_error:
        kept["is_error"] = True
    if message.finish_reason != "stop":
        kept["finish_reason"] = message.finish_reason
    return kept


def _plain_call(call: FunctionCall) -> dict[str, Any]:
    kept = {"id": call.id, "name": call.name, "arguments": plain(call.arguments)}
    if call.source != "native":
        kept["source"] = call.source
    if call.is_cut_off:
        kept["is_cut_off"] = True
    return kept


def _model_of(provider: object) -> str | None:
    model = getattr(provider, "model", None)
    return model if isinstance(model, str) else None
