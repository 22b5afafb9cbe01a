"""Moderation of comments, with what concerns every agent in middlewares and a plugin."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable

from thena_runtime import (
    Agent,
    ChatInvocation,
    Completion,
    Context,
    Event,
    Plugin,
    Prompt,
    ScriptedProvider,
    Thena,
    ToolInvocation,
    ToolOutput,
    Workflow,
    context_window,
    loop,
    parallel,
    tool_call,
    until_answered,
)

BANNED = frozenset({"spam", "scam"})


def contains_banned(text: str) -> bool:
    """Say whether a text has a banned word.

    :param text: the comment
    """
    return bool(BANNED & set(text.lower().split()))


async def hide(comment_id: int, reason: str = "spam") -> str:
    """Hide a comment."""
    await asyncio.sleep(0)
    return f"{comment_id} hidden: {reason}"


@Agent(
    provider=ScriptedProvider([tool_call("contains_banned", text="buy scam"), tool_call("hide", comment_id=7), "hidden"]),
    prompt=Prompt("Keep spam away."),
    tools=[contains_banned, hide],
)
class SpamModerator:
    pass


@Agent(provider=ScriptedProvider(["polite"]), prompt=Prompt("Judge the tone."))
class ToneModerator:
    def after_response(self, response: str, ctx: Context) -> str:
        return response.upper()


@Workflow(steps=[parallel(steps=[loop([SpamModerator], until=until_answered), ToneModerator])])
class Moderation:
    pass


class Metrics:
    """A plugin that counts and times."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.started = 0.0

    async def setup(self) -> None:
        self.started = time.monotonic()

    def on_event(self, event: Event) -> None:
        if event.phase == "end":
            self.counts[event.kind] += 1

    async def tool(self, call: ToolInvocation, next: Callable[[], Awaitable[ToolOutput]]) -> ToolOutput:
        output = await next()
        call.meta(length=len(output.content))
        return output

    def plugin(self) -> Plugin:
        return Plugin(name="metrics", setup=self.setup, on_event=self.on_event, tool=self.tool, close=lambda: None)


async def polite(call: ChatInvocation, next: Callable[[], Awaitable[Completion]]) -> Completion:
    call.sampling = {**call.sampling, "temperature": 0.0}
    return await next()


async def main() -> None:
    metrics = Metrics()
    async with Thena(Moderation) as app:
        app.use(chat=context_window(max_turns=10)).__await__()
        await app.use(chat=polite)
        await app.use(metrics.plugin())
        print(await app.run("buy scam"))
    print(dict(metrics.counts))


if __name__ == "__main__":
    asyncio.run(main())
