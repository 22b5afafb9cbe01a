from ..core import Brief, model
from thena_runtime import Agent, Context, Prompt, State

from pathlib import Path

PROMPTS = Path(__file__).parent.parent / "prompts"


@Agent(provider=model("outliner", "1. What bees are", "2. Why they matter"), prompt=Prompt("Write one more headline."))
class Outliner:
    def __init__(self, s: State[Brief]) -> None:
        self.s = s

    def after_response(self, response: str) -> None:
        self.s.outline.append(response)


@Agent(provider=model("writer"), prompt=PROMPTS / "writer.txt")
class Writer:
    def __init__(self, s: State[Brief]) -> None:
        self.s = s

    async def before_prompt(self, prompt: str, ctx: Context) -> str:
        return prompt + "\n" + "\n".join(self.s.outline)

    async def after_response(self, response: str, ctx: Context) -> None:
        self.s.article = response
