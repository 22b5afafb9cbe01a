"""What is published reaches everybody: early, late, slow or many; and what is no longer kept is told as a gap."""

import asyncio
import gc
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thena_runtime.run.channel import Channel

Item = int | str


def channel(limit: int = 1_000_000) -> Channel[int, Item]:
    """A channel of numbers, each of a byte; a gap is written as text."""
    return Channel(
        limit=limit, size=lambda item: 1, item=lambda item: item, gap=lambda lost, kept: f"{lost} lost before {kept}"
    )


async def all_of(stream: object, pauses: int = 0) -> list[Item]:
    """Read a stream to its end, giving way some times after each item."""
    seen = []
    async for item in stream:  # type: ignore[attr-defined]
        seen.append(item)
        for _ in range(pauses):
            await asyncio.sleep(0)
    return seen


# What happens, in its order: so many items are published; somebody subscribes, who is so slow; others get their turn.
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("publish"), st.integers(1, 5)),
        st.tuples(st.just("stream"), st.integers(0, 4)),
        st.tuples(st.just("listen"), st.just(0)),
        st.tuples(st.just("turn"), st.integers(1, 5)),
    ),
    max_size=30,
)


@pytest.mark.behaviour("T371", "T394", "W52")
@given(STEPS)
def test_nothing_is_lost_for_anybody(steps: list[tuple[str, int]]) -> None:
    """Whoever subscribes, whenever, however slow, sees everything from the first item to the last, in order."""

    async def play() -> None:
        channel_ = channel()
        published: list[Item] = []
        heard: list[list[Item]] = []
        readers: list[asyncio.Task[list[Item]]] = []
        for kind, amount in steps:
            for _ in range(amount if kind in ("publish", "turn") else 1):
                if kind == "publish":
                    channel_.publish(len(published))
                    published.append(len(published))
                elif kind == "listen":
                    seen: list[Item] = []
                    heard.append(seen)
                    channel_.listen(seen.append)
                elif kind == "stream":
                    readers.append(asyncio.create_task(all_of(channel_.stream(), amount)))
                else:
                    await asyncio.sleep(0)
        channel_.close()
        late: list[Item] = []
        channel_.listen(late.append)
        for seen in [*heard, late, *await asyncio.gather(*readers), await all_of(channel_.stream())]:
            assert published == seen

    asyncio.run(play())


@pytest.mark.behaviour("W52")
@given(STEPS, st.integers(1, 8))
def test_what_is_no_longer_kept_is_told_where_it_is_missing(steps: list[tuple[str, int]], limit: int) -> None:
    """With little room a slow or late reader gets gaps that count what is missing exactly, and all else in order."""

    async def play() -> None:
        channel_ = channel(limit)
        count = 0
        readers: list[asyncio.Task[list[Item]]] = []
        for kind, amount in steps:
            if kind == "publish":
                for _ in range(amount):
                    channel_.publish(count)
                    count += 1
            elif kind == "stream":
                readers.append(asyncio.create_task(all_of(channel_.stream(), amount)))
            elif kind == "turn":
                await asyncio.sleep(0)
        channel_.close()
        for seen in [*await asyncio.gather(*readers), await all_of(channel_.stream())]:
            position = 0
            for item in seen:
                if isinstance(item, str):
                    lost, _, kept = item.partition(" lost before ")
                    position += int(lost)
                    assert str(position) == kept
                else:
                    assert position == item
                    position += 1
            assert count == position

    asyncio.run(play())


async def test_a_listener_hears_at_once_and_never_a_gap_while_it_listens() -> None:
    """A listener is called as items are published, so that nothing is lost for it whatever is kept."""
    channel_, seen = channel(2), []
    channel_.listen(seen.append)
    for number in range(100):
        channel_.publish(number)
    assert list(range(100)) == seen


@pytest.mark.behaviour("T372", "T396")
async def test_unsubscribing_ends_it_for_this_listener_alone() -> None:
    """The same function may listen twice, and each subscription ends by itself; ending it twice does nothing."""
    channel_, seen = channel(), []
    first = channel_.listen(seen.append)
    channel_.listen(seen.append)
    channel_.publish(1)
    first()
    first()
    channel_.publish(2)
    assert [1, 1, 2] == seen


@pytest.mark.behaviour("T374", "T397")
@pytest.mark.parametrize("error", [ValueError, asyncio.CancelledError])
async def test_a_listener_that_raises_changes_nothing(error: type[BaseException]) -> None:
    """Others hear on, and so does the one that raised."""
    channel_, seen, calls = channel(), [], []

    def failing(item: Item) -> None:
        calls.append(item)
        raise error

    channel_.publish(1)
    channel_.listen(failing)
    channel_.listen(seen.append)
    channel_.publish(2)
    assert ([1, 2], [1, 2]) == (calls, seen)


async def test_a_listener_that_publishes_hears_its_own() -> None:
    """What a listener sets off while it hears the past isn't lost for it."""
    channel_, seen = channel(), []

    def echo(item: Item) -> None:
        seen.append(item)
        if item == 1:
            channel_.publish(2)

    channel_.publish(1)
    channel_.listen(echo)
    assert [1, 2] == seen


@pytest.mark.parametrize(
    ("listener", "text"), [(3, "of type `int`, which can't be called"), (all_of, "the listener is async")]
)
async def test_what_can_not_listen_is_refused(listener: Callable[[Item], object], text: str) -> None:
    """A value that can't be called, or that would have to be awaited, is told at once."""
    with pytest.raises(TypeError, match=text):
        channel().listen(listener)


@pytest.mark.parametrize("leave", ["break", "close", "cancel", "drop"])
async def test_a_stream_that_is_left_is_no_longer_heard(leave: str) -> None:
    """Breaking out of the loop, closing the stream, cancelling who reads it and dropping it all unsubscribe."""
    channel_ = channel()
    channel_.publish(1)
    match leave:
        case "break":
            async for _ in channel_.stream():
                assert channel_.is_heard
                break
        case "close":
            stream = channel_.stream()
            assert channel_.is_heard
            await stream.aclose()
            assert [] == await all_of(stream)
        case "cancel":
            reader = asyncio.create_task(all_of(channel_.stream()))
            await asyncio.sleep(0)
            assert channel_.is_heard
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)
            del reader
            await asyncio.sleep(0)
            gc.collect()  # the traceback of the cancellation holds on to the frame
        case _:
            channel_.stream()
    assert not channel_.is_heard


async def test_closing_a_stream_ends_it_for_who_waits() -> None:
    """A task that waits for the next item comes to the end."""
    channel_ = channel()
    stream = channel_.stream()
    reader = asyncio.create_task(all_of(stream))
    await asyncio.sleep(0)
    await stream.aclose()
    assert [] == await asyncio.wait_for(reader, 10)


async def test_waiting_with_a_limit_again_and_again_leaves_nothing_behind() -> None:
    """A reader that gives up waiting can go on reading, and misses nothing."""
    channel_ = channel()
    stream = channel_.stream()
    for _ in range(3):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(stream), 0.001)
    channel_.publish(1)
    assert 1 == await anext(stream)
    channel_.close()
    with pytest.raises(StopAsyncIteration):
        await anext(stream)


async def test_a_stream_may_take_only_some_items() -> None:
    """What isn't accepted is passed over; a gap counts it all the same."""
    channel_ = channel()
    for number in range(5):
        channel_.publish(number)
    channel_.close()
    assert [0, 2, 4] == await all_of(channel_.stream(lambda item: item in (0, 2, 4)))
