"""`create_app(settings)`: classes are made here, because they depend on the settings."""

from thena_runtime import Agent, Context, Prompt, ScriptedProvider, State, Thena, ThenaConfig, Tool, Workflow, loop

from .settings import Settings


class Report:
    chapters: list[str] = []


def create_app(settings: Settings) -> Thena:
    @Tool(name="word_count", description="Count words.")
    class WordCount:
        def execute(self, text: str) -> int:
            return len(text.split())

    @Agent(
        provider=ScriptedProvider([f"Chapter ({settings.language})"]),
        prompt=Prompt("Write the next chapter."),
        tools=[WordCount],
    )
    class Author:
        def __init__(self, report: State[Report]) -> None:
            self.report = report

        def after_response(self, response: str, ctx: Context) -> None:
            self.report.chapters.append(response)

    def complete(ctx: Context, report: Report) -> bool:
        return len(report.chapters) >= settings.chapters

    @Workflow(state=Report, steps=[loop([Author], until=complete)])
    class Build: ...

    return Thena(Build, ThenaConfig(log=settings.log))
