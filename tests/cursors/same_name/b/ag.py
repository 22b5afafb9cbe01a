from thena_runtime import Agent, ScriptedProvider, State


@Agent(provider=ScriptedProvider(["ok"]), prompt="./writer.agent.md")
class Writer:
    def __init__(self, s: State[dict] | None = None) -> None:
        self.s = s
