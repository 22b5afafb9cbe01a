from dataclasses import dataclass, field

import attrs
from pydantic import BaseModel, ConfigDict

from issue.model import Issue
from thena_runtime import Agent, Context, Prompt, ScriptedProvider, State


@Agent(provider=ScriptedProvider(["It rains in Spain."]), prompt=Prompt("Write the news."))
@dataclass
class NewsEditor:
    issue: State[Issue]
    drafts: list[str] = field(default_factory=list, init=False)

    def after_response(self, response: str) -> None:
        self.drafts.append(response)
        self.issue.put("news", response)


@Agent(provider=ScriptedProvider(["A crossword."]), prompt=Prompt("Write the fun page."))
@attrs.define
class FunEditor:
    issue: State[Issue]
    tone: str = "dry"

    def before_prompt(self, prompt: str, ctx: Context) -> str:
        return f"{prompt} Be {self.tone}."

    def after_response(self, response: str) -> None:
        self.issue.put("fun", response)


@Agent(provider=ScriptedProvider(["The Week in Rain"]), prompt=Prompt("Find a title."))
class TitleEditor(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)

    issue: State[Issue]
    longest: int = 60

    def after_response(self, response: str) -> None:
        self.issue.title = response[: self.longest]
