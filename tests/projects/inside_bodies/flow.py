"""What bodies do: calls that block, buckets, names, secrets, what runs share, what is caught, handles."""

import asyncio
import contextlib
import subprocess as processes
import sys
import time
from contextlib import suppress
from time import sleep as nap
from typing import ClassVar

import httpx
import pytest
import thena_runtime
from shop import helpers
from shop.helpers import Base, Retrying, fail, fail_later, fetch, hold_on, start_anew
from thena_runtime import (
    Agent,
    Context,
    FatalToolError,
    Prompt,
    ScriptedProvider,
    Thena,
    Tool,
    ToolCall,
    Workflow,
    current_context,
    loop,
    until_answered,
)

MODEL = ScriptedProvider(["fine"])


@Tool(name="wait", description="Wait.")
class Wait:
    async def execute(self, seconds: int, ctx: Context) -> str:
        time.sleep(seconds)  # error: THN801
        nap(seconds)  # error: THN801
        time.sleep(0)
        await asyncio.sleep(seconds)
        await asyncio.to_thread(time.sleep, seconds)
        await asyncio.to_thread(lambda: time.sleep(seconds))
        processes.run(["true"])  # error: THN801
        processes.Popen(["true"])
        hold_on()
        [nap(one) for one in (1, 2)]  # error: THN801
        (nap(one) for one in (1, 2))

        def later() -> None:
            time.sleep(1)

        class Inner:
            time.sleep(1)

        await asyncio.to_thread(later)
        return await fetch()

    async def helper(self) -> None:
        time.sleep(1)


@Tool(name="wait_in_thread", description="Wait.")
class WaitInThread:
    def execute(self, seconds: int) -> str:
        time.sleep(seconds)
        return httpx.get("https://example.org").text


@Tool(name="shadowed", description="Wait.")
class Shadowed:
    async def execute(self, httpx: str) -> str:
        httpx.get("x")
        time = self
        time.sleep(1)
        import time as clock

        clock.sleep(1)  # error: THN801
        from os import system

        system("true")  # error: THN801
        return input("?")  # error: THN801

    def sleep(self, seconds: int) -> None:
        pass


async def look_up(word: str, ctx: Context) -> str:
    """A function as a tool."""
    time.sleep(1)  # error: THN801
    ctx.state.append("memos", word)  # error: THN804
    return word


async def no_tool(word: str) -> str:
    time.sleep(1)
    return word


async def is_over(ctx) -> bool:
    time.sleep(1)  # error: THN801
    ctx.state.set("task", [])  # error: THN804
    return until_answered(ctx)


@Agent(provider=MODEL, prompt=Prompt("Work."), tools=[Wait, WaitInThread, Shadowed, look_up])
class Worker:
    shared: list[str] = []  # error: THN807
    counts = dict()  # error: THN807
    replaced: list[str] = []
    constant = ["a", "b"]
    meant: ClassVar[list[str]] = []
    grown = set()  # error: THN807
    number = 0

    def __init__(self) -> None:
        self.replaced = []

    def before_prompt(self, prompt, ctx) -> None:
        ctx.state.append("memory", "x")
        ctx.state.append(self.bucket, "x")
        ctx.state.append("memry", "x")  # error: THN804
        ctx.state.history.append("x")
        ctx.state.notes.append("x")  # error: THN804
        ctx.notes = ["x"]
        ctx.run_id = "x"  # error: THN805
        del ctx.data  # error: THN805
        ctx.data["key"] = "x"
        ctx.turn, ctx.attempts = 1, 2  # error: THN805
        print(ctx.turn, ctx.output)
        self.shared.append(prompt)
        print(type(self).__name__, id(self))
        self.replaced.append(prompt)
        self.counts[prompt] = 1
        self.meant.append(prompt)
        self.grown |= {prompt}
        self.number += 1
        print(self.constant[0])

    bucket = "tasks"

    async def before_tool(self, call: ToolCall) -> None:
        try:
            await asyncio.sleep(1)
        except:  # error: THN808
            pass
        try:
            await asyncio.sleep(1)
        except (ValueError, BaseException):  # error: THN808
            self.number += 1
        try:
            await asyncio.sleep(1)
        except asyncio.CancelledError:
            raise
        except BaseException:
            self.number += 1
        try:
            await asyncio.sleep(1)
        except BaseException as error:
            if self.number:
                raise FatalToolError("x") from error
        try:
            print(call)
        except:
            pass
        try:
            await asyncio.sleep(1)
        except Exception:
            pass
        with suppress(BaseException):  # error: THN808
            await asyncio.sleep(1)
        with contextlib.suppress(Exception):
            await asyncio.sleep(1)
        with suppress(BaseException):
            print(call)

    async def after_tool(self, result: object) -> None:
        task = asyncio.create_task(asyncio.sleep(1))
        task.cancel()
        try:
            await task
        except BaseException:
            pass

    def after_response(self, response: str, ctx) -> None:
        api_key, token_count, is_secret, password = "a", 1, True, "b"
        ctx.state.append("memory", api_key)  # error: THN806
        ctx.state.append("memory", f"{token_count} {is_secret} {len(password)}")
        ctx.state.append("tasks", "x" + self.dbPassword)  # error: THN806
        ctx.state.set("memory", ["a", "%s" % password])  # error: THN806
        ctx.state.append("memory", "yes" if password else "no")
        ctx.state.append("memory", mask(password))
        ctx.state.append("memory", ctx.data.get("access_token"))  # error: THN806
        current_context().state.append("memory", api_key)  # error: THN806
        current_context().output = 1  # error: THN805
        ctx.attempts.append("memory", api_key)
        ctx.password = password
        here = current_context()
        here.turn = 1  # error: THN805

    async def on_error(self, error: Exception, ctx) -> None:
        ctx = self
        ctx.turn = 1
        ctx.state = 2

    dbPassword = "x"


def mask(text: str) -> str:
    return "*" * len(text)


def helps(ctx: Context) -> None:
    ctx.output = 1  # error: THN805


def helps_itself(ctx: object) -> None:
    ctx.output = 1  # type: ignore[attr-defined]


@Agent(provider=MODEL, prompt=Prompt("Inherit."))
class Heir(Base):
    pass


@Agent(provider=MODEL, prompt=Prompt("Override."))
class Other(Base):
    async def before_prompt(self, prompt, ctx) -> None:
        errors = []
        try:
            await asyncio.sleep(1)
        except BaseException as error:
            errors.append(error)
        for error in errors:
            raise error

    async def after_response(self, response: str) -> None:
        def start() -> None:
            ctx = current_context()
            time = Runner()
            print(ctx, time)

        ctx.turn = response
        start()


ctx = asyncio.Event()


@Agent(provider=MODEL, prompt=Prompt("Own."))
class Own:
    notes: list[str] = []

    async def run(self, input, ctx) -> str:
        nap(1)  # error: THN801
        ctx.prompt = "x"  # error: THN805
        return input

    def __setattr__(self, name: str, value: object) -> None:
        self.notes = value


@Agent(provider=MODEL, prompt=Prompt("Replaced by others."))
class StartedAnew:
    notes: list[str] = []

    def __init__(self) -> None:
        start_anew(self)

    def after_response(self, response: str) -> None:
        self.notes.append(response)


@Agent(provider=MODEL, prompt=Prompt("Replaced by name."))
class FilledByName:
    texts: list[str] = []

    def __init__(self) -> None:
        self.__dict__.update({one: [] for one in ("texts",)})

    def after_response(self, response: str) -> None:
        self.texts.append(response)


@Agent(provider=MODEL, prompt=Prompt("Replaced while it is made."))
class MadeAnew:
    words: list[str] = []

    def __new__(cls) -> "MadeAnew":
        made = super().__new__(cls)
        made.words = []
        return made

    def after_response(self, response: str) -> None:
        self.words.append(response)


@Agent(provider=MODEL, prompt=Prompt("Try."))
class Trying:
    def before_prompt(self, prompt, ctx) -> None:
        try:
            ctx.output = prompt
        except AttributeError:
            print(ctx.turn)
        try:
            ctx.output = prompt  # error: THN805
        except ValueError:
            ctx.turn = prompt  # error: THN805
        with suppress(AttributeError, KeyError):
            ctx.state.notes.append(prompt)
        with suppress(KeyError):
            ctx.state.notes.append(prompt)  # error: THN804


@Agent(provider=MODEL, prompt=Prompt("Pass on."))
class Passing:
    def __init__(self) -> None:
        self.done: asyncio.Future[None] = asyncio.Future()

    async def before_prompt(self, prompt: str) -> None:
        try:
            await asyncio.sleep(1)
        except BaseException as error:
            fail(error)
        try:
            await asyncio.sleep(1)
        except BaseException as error:
            fail_later(error)
        try:
            await asyncio.sleep(1)
        except BaseException as error:
            helpers.fail_at_once(error)
        try:
            await asyncio.sleep(1)
        except BaseException as error:
            self.fail(error)
        try:
            await asyncio.sleep(1)
        except BaseException as error:
            self.done.set_exception(error)
        try:
            await asyncio.sleep(1)
        except:
            sys.exit(1)
        try:
            await asyncio.sleep(1)
        except BaseException as error:  # error: THN808
            print(error)
            self.fail()
        try:
            await asyncio.sleep(1)
        except:  # error: THN808
            hold_on()

    def fail(self, error: BaseException | None = None) -> None:
        if error is not None:
            raise error


@Agent(provider=MODEL, prompt=Prompt("Decorated."))
class Decorated:
    @Retrying
    async def before_prompt(self, prompt: str) -> None:
        nap(1)

    @staticmethod
    async def after_response(response: str) -> None:
        nap(1)


@Workflow(
    steps=[
        loop([Worker], until=is_over),
        loop(
            [Heir],
            until=lambda ctx: ctx.state.remembered,  # error: THN804
            on_fail=lambda ctx, failure: ctx.state.append("errors", failure.message),  # error: THN804
        ),
        Own,
        StartedAnew,
        FilledByName,
        MadeAnew,
        Trying,
        Passing,
        Decorated,
        Other,
    ]
)
class Flow:
    pass


app = Thena(Flow)
apps = [app]


async def main() -> None:
    app.run(prompt="x")  # error: THN809
    handle = app.run(prompt="x")
    await app.run(prompt="x")
    apps[0].run(prompt="x")
    _ = app.run(prompt="x")
    print(app.run(prompt="x"))
    Thena(Flow).run(prompt="x")  # error: THN809
    thena_runtime.Thena(Flow).run(prompt="x")  # error: THN809
    await Thena(Flow).run(prompt="x")
    Runner(Flow).run(prompt="x")
    local = Thena(Flow)
    local.run(prompt="x")  # error: THN809
    async with Thena(Flow) as own:
        own.run(prompt="x")  # error: THN809
        async with own.run(prompt="x"):
            pass
    runner = Runner()
    runner.run(prompt="x")
    app.run_sync(prompt="x")
    app.run(prompt="x", state={"memory": [app.secret]})  # error: THN806, THN809
    app.run(prompt="x").on_event(print)
    await handle


def test_a_run_needs_a_loop() -> None:
    with pytest.raises(RuntimeError, match="run_sync"):
        app.run(prompt="x")
    with open("log.txt", "w"), pytest.raises(RuntimeError):
        app.run(prompt="x")
    with open("log.txt", "w"):
        app.run(prompt="x")  # error: THN809


async def elsewhere(app: "Runner", other: Thena) -> None:
    app.run(prompt="x")
    other.run(prompt="x")  # error: THN809


class Runner:
    def run(self, prompt: str) -> None:
        app.run(prompt=prompt)
