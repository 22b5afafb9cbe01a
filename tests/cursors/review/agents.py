from state import ReviewState
from thena_runtime import Agent, AgentHooks, Context, Prompt, ScriptedProvider, State
from tools import ReadFile, Search
#                 ^ hover


@Agent(provider=ScriptedProvider(["ok"]), prompt="./reviewer.agent.md", tools=[ReadFile, Search])
#^ hover                                  ^ hover                              ^ hover
class Reviewer(AgentHooks):
    # ^ hover
    def __init__(self, s: State[ReviewState]) -> None:
    #                  ^ hover  ^ hover
        self.s = s

    def before_prompt(self, prompt: str, ctx: Context) -> None: ...
    #   ^ hover                          ^ hover

    def before_tool(self, call: object) -> None: ...
    #   ^ hover

    def after_tool(self, result: object) -> None: ...
    #   ^ hover

    async def after_response(self, response: str) -> None: ...
    #         ^ hover

    def on_error(self, error: Exception) -> None: ...
    #   ^ hover

    def another(self, s: State[ReviewState]) -> None: ...
    #   ^ hover          ^ hover


@Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("Edit."))
class Editor:
    # ^ hover
    def __init__(self, s: State[ReviewState] | None = None) -> None:
    #                  ^ hover
        self.s = s


@Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("Idle."))
class Idle:
    # ^ hover
    def __init__(self, s: State[ReviewState]) -> None:
    #                     ^ hover
        self.s = s
