"""What the model sees, `ctx.state`: three buckets, and their projection into messages.

`history` holds the turns, `memory` and `tasks` what is told again with every call. Left out on purpose: the agent's
prompt, which belongs to the turn.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Literal, overload

from thena_runtime.messages import Message

BUCKETS: Final = ("history", "memory", "tasks")

Note = Literal["memory", "tasks"]


class Conversation:
    """One run's conversation. A branch of a `parallel` has its own history and shares the other buckets."""

    __slots__ = ("_history", "_memory", "_tasks")

    def __init__(self) -> None:
        self._history: list[Message] = []
        self._memory: list[str] = []
        self._tasks: list[str] = []

    @classmethod
    def seeded(cls, seed: Mapping[str, Iterable[object]]) -> "Conversation":
        """Begin with copies of what `run(state=...)` was given."""
        conversation = cls()
        if not isinstance(seed, Mapping):
            raise TypeError(
                f"a conversation begins with buckets, but got `{type(seed).__name__}`. Give a dict of lists."
            )
        for bucket, values in seed.items():
            conversation._bucket(bucket)[:] = _checked(bucket, values)
        return conversation

    @property
    def history(self) -> tuple[Message, ...]:
        """The turns so far, in order."""
        return tuple(self._history)

    @property
    def memory(self) -> tuple[str, ...]:
        """What the model is to know all the time."""
        return tuple(self._memory)

    @property
    def tasks(self) -> tuple[str, ...]:
        """What is being kept track of."""
        return tuple(self._tasks)

    @overload
    def append(self, bucket: Literal["history"], value: Message) -> None: ...

    @overload
    def append(self, bucket: Note, value: str) -> None: ...

    def append(self, bucket: str, value: object) -> None:
        """Put something at the end of a bucket."""
        self._bucket(bucket).extend(_checked(bucket, (value,)))

    @overload
    def set(self, bucket: Literal["history"], values: Iterable[Message]) -> None: ...

    @overload
    def set(self, bucket: Note, values: Iterable[str]) -> None: ...

    def set(self, bucket: str, values: Iterable[object]) -> None:
        """Replace what a bucket holds."""
        self._bucket(bucket)[:] = _checked(bucket, values)

    def add(self, message: Message) -> None:
        """Put a message at the end of the history: for the runtime, which knows that it is one."""
        self._history.append(message)

    def to_messages(self, head: tuple[Message, ...] = ()) -> tuple[Message, ...]:
        """What the model is sent: a head, memory and tasks as one system message if there are any, then the turns."""
        if not self._memory and not self._tasks:
            return (*head, *self._history)
        notes = []
        if self._memory:
            notes.append("\n".join(self._memory))
        if self._tasks:
            notes.append("\n".join(["Tasks:", *(f"- {task}" for task in self._tasks)]))
        return (*head, Message("system", "\n\n".join(notes)), *self._history)

    def branch(self) -> "Conversation":
        """Begin a branch: a copy of the history, and the very same memory and tasks."""
        other = Conversation()
        other._history = list(self._history)
        other._memory = self._memory
        other._tasks = self._tasks
        return other

    def replace(self, old: Message, new: Message) -> None:
        """Put a message in the place of this very one, if it is still there."""
        for index in range(len(self._history) - 1, -1, -1):
            if self._history[index] is old:
                self._history[index] = new
                return

    # The list's type depends on the bucket's name, which only the overloads above can say.
    def _bucket(self, name: str) -> list[object]:
        match name:
            case "history":
                return self._history  # type: ignore[return-value]
            case "memory":
                return self._memory  # type: ignore[return-value]
            case "tasks":
                return self._tasks  # type: ignore[return-value]
        raise ValueError(f"the conversation has no bucket `{name}`. Use one of: {', '.join(BUCKETS)}.")


def _checked(bucket: str, values: Iterable[object]) -> list[object]:
    wanted = Message if bucket == "history" else str
    if isinstance(values, str):
        raise TypeError(f"`{bucket}` holds a list, but got a string. Write `[{values!r}]`.")
    if not isinstance(values, Iterable):
        raise TypeError(f"`{bucket}` holds a list, but got `{type(values).__name__}`. Write `[...]`.")
    checked = list(values)
    for value in checked:
        if not isinstance(value, wanted):
            raise TypeError(f"`{bucket}` holds `{wanted.__name__}` values, but got `{type(value).__name__}`.")
    return checked
