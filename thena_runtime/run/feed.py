"""What a run keeps for whoever watches its handle: its events and what its models say, each with a bound on memory."""

from dataclasses import dataclass
from operator import itemgetter
from sys import getsizeof
from typing import Final

from thena_runtime.observability.events import Event
from thena_runtime.observability.recorder import Moment, event_of
from thena_runtime.observability.tokens import Token, Voice
from thena_runtime.run.channel import Channel

_TOKEN: Final = getsizeof((0,) * len(Token._fields))
_event_size: Final = itemgetter(-1)


@dataclass(slots=True)
class Feed:
    """The channels of one run."""

    run_id: str
    events: Channel[Moment, Event]
    tokens: Channel[Token, Token]

    @classmethod
    def of(cls, run_id: str, limit: int) -> "Feed":
        """Make the channels, each of which keeps this many bytes."""
        return cls(
            run_id,
            Channel(limit=limit, size=_event_size, item=event_of, gap=_event_gap),
            Channel(limit=limit, size=_token_size, item=_as_it_is, gap=_token_gap),
        )

    def voice(self, *, always_streams: bool) -> Voice:
        """Make what the run's models speak with; they stream from the start, or where somebody listens."""
        return Voice(self.run_id, self.tokens, always_streams=always_streams)

    def close(self) -> None:
        """Say that nothing more comes."""
        self.events.close()
        self.tokens.close()


def require_feed(feed: Feed | None, member: str) -> Feed:
    """Refuse to watch a run that keeps nothing."""
    if feed is None:
        raise RuntimeError(
            f"[thena] `handle.{member}` was used on a run that was started with `observe=False`, which keeps nothing. "
            "Start it without this option, or with `observe=True`."
        )
    return feed


def _token_size(token: Token) -> int:
    return _TOKEN + getsizeof(token.text)


def _token_gap(lost: int, kept: Token) -> Token:
    return Token("", "gap", kept.run_id, "", 0, None, lost)


def _as_it_is(token: Token) -> Token:
    return token


def _event_gap(lost: int, kept: Event) -> Event:
    return Event(
        run_id=kept.run_id,
        sequence=kept.sequence - 1,
        time=kept.time,
        phase="end",
        kind="gap",
        name="",
        id="",
        parent_id=None,
        depth=0,
        data={"lost": lost},
    )
