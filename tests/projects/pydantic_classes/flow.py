from bases import Checked
from pydantic import BaseModel, ConfigDict, computed_field, field_validator

from thena_runtime import Agent, AgentHooks, Prompt, ScriptedProvider, State, Tool, Workflow

MODEL = ScriptedProvider(["done"])


class Draft:
    text = ""


@Tool(name="keep", description="Keep it.")
class Keep(BaseModel):
    async def execute(self, text: str, s: State[Draft]) -> str:
        s.text = text
        return "kept"


@Tool(name="lose", description="Lose it.")
class Lose(BaseModel):  # error: THN103
    async def run(self, text: str) -> str:
        return text


@Agent(provider=MODEL, prompt=Prompt("Edit."), tools=[Keep, Lose])
class Editor(Checked):
    model_config = ConfigDict(arbitrary_types_allowed=True)

    s: State[Draft]
    on_error: str = "a field of that name"
    after_tool: None = None

    def after_response(self, response: str):  # error: THN505
        yield response

    @field_validator("on_error")
    @classmethod
    def before_tool(cls, value: str) -> str:
        return value

    @computed_field
    @property
    def beforeTool(self) -> str:
        return self.on_error


@Agent(provider=MODEL, prompt=Prompt("Review."))
class Reviewer(AgentHooks, BaseModel):
    def before_prompt(self, prompt: str, s: State[Draft] | None = None) -> None:  # error: THN206
        pass

    def after_respnse(self, response: str) -> None:  # error: THN503
        pass


@Workflow(state=Draft, steps=[Editor, Reviewer])
class Flow:
    pass
