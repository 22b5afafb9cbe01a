"""An app: a workflow that was judged, and the runs that it starts."""

import asyncio
import inspect
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Any, Final, Generic, Self, cast, overload

from thena_contract.fault import Finding
from thena_runtime.budget.limits import Budget
from thena_runtime.budget.meter import Meter
from thena_runtime.build.compile import compile_workflow
from thena_runtime.build.describe_app import AppParts
from thena_runtime.build.plan import AgentNode, LoopNode, ParallelNode, Plan, StepNode
from thena_runtime.clock import deadline
from thena_runtime.conversation import Conversation
from thena_runtime.messages import Message
from thena_runtime.middleware.invocation import ChatMiddleware, ToolMiddleware
from thena_runtime.observability.console import ConsoleLog
from thena_runtime.observability.recorder import Moment, Recorder, Sink
from thena_runtime.plugin import Plugin, require_callable
from thena_runtime.providers.provider import Provider, close_provider
from thena_runtime.replay import Replay
from thena_runtime.run.equipment import Equipment
from thena_runtime.run.feed import Feed
from thena_runtime.run.handle import RunHandle, execute, is_checkable, is_of_type, reported, require_outside
from thena_runtime.run.model_call import chat_chain
from thena_runtime.run.nested import starter
from thena_runtime.run.reporting import Reporter, Reporting
from thena_runtime.run.stores import Stores
from thena_runtime.run.tool_execution import tool_chain
from thena_runtime.run.workflows import Workflows
from thena_runtime.scope import Cancellation, RunScope, Seed
from thena_runtime.settings import LogOption, ReportOption, ThenaConfig, report_options
from thena_runtime.unique import new_uuid

if sys.version_info >= (3, 13):
    from typing import TypeVar
else:
    from typing_extensions import TypeVar

A = TypeVar("A")
O = TypeVar("O", default=Any)  # noqa: E741 - the output of a run
D = TypeVar("D", default=Any)


class Thena(Generic[O, D]):
    """A workflow that can be run. Making one judges all its wiring and raises `ContractError` with every fault.

    `output=` promises what a run gives: awaiting a handle gives a value of that type or raises `OutputError`; a run
    that was stopped before it had one gives `None`, and its `stopped_by` says why. `data=` is the type of the data that
    every run is started with.
    """

    def __init__(
        self,
        workflow: type,
        config: ThenaConfig | None = None,
        *,
        output: type[O] | None = None,
        data: type[D] | None = None,
    ) -> None:
        if config is not None and not isinstance(config, ThenaConfig):
            raise TypeError(
                f"[thena] `Thena` got a `{type(config).__name__}` as its config. Give it `ThenaConfig(...)`."
            )
        for option, declared in (("output", output), ("data", data)):
            if declared is not None and not is_checkable(declared):
                raise TypeError(
                    f"[thena] `{option}` of `Thena` is of type `{type(declared).__name__}`, or a class that no value "
                    "can be checked against. Give it a class."
                )
        _checked_budget(None if config is None else config.budget)
        self.config = config or ThenaConfig()
        stores = Stores(self.config.memory)
        self._parts = AppParts(stores=stores.types, data=data, settings=self.config.given)
        compiled = compile_workflow(workflow, self._parts)
        self.workflow = workflow
        self.data = data
        """The type of the data that every run is started with, if it was said."""
        self.findings: tuple[Finding, ...] = compiled.findings
        """What was found and is no error."""
        self._plan = replace(compiled.plan, output=output)
        self._equipment = Equipment(workflows=Workflows(self._parts), stores=stores)
        self._start_nested = starter(self._equipment)
        self._plugins: tuple[Plugin, ...] = ()
        self._names: set[str] = set()
        self._runs: set[RunHandle[O]] = set()
        # Those of `run_sync`, each in a thread and an event loop of its own, by what is done when both are left.
        self._apart: dict[Future[None], RunScope] = {}
        self._door = threading.Lock()
        self._closed = False
        self._reports: Reporter | None = None

    def run(
        self,
        prompt: str,
        *,
        state: Seed | None = None,
        data: D | None = None,
        budget: Budget | None = None,
        log: LogOption | None = None,
        report: ReportOption | None = None,
        observe: bool | None = None,
        replay: Replay | None = None,
    ) -> RunHandle[O]:
        """Start a run in the running event loop and return its handle at once.

        Args:
            prompt: What the user says.
            state: What the conversation begins with: `{"memory": [...], "tasks": [...], "history": [...]}`.
            data: The caller's own, as `ctx.data`. The model never sees it.
            budget: What this run may spend, instead of the app's setting; `Budget()` sets no limit.
            log: Overrides the app's setting.
            report: Overrides the app's setting.
            observe: `True` has every model stream from the start, for listeners that come later; `False` keeps nothing
                for listeners. Without it everything is kept, and a model streams where somebody listens for tokens by
                then or a plugin has `on_event`.
            replay: Answers of earlier runs, which stand for the calls of models that haven't changed.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            raise RuntimeError(
                "[thena] `app.run(...)` was called outside an event loop. "
                "Call it in an `async` function, or use `app.run_sync(...)`."
            ) from None
        conversation = self._conversation(prompt, state)
        run_id = new_uuid()
        feed = None if observe is False else Feed.of(run_id, self.config.keep_bytes)
        reporting = self._reporting(run_id, prompt, report)
        scope = self._scope(run_id, data, budget, log, feed, reporting)
        scope.replay = replay
        if feed is not None:
            scope.voice = feed.voice(always_streams=observe is True or self._is_watched)
        return RunHandle(self._plan, scope, conversation, self._equipment, feed, self._runs, reporting)

    def run_sync(
        self,
        prompt: str,
        *,
        state: Seed | None = None,
        data: D | None = None,
        budget: Budget | None = None,
        log: LogOption | None = None,
        report: ReportOption | None = None,
    ) -> O:
        """Run to the end in an event loop of its own and return the output. See `run` for the arguments."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            over: Future[None] = Future()
            over.set_running_or_notify_cancel()
            try:
                return asyncio.run(self._run_apart(over, prompt, state, data, budget, log, report))
            finally:
                self._apart.pop(over, None)
                over.set_result(None)
        raise RuntimeError(
            "[thena] `app.run_sync(...)` was called inside an event loop. Write `await app.run(...)` there."
        )

    async def _run_apart(
        self,
        over: "Future[None]",
        prompt: str,
        state: Seed | None,
        data: object,
        budget: Budget | None,
        log: LogOption | None,
        report: ReportOption | None,
    ) -> O:
        conversation = self._conversation(prompt, state)
        run_id = new_uuid()
        reporting = self._reporting(run_id, prompt, report)
        scope = self._scope(run_id, data, budget, log, None, reporting)
        with self._door:
            # The app may have been closed by another thread meanwhile.
            self._refuse_if_closed()
            self._apart[over] = scope
        try:
            running = execute(self._plan, scope, conversation, self._equipment)
            outcome = await (running if reporting is None else reported(running, scope, reporting))
        finally:
            # The loop ends here, and what a provider holds open belongs to it.
            await self._close_providers()
            if self._reports is not None:
                await self._reports.settle()
        return cast(O, outcome.output)

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
        `setup` fails isn't registered, and a `RuntimeError` names it. A second one of the same name is refused with a
        `ValueError`.
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
        for option, middleware in (("chat", chat), ("tool", tool)):
            if middleware is not None:
                require_callable(f"`{option}` of `app.use`", middleware, 2)
        self._register(Plugin(name="middleware", chat=chat, tool=tool))
        return _Registered(self)

    async def _set_up(self, plugin: Plugin) -> Self:
        self._refuse_if_closed()
        if plugin.name in self._names:
            raise ValueError(
                f"[thena] the app has a plugin `{plugin.name}` already. Use it once, or give one of them another name."
            )
        self._names.add(plugin.name)
        try:
            if plugin.setup is not None:
                await _called(plugin.setup)
        except BaseException as error:
            self._names.remove(plugin.name)
            if not isinstance(error, Exception):
                raise
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
        self._start_nested = starter(self._equipment)

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
        """Abort the runs that go on, wait for them (at most `timeout` seconds), and close plugins and providers.

        Those of `run_sync` in other threads are among them. Raises `FatalToolError` inside one of these runs, and
        `RuntimeError` in another event loop than that of `app.run(...)`, where they would be waited for in vain.
        Nothing is closed then.
        """
        runs = tuple(run for run in tuple(self._runs) if not run.is_lost)
        for run in runs:
            run.require_elsewhere("app.close()")
        with self._door:
            apart = self._apart.copy()
            for scope in apart.values():
                require_outside(scope, "app.close()")
            self._closed = True
        for scope in apart.values():
            scope.cancellation.abort(_CLOSED)
        for run in runs:
            run.abort(_CLOSED)
        with suppress(TimeoutError):
            async with deadline(self.config.clock, timeout):
                for run in runs:
                    await run.settle()
                for over in apart:
                    await asyncio.wrap_future(over)
                if self._reports is not None:
                    await self._reports.settle()
        plugins, self._plugins = self._plugins, ()
        for plugin in plugins:
            if plugin.close is not None:
                await _close(f"plugin `{plugin.name}`", plugin.close)
        await self._close_providers()
        if self._reports is not None:
            self._reports.close()

    @property
    def _is_watched(self) -> bool:
        return any(plugin.on_event is not None for plugin in self._plugins)

    def _reporting(self, run_id: str, prompt: str, report: ReportOption | None) -> Reporting | None:
        options = report_options(self.config.report if report is None else report)
        if options is None:
            return None
        with self._door:
            if self._reports is None:
                # Here, for most apps write no reports.
                from thena_runtime.report.reports import Reports

                self._reports = Reports()
        return self._reports.begin(options, run_id=run_id, workflow=self._plan.name, prompt=prompt)

    def _scope(
        self,
        run_id: str,
        data: object,
        budget: Budget | None,
        log: LogOption | None,
        feed: Feed | None,
        reporting: Reporting | None,
    ) -> RunScope:
        keep: Callable[[Moment], object] | None = None if feed is None else feed.events.publish
        if reporting is not None:
            keep = reporting.moment if keep is None else partial(_both, keep, reporting.moment)
        return RunScope(
            run_id=run_id,
            data=self._checked_data(data),
            recorder=Recorder(
                run_id,
                [
                    *_log_sinks(self.config.log if log is None else log),
                    *(plugin.on_event for plugin in self._plugins if plugin.on_event is not None),
                ],
                self.config.clock,
                keep,
                None if reporting is None else reporting.witness,
            ),
            meter=Meter(_checked_budget(self.config.budget if budget is None else budget), self.config.clock),
            cancellation=Cancellation(),
            start_nested=self._start_nested,
        )

    def _checked_data(self, data: object) -> object:
        wanted = self._parts.data
        if wanted is None:
            return {} if data is None else data
        if not is_of_type(data, wanted):
            given = "nothing" if data is None else f"a value of type `{type(data).__name__}`"
            raise TypeError(
                f"[thena] a run of `{self._plan.name}` got {given} as its data. Give it `data={wanted.__name__}(...)`."
            )
        return data

    def _conversation(self, prompt: str, seed: Seed | None) -> Conversation:
        self._refuse_if_closed()
        if not isinstance(prompt, str):
            raise TypeError(f"[thena] `prompt` is of type `{type(prompt).__name__}`. Give a string.")
        conversation = Conversation() if seed is None else Conversation.seeded(seed)
        conversation.add(Message("user", prompt))
        return conversation

    async def _close_providers(self) -> None:
        plans = (self._plan, *self._equipment.workflows)
        for provider in {id(shared): shared for shared in _shared_providers(plans)}.values():
            await _close(f"provider `{type(provider).__name__}`", partial(close_provider, provider))
        for store in self._equipment.stores.made:
            await _close(f"vector store `{type(store).__name__}`", store.close)


_CLOSED: Final = "the app was closed"


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


async def _close(subject: str, close: Callable[[], object]) -> None:
    """Close one thing. What it raises is told and passed over: others are to be closed too, and a run be heard."""
    try:
        await _called(close)
    except (KeyboardInterrupt, SystemExit, asyncio.CancelledError):
        raise
    except BaseException:
        print(f"[thena] {subject} couldn't be closed:\n{traceback.format_exc()}", file=sys.stderr)


def _both(first: Callable[[Moment], object], second: Callable[[Moment], object], moment: Moment) -> None:
    first(moment)
    second(moment)


def _checked_budget(budget: object) -> Budget | None:
    if budget is None or isinstance(budget, Budget):
        return budget
    raise TypeError(f"[thena] `budget` is of type `{type(budget).__name__}`. Give a `Budget(...)`.")


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
                if step.shared is not None:
                    yield step.shared
            case LoopNode() | ParallelNode() | Plan():
                yield from _shared_providers(step.steps)
