from typing import Optional, Union

from seo.page import Page
from thena_runtime import Agent, Prompt, ScriptedProvider, State, Tool, tool_call


@Tool(name="density", description="Measure how often a keyword occurs.")
class Density:
    """Works in workflows with and without a page."""

    def execute(self, text: str, keyword: "str", page: "State[Page] | None" = None) -> float:
        words = text.lower().split()
        if page is not None:
            page.body = text
        return words.count(keyword) / max(len(words), 1)


@Agent(
    provider=ScriptedProvider([tool_call("density", text="bee bee honey", keyword="bee"), "Bees make honey."]),
    prompt=Prompt("Write a page that is found."),
    tools=[Density],
)
class Writer:
    def __init__(self, page: Optional[State[Page]] = None) -> None:
        self.page = page

    def after_response(self, response: str) -> None:
        if self.page:
            self.page.body = response


@Agent(provider=ScriptedProvider(["Honey!"]), prompt=Prompt("Write a title."))
class Titler:
    def __init__(self, page: "Union[State[Page], None]" = None) -> None:
        self.page = page

    def after_response(self, response: "str") -> "None":
        if self.page:
            self.page.title = response
