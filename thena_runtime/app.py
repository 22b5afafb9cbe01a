"""An app: a workflow that was judged, and the runs that it starts."""

import asyncio
import inspect
import sys
import traceback
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import Generic, Self, TypeVar, overload

from thena_contract.fault import Finding
from thena_runtime.build.compile import compile_workflow
from thena_runtime.build.plan import AgentNode, LoopNode, ParallelNode, Plan, StepNode
from thena_runtime.conversation import Conversation
from thena_runtime.messages import Message
from thena_runtime.middleware.invocation import ChatMiddleware, ToolMiddleware
from thena_runtime.observability.console import ConsoleLog
from thena_runtime.observability.events import Event
from thena_runtime.observability.recorder import Recorder, Sink
from thena_runtime.plugin import Plugin
from thena_runtime.providers.provider import Provider
from thena_runtime.run.channel import Channel
from thena_runtime.run.equipment import Equipment
from thena_runtime.run.handle import RunHandle, execute
from thena_runtime.run.model_call import chat_chain
from thena_runtime.run.tool_execution import tool_chain
from thena_runtime.scope import Cancellation, RunScope
from thena_runtime.settings import LogOption, ThenaConfig

Seed = Mapping[str, Iterable[object]]
A = TypeVar("A")


class Thena:
    """A workflow that can be run. Making one judges all its wiring and raises `ContractError` with every fault."""

    def __init__(self, workflow: type, config: ThenaConfig | None = None) -> None:
        if config is not None and not isinstance(config, ThenaConfig):
            raise TypeError(
                f"[thena] `Thena` got a `{type(config).__name__}` as its config. Give it `ThenaConfig(...)`."
            )
        compiled = compile_workflow(workflow)
        self.workflow = workflow
        self.config = config or ThenaConfig()
        self.findings: tuple[Finding, ...] = compiled.findings
        """What was found and is no error."""
        self._plan = compiled.plan
        self._equipment = Equipment()
        self._plugins: tuple[Plugin, ...] = ()
        self._runs: set[RunHandle] = set()
        self._closed = False

    def run(
        self,
        prompt: str,
        *,
        state: Seed | None = None,
        data: object = None,
        log: LogOption | None = None,
    ) -> RunHandle:
        """Start a run in the running event loop and return its handle at once.

        Args:
            prompt: What the user says.
            state: What the conversation begins with: `{"memory": [...], "tasks": [...], "history": [...]}`.
            data: The caller's own, as `ctx.data`. The model never sees it.
            log: Overrides the app's setting.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            raise RuntimeError(
                "[thena] `app.run(...)` was called outside an event loop. "
                "Call it in an `async` function, or use `app.run_sync(...)`."
            ) from None
        events: Channel[Event] = Channel()
        conversation = self._conversation(prompt, state)
        handle = RunHandle(self._plan, self._scope(data, log, [events.publish]), conversation, self._equipment, events)
        self._runs.add(handle)
        handle.when_over(self._runs.discard)
        return handle

    def run_sync(
        self,
        prompt: str,
        *,
        state: Seed | None = None,
        data: object = None,
        log: LogOption | None = None,
    ) -> str | None:
        """Run to the end in an event loop of its own and return the output. See `run` for the arguments."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self._run_alone(prompt, state, data, log))
        raise RuntimeError(
            "[thena] `app.run_sync(...)` was called inside an event loop. Write `await app.run(...)` there."
        )

    async def _run_alone(self, prompt: str, state: Seed | None, data: object, log: LogOption | None) -> str | None:
        conversation = self._conversation(prompt, state)
        try:
            outcome = await execute(self._plan, self._scope(data, log, []), conversation, self._equipment)
        finally:
            # The loop ends here, and what a provider holds open belongs to it.
            await self._close_providers()
        return outcome.output

    @overload
    def use(self, plugin: Plugin, /) -> Coroutine[object, None, Self]: ...

    @overload
    def use(
        self, /, *, chat: ChatMiddleware | None = None, tool: ToolMiddleware | None = None
    ) -> "_Registered[Self]": ...

    def use(
        self, plugin: Plugin | None = None, /, *, chat: ChatMiddleware | None = None, tool: ToolMiddleware | None = None
    ) -> Awaitable[Self]:
        """Add a plugin (`await app.use(Plugin(...))`), or middlewares alone, which are there at once.

        It counts for the runs that begin afterwards. The first that is registered is the outermost. A plugin whose
        `setup` fails isn't registered, and a `RuntimeError` names it.
        """
        if plugin is not None:
            if not isinstance(plugin, Plugin):
                raise TypeError(
                    f"[thena] `app.use` got a value of type `{type(plugin).__name__}`. "
                    "Give it a `Plugin(...)`, or a middleware by name: `chat=` or `tool=`."
                )
            if chat is not None or tool is not None:
                raise TypeError("[thena] `app.use` got a plugin and a middleware. Put the middleware into the plugin.")
            return self._set_up(plugin)
        if chat is None and tool is None:
            raise TypeError("[thena] `app.use` got nothing to use. Give it a `Plugin(...)`, `chat=` or `tool=`.")
        self._register(Plugin(name="middleware", chat=chat, tool=tool))
        return _Registered(self)

    async def _set_up(self, plugin: Plugin) -> Self:
        self._refuse_if_closed()
        if plugin.setup is not None:
            try:
                await _called(plugin.setup)
            except Exception as error:
                raise RuntimeError(
                    f"[thena] plugin `{plugin.name}` couldn't be set up ({type(error).__name__}: {error}), "
                    "so it isn't registered."
                ) from error
        self._register(plugin)
        return self

    def _register(self, plugin: Plugin) -> None:
        self._refuse_if_closed()
        self._plugins = (*self._plugins, plugin)
        # Runs that go on keep the equipment that they began with.
        self._equipment = replace(
            self._equipment,
            chat=chat_chain([each.chat for each in self._plugins if each.chat is not None]),
            tool=tool_chain([each.tool for each in self._plugins if each.tool is not None]),
        )

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise RuntimeError("[thena] the app was closed and runs nothing more. Make a new one with `Thena(...)`.")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self, timeout: float | None = None) -> None:  # noqa: ASYNC109 - the API names it so
        """Abort the runs that go on, wait for them (at most `timeout` seconds), and close plugins and providers."""
        self._closed = True
        runs = tuple(self._runs)
        for run in runs:
            run.abort("the app was closed")
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                for run in runs:
                    await run.settle()
        plugins, self._plugins = self._plugins, ()
        for plugin in plugins:
            await _close(plugin)
        await self._close_providers()

    def _scope(self, data: object, log: LogOption | None, sinks: Sequence[Sink]) -> RunScope:
        run_id = str(uuid.uuid4())
        return RunScope(
            run_id=run_id,
            data={} if data is None else data,
            recorder=Recorder(
                run_id,
                [
                    *_log_sinks(self.config.log if log is None else log),
                    *(plugin.on_event for plugin in self._plugins if plugin.on_event is not None),
                    *sinks,
                ],
                self.config.clock,
            ),
            cancellation=Cancellation(),
        )

    def _conversation(self, prompt: str, seed: Seed | None) -> Conversation:
        self._refuse_if_closed()
        if not isinstance(prompt, str):
            raise TypeError(f"[thena] `prompt` is of type `{type(prompt).__name__}`. Give a string.")
        conversation = Conversation.seeded(seed or {})
        conversation.append("history", Message("user", prompt))
        return conversation

    async def _close_providers(self) -> None:
        for provider in {id(shared): shared for shared in _shared_providers(self._plan.steps)}.values():
            await provider.close()


class _Registered(Generic[A]):
    """An app that has what was to be registered: it may be awaited, and need not be."""

    def __init__(self, app: A) -> None:
        self._app = app

    def __await__(self) -> Generator[None, None, A]:
        return self._app
        yield


async def _called(function: Callable[[], object]) -> None:
    result = function()
    if inspect.isawaitable(result):
        await result


async def _close(plugin: Plugin) -> None:
    if plugin.close is None:
        return
    try:
        await _called(plugin.close)
    except Exception:
        print(f"[thena] plugin `{plugin.name}` couldn't be closed:\n{traceback.format_exc()}", file=sys.stderr)


def _log_sinks(log: LogOption) -> list[Sink]:
    match log:
        case False:
            return []
        case True | "verbose":
            return [ConsoleLog(verbose=log == "verbose")]
        case _ if callable(log):
            return [log]
    raise ValueError(f'[thena] `log` is {log!r}. Give `True`, `False`, `"verbose"` or a function of the event.')


def _shared_providers(steps: Sequence[StepNode]) -> Iterator[Provider]:
    """The providers that were given as instances, and so outlive a run."""
    for step in steps:
        match step:
            case AgentNode():
                if isinstance(step.provider, Provider) and not isinstance(step.provider, type):
                    yield step.provider
            case LoopNode() | ParallelNode() | Plan():
                yield from _shared_providers(step.steps)
