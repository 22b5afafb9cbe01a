"""What can be added to an app: middlewares around its calls, a listener to its events, and a beginning and an end.

A plugin holds no state of Thena's; when each part is called is the app's to say (`thena_runtime.app`).
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from thena_runtime.middleware.invocation import ChatMiddleware, ToolMiddleware
from thena_runtime.observability.events import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """An extension of an app, for `await app.use(plugin)`. Every part but the name is optional.

    An app has no two plugins of one name.

    `setup` and `close` may be async; `setup` is awaited before the plugin is registered, `close` when the app is
    closed. `on_event` is called with each event of each run, and what it raises is ignored. `chat` and `tool` are
    middlewares: `async (invocation, next)`, around every model call and every tool.
    """

    name: str
    setup: Callable[[], object] | None = None
    on_event: Callable[[Event], object] | None = None
    chat: ChatMiddleware | None = None
    tool: ToolMiddleware | None = None
    close: Callable[[], object] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise TypeError("[thena] a plugin has no name. Give `Plugin` a `name=`, which errors call it by.")
        for part, given in (("setup", 0), ("on_event", 1), ("chat", 2), ("tool", 2), ("close", 0)):
            value = getattr(self, part)
            if value is not None:
                require_callable(f"`{part}` of plugin `{self.name}`", value, given)
        if any(map(inspect.iscoroutinefunction, _functions(self.on_event))):
            raise TypeError(
                f"[thena] `on_event` of plugin `{self.name}` is async, and events don't wait. "
                "Make it a plain function, which may put the event in a queue."
            )


def require_callable(subject: str, value: object, given: int) -> None:
    """Raise unless a value can be called with nothing, with one thing or with two, and what it does is done then."""
    if not callable(value):
        raise TypeError(
            f"[thena] {subject} is of type `{type(value).__name__}`, which can't be called. Give it a function."
        )
    for function in _functions(value):
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(
                f"[thena] {subject} is a generator, so nothing in it ever runs. Return instead of yielding."
            )
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return  # Python can't tell its parameters
    try:
        signature.bind(*range(given))
    except TypeError:
        wanted = ("nothing", "the event", "`(invocation, next)`")[given]
        raise TypeError(f"[thena] {subject} can't be called with {wanted}. Let it take that.") from None


def _functions(value: object) -> tuple[object, object]:
    """What is called: a function itself, or the method of an object that can be called."""
    return value, inspect.getattr_static(type(value), "__call__", None)
