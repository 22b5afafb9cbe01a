"""What isn't about the framework, and is inherited and called."""

import time


class Base:
    seen: list[str] = []  # error: THN807

    async def before_prompt(self, prompt, ctx) -> None:
        time.sleep(1)  # error: THN801
        self.seen.append(prompt)
        ctx.loop = None  # error: THN805


class Retrying:
    def __init__(self, function: object) -> None:
        self.function = function

    def __get__(self, owner: object, kind: object) -> object:
        return self.function


def hold_on() -> None:
    time.sleep(1)


async def fetch() -> str:
    time.sleep(1)
    return ""


def start_anew(agent: object) -> None:
    vars(agent)["notes"] = []


def fail(error: BaseException) -> None:
    raise RuntimeError("it failed") from error


fail_later = fail_at_once = [fail][0]
