"""What the models of a run say while they say it: pieces of answers, each with who says it and in which turn.

Left out on purpose: keeping the pieces and telling them to listeners, which `thena_runtime.run.channel` does.
"""

from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from thena_runtime.messages import Completion, TokenKind

Kind: TypeAlias = TokenKind | Literal["gap"]
KINDS: Final = ("text", "thinking", "tool_call", "gap")


# A tuple and no dataclass: a long answer is thousands of these, and a tuple is made in a third of the time.
class Token(NamedTuple):
    """A piece of what a model says.

    `kind` is `"text"`, `"thinking"`, or `"tool_call"` for what became a call of `tool`, marked by the model or found
    in its text. `turn` counts the model calls of the run from 1, nested runs and branches included: a turn without a
    token of the kind `"tool_call"` is an answer. `"gap"` stands in the place of `lost` tokens that are no longer kept.
    """

    text: str
    kind: Kind
    run_id: str
    agent: str
    turn: int
    tool: str | None = None
    lost: int = 0

    def __str__(self) -> str:
        return self.text


_new: Final = tuple.__new__


class Listeners(Protocol):
    """Whoever listens to a run's tokens."""

    @property
    def is_heard(self) -> bool:
        """Whether anybody does."""
        ...

    def publish(self, published: Token) -> None:
        """Tell a token to everybody."""
        ...


class Voice:
    """What the models of one run say, nested runs included. Owned by the run's scope."""

    __slots__ = ("_always_streams", "_turns", "listeners", "partial_text", "run_id")

    def __init__(self, run_id: str, listeners: Listeners, *, always_streams: bool) -> None:
        self.run_id = run_id
        self.listeners = listeners
        self._always_streams = always_streams
        self.partial_text = ""
        """The text of the last answer that was cut off."""
        self._turns = 0

    @property
    def is_awaited(self) -> bool:
        """Whether somebody wants the pieces as they come, and not each answer whole."""
        return self._always_streams or self.listeners.is_heard

    def begin(self, agent: str) -> "Utterance":
        """Begin the next turn."""
        self._turns += 1
        return Utterance(self, agent, self._turns)


class Utterance:
    """One model call's answer as it is said. Lives as long as the call."""

    __slots__ = ("_agent", "_publish", "_run_id", "_texts", "_turn", "_voice", "has_called", "has_spoken", "speaker")

    def __init__(self, voice: Voice, agent: str, turn: int) -> None:
        self._voice = voice
        self._publish = voice.listeners.publish
        self._run_id = voice.run_id
        self._agent = agent
        self._turn = turn
        self._texts: list[str] = []
        self.speaker = ""
        """The class of the provider that streams."""
        self.has_spoken = False
        self.has_called = False

    def say(self, text: str, kind: TokenKind = "text", tool: str | None = None, /) -> None:
        """Pass a piece on at once."""
        if text.__class__ is not str:
            self._refuse("text", text, "Give `emit` a string.")
        if kind == "text":
            self._texts.append(text)
        elif kind == "tool_call":
            if not isinstance(tool, str):
                self._refuse("tool", tool, "Give `emit` the name of the tool that is called.")
            self.has_called = True
        elif kind != "thinking":
            self._refuse("kind", kind, 'Give `emit` one of: "text", "thinking", "tool_call".')
        self.has_spoken = True
        self._publish(_new(Token, (text, kind, self._run_id, self._agent, self._turn, tool, 0)))

    def _refuse(self, part: str, value: object, repair: str) -> None:
        subject = f"[thena] `stream` of provider `{self.speaker}` emitted a piece whose `{part}` is"
        if part == "kind" and isinstance(value, str):
            raise ValueError(f"{subject} {value!r}. {repair}")
        if not isinstance(value, str):
            raise TypeError(f"{subject} of type `{type(value).__name__}`. {repair}")

    @property
    def is_awaited(self) -> bool:
        """Whether somebody wants the pieces as they come."""
        return self._voice.is_awaited

    def complete(self, completion: Completion) -> None:
        """Say what wasn't said: the whole answer where it didn't come in pieces, and that there are calls."""
        calls = completion.tool_calls
        if not self.has_spoken and completion.content:
            if calls and calls[0].source == "rescued":
                self.say(completion.content, "tool_call", calls[0].name)
            else:
                self.say(completion.content)
        if not self.has_called:
            for call in calls:
                self.say("", "tool_call", call.name)

    def cut_off(self) -> None:
        """Keep what was said of an answer that will not be whole."""
        self._voice.partial_text = "".join(self._texts)
