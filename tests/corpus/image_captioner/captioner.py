"""A provider of one's own that streams; a caption that is cut off is asked for again."""

import asyncio
from typing import Final

from thena_runtime import (
    Agent,
    Completion,
    CompletionRequest,
    Context,
    Emit,
    Prompt,
    State,
    Thena,
    Token,
    Usage,
    Workflow,
    loop,
    turn_of,
)

MODEL: Final = "captions-1"


class CaptionModel:
    """Two answers: the first one is cut off."""

    name = MODEL

    def __init__(self) -> None:
        self.asked = 0

    async def complete(self, request: CompletionRequest) -> Completion:
        self.asked += 1
        if self.asked == 1:
            return Completion(content="A cat on a", finish_reason="length")
        return Completion(content="A cat on a mat.")

    async def stream(self, request: CompletionRequest, emit: Emit) -> Completion:
        answer = await self.complete(request)
        for word in answer.content.split(" "):
            emit(word + " ")
        return answer

    def worst_case(self, request: CompletionRequest) -> Usage:
        return Usage(completion_tokens=10)

    async def close(self) -> None:
        self.asked = 0


class Caption:
    text = ""
    attempts = 0


@Agent(provider=CaptionModel(), prompt=Prompt("Describe the picture."))
class Captioner:
    def __init__(self, caption: State[Caption]) -> None:
        self.caption = caption

    def after_response(self, response: str, ctx: Context) -> None:
        self.caption.text = response
        self.caption.attempts += 1


def whole(ctx: Context) -> bool:
    turn = turn_of(ctx)
    return turn is not None and turn.finish_reason == "stop"


@Workflow(state=Caption, steps=[loop([Captioner], until=whole, max_iterations=3, max_fails=None)])
class CaptionPicture: ...


def show(token: Token) -> None:
    print(token.text, end="", flush=True)


async def main() -> None:
    async with Thena(CaptionPicture) as app:
        handle = app.run("cat.png", observe=True)
        handle.on_token(show)
        print(await handle)


if __name__ == "__main__":
    asyncio.run(main())
