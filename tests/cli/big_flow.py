"""A workflow with everything that a picture can show."""

SOURCE = """\
from thena_runtime import Agent, Prompt, ScriptedProvider, Thena, Tool, Workflow, loop, parallel

model = ScriptedProvider(["ok"])


class Draft:
    done = False


@Tool(name="search", description="Search the <web> & \\"more\\".")
class Search:
    def execute(self, text: str) -> str:
        return text


@Agent(provider=model, prompt=Prompt("Search."), tools=[Search])
class Researcher: ...


@Agent(provider=model, prompt=Prompt("Doubt."), tools=[Search])
class Critic: ...


@Agent(provider=model, prompt="./writer.agent.md")
class Writer: ...


@Workflow(steps=[Writer])
class Publish: ...


@Workflow(
    state=Draft,
    steps=[
        Writer,
        loop([parallel([Researcher, Critic]), Writer], until=lambda ctx, s: s.done, max_iterations=3, max_fails=None),
        Publish,
    ],
)
class Big: ...


app = Thena(Big)
"""
