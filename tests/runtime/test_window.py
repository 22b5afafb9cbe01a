"""`context_window`: what of a long conversation is sent, and what the model is told of the rest."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thena_runtime import (
    Agent,
    ChatInvocation,
    Completion,
    Conversation,
    FunctionCall,
    Message,
    Plugin,
    Prompt,
    ScriptedProvider,
    Thena,
    Workflow,
    context_window,
    loop,
    tool_call,
    until_answered,
)
from thena_runtime.middleware.window import NOTICE
from thena_runtime.observability.events import Event
from thena_runtime.providers.scripted import Turn


class Windowed:
    """What a run with a window sent and noted."""

    def __init__(self) -> None:
        self.sent: list[tuple[Message, ...]] = []
        self.events: list[Event] = []
        self.state = Conversation()

    @property
    def last(self) -> list[str]:
        """The contents of the last call's messages."""
        return [message.content for message in self.sent[-1]]

    @property
    def notes(self) -> list[Mapping[str, object]]:
        """What the nodes of the calls have."""
        return [event.data for event in self.events if event.kind == "chat" and event.phase == "end"]


async def run(turns: list[Turn], history: list[Message] | None = None, **options: object) -> Windowed:
    """Run an agent in a loop, with a tool that says a word several times."""

    def say(word: str, times: int = 1) -> str:
        """Say a word."""
        return word * times

    provider = ScriptedProvider(turns)

    @Agent(provider=provider, prompt=Prompt("prompt"), tools=[say])
    class Talking:
        pass

    @Workflow(steps=[loop([Talking], until=until_answered)])
    class Flow:
        pass

    done = Windowed()
    async with Thena(Flow) as app:
        await app.use(Plugin(name="watch", on_event=done.events.append))
        if options:
            app.use(chat=context_window(**options))  # type: ignore[arg-type]
        handle = app.run("question", state={"history": history or []})
        await handle
    done.sent = [call.messages for call in provider.calls]
    done.state = handle.state
    return done


PAST = [Message("user", "one"), Message("assistant", "two"), Message("user", "three"), Message("assistant", "four")]
CALLS: list[Turn] = [tool_call("say", word=word) for word in "abc"]


@pytest.mark.behaviour("T233")
async def test_without_a_window_everything_is_sent() -> None:
    """What is sent grows with every turn."""
    done = await run([*CALLS, "done"])

    assert [2, 4, 6, 8] == [len(messages) for messages in done.sent]


@pytest.mark.behaviour("T234", "T235", "T239")
async def test_only_the_last_messages_are_sent() -> None:
    """The prompt always leads, a notice follows where something was left out, and the conversation stays whole."""
    done = await run(["done"], PAST, max_turns=3)
    least = await run(["done"], PAST, max_turns=1)

    assert ["prompt", NOTICE, "three", "four", "question"] == done.last
    assert ["system", "system", "user", "assistant", "user"] == [message.role for message in done.sent[-1]]
    assert ["prompt", NOTICE, "question"] == least.last
    assert 6 == len(done.state.history)


@pytest.mark.behaviour("T236")
async def test_nothing_is_said_where_nothing_is_left_out() -> None:
    """A conversation that fits is sent as it is."""
    done = await run(["done"], PAST, max_turns=5, max_chars=100)

    assert ["prompt", "one", "two", "three", "four", "question"] == done.last
    assert [{"window_trimmed": False, "messages_sent": 6, "messages_original": 6}] == done.notes


@pytest.mark.behaviour("T237")
async def test_the_oldest_messages_go_until_the_rest_fits() -> None:
    """Characters are those of the conversation; the last message is sent even if it is too long alone."""
    fits = await run(["done"], PAST, max_chars=12)
    long = await run(["done"], PAST, max_chars=3)

    assert ["prompt", NOTICE, "four", "question"] == fits.last
    assert ["prompt", NOTICE, "question"] == long.last


@pytest.mark.behaviour("T238")
async def test_a_long_result_is_cut() -> None:
    """A tool's result is cut and marked; nothing was left out by that, so there is no notice."""
    done = await run([tool_call("say", word="ab", times=50), "done"], max_chars_per_tool=5)

    assert ["prompt", "question", "", "ababa\n[truncated]"] == done.last
    assert "ab" * 50 == done.state.history[2].content
    assert [False, False] == [notes["window_trimmed"] for notes in done.notes]


@pytest.mark.behaviour("T240", "T241")
async def test_the_notice_is_the_author_s() -> None:
    """It may be another text, or none."""
    other = await run(["done"], PAST, max_turns=1, notice="there was more")
    none = await run(["done"], PAST, max_turns=1, notice=False)

    assert ["prompt", "there was more", "question"] == other.last
    assert ["prompt", "question"] == none.last


@pytest.mark.behaviour("T242")
async def test_the_node_says_what_was_cut() -> None:
    """It has how many messages there were and how many were sent."""
    done = await run(["done"], PAST, max_turns=2)

    assert [{"window_trimmed": True, "messages_sent": 4, "messages_original": 6}] == done.notes


@pytest.mark.behaviour("W44")
async def test_a_result_is_never_sent_without_its_call() -> None:
    """Where a cut would part them, both are left out; the last exchange is sent whole, however small the window."""
    done = await run([*CALLS, "done"], max_turns=3)
    least = await run([*CALLS, "done"], max_turns=1)

    assert [NOTICE, "", "c"] == done.last[1:]
    assert [NOTICE, "", "c"] == least.last[1:]


MESSAGES = st.lists(st.tuples(st.sampled_from(["user", "assistant", "system"]), st.integers(0, 3), st.integers(0, 9)))


@given(MESSAGES, st.integers(1, 12), st.integers(1, 60))
async def test_whatever_is_sent_is_whole(shapes: list[tuple[str, int, int]], turns: int, chars: int) -> None:
    """Each result that is sent has its call before it, each call has all its results, and what is sent is the end."""
    messages: list[Message] = []
    for role, calls, length in shapes:
        if role != "assistant":
            messages.append(Message(role, "x" * length))  # type: ignore[arg-type] # one of the roles above
            continue
        asked = tuple(FunctionCall(name="t", arguments={}) for _ in range(calls))
        messages.append(Message("assistant", "x" * length, tool_calls=asked))
        messages.extend(Message("tool", "y" * length, tool_call_id=call.id) for call in asked)
    call = ChatInvocation(messages=list(messages), tools=[], sampling={}, agent=None, ctx=_Unheard())  # type: ignore[arg-type]

    async def answered() -> Completion:
        return Completion(content="")

    await context_window(max_turns=turns, max_chars=chars, notice=False)(call, answered)

    sent = call.messages
    rest = [message for message in messages if message not in sent or message.role != "system"]
    kept = [message for message in sent if message in rest]
    called = [each.id for message in sent for each in message.tool_calls]
    answers = [message.tool_call_id for message in sent if message.role == "tool"]
    assert called == answers
    assert [] == kept or kept == rest[-len(kept) :]
    assert bool(messages) == bool(sent)


class _Unheard:
    """A context that nobody listens to."""

    def meta(self, **data: object) -> None:
        """Take notes and forget them."""


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "`context_window` has no limit. Give it one of: max_turns, max_chars, max_chars_per_tool."),
        ({"max_turns": 0}, "`max_turns` of `context_window` is 0. Give a whole number from 1."),
        ({"max_chars": 1.5}, "`max_chars` of `context_window` is 1.5. Give a whole number from 1."),
        ({"max_turns": 1, "notice": None}, "`notice` of `context_window` is of type `NoneType`."),
    ],
)
def test_limits_that_can_not_be_kept_are_refused(options: dict[str, object], text: str) -> None:
    """The text names the option and says what to give."""
    with pytest.raises((TypeError, ValueError)) as told:
        context_window(**options)  # type: ignore[arg-type]
    assert text in str(told.value)
