"""The analysis thread keeps order, drops what nobody wants and survives what fails."""

import asyncio
import threading

import pytest

from thena_lsp.schedule import Schedule, SupersededError, Token

PATIENCE = 30


async def test_questions_are_answered_in_order() -> None:
    """Work that is given first is done first."""
    schedule, seen = Schedule(), []
    schedule.do(lambda: seen.append(1))
    schedule.do(lambda: seen.append(2))
    assert [1, 2] == await schedule.ask(lambda _: list(seen))


async def test_a_failing_question_raises_where_it_was_asked() -> None:
    """An exception reaches the asker, and the thread goes on."""
    schedule = Schedule()

    def fail(_: Token) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await schedule.ask(fail)
    assert 1 == await schedule.ask(lambda _: 1)


async def test_a_failing_job_does_not_end_the_thread() -> None:
    """After a job that nobody waits for has failed, the next one runs."""
    schedule = Schedule()
    schedule.do(lambda: 1 / 0)  # type: ignore[arg-type, return-value]
    assert 1 == await schedule.ask(lambda _: 1)


async def test_a_cancelled_question_that_waits_is_never_begun() -> None:
    """Cancelling the asker of queued work means that it doesn't run."""
    schedule, gate, begun = Schedule(), threading.Event(), []
    schedule.do(lambda: gate.wait(PATIENCE))  # type: ignore[arg-type, return-value]
    asked = asyncio.create_task(schedule.ask(lambda _: begun.append("cancelled")))
    await asyncio.sleep(0)
    asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)
    gate.set()
    await schedule.ask(lambda _: begun.append("last"))
    assert ["last"] == begun


async def test_a_running_question_sees_that_its_asker_has_gone() -> None:
    """The token of work in progress tells it to stop."""
    schedule, begun, stopped = Schedule(), threading.Event(), threading.Event()

    def long(token: Token) -> None:
        begun.set()
        while True:
            try:
                token.check()
            except SupersededError:
                stopped.set()
                raise

    asked = asyncio.create_task(schedule.ask(long))
    assert await asyncio.to_thread(begun.wait, PATIENCE)
    asked.cancel()
    assert await asyncio.to_thread(stopped.wait, PATIENCE)


async def test_the_newest_idle_job_of_a_name_wins() -> None:
    """Of several jobs left for idle times under one name only the last runs."""
    schedule, gate, seen, done = Schedule(), threading.Event(), [], threading.Event()
    schedule.do(lambda: gate.wait(PATIENCE))  # type: ignore[arg-type, return-value]
    for number in range(3):
        schedule.when_idle("diagnose", lambda _, number=number: seen.append(number))  # type: ignore[misc]
    schedule.when_idle("last", lambda _: done.set())
    gate.set()
    assert await asyncio.to_thread(done.wait, PATIENCE)
    assert [2] == seen


@pytest.mark.parametrize("kind", ["do", "ask"])
async def test_what_arrives_interrupts_the_idle_job_that_runs(kind: str) -> None:
    """Whatever arrives in order goes first, and the idle job begins again afterwards."""
    schedule, begun, finished, seen = Schedule(), threading.Event(), threading.Event(), []

    def long(token: Token) -> None:
        seen.append("begun")
        begun.set()
        while "first" not in seen:
            token.check()
        finished.set()

    schedule.when_idle("diagnose", long)
    assert await asyncio.to_thread(begun.wait, PATIENCE)
    if kind == "do":
        schedule.do(lambda: seen.append("first"))
    else:
        await schedule.ask(lambda _: seen.append("first"))
    assert await asyncio.to_thread(finished.wait, PATIENCE)
    assert ["begun", "first", "begun"] == seen


async def test_an_interrupted_idle_job_gives_way_to_a_newer_one() -> None:
    """What was left under the same name meanwhile is what runs."""
    schedule, begun, finished, seen = Schedule(), threading.Event(), threading.Event(), []

    def long(token: Token) -> None:
        begun.set()
        while True:
            token.check()

    schedule.when_idle("diagnose", long)
    assert await asyncio.to_thread(begun.wait, PATIENCE)
    schedule.when_idle("diagnose", lambda _: finished.set())
    schedule.do(lambda: seen.append("first"))
    assert await asyncio.to_thread(finished.wait, PATIENCE)
    assert ["first"] == seen
