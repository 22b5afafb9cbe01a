import config
from thena_runtime import Agent, Prompt, ScriptedProvider, Tool, Workflow, loop, tool_call, until_answered
from thena_runtime.run_context import Context


@Tool(name="read_diff", description="Read the diff of the pull request.")
class ReadDiff:
    def execute(self, ctx: Context) -> str:
        return ctx.data["pr"].diff


@Tool(name="set_label", description=f"Set one of the labels {', '.join(config.LABELS)}.")
class SetLabel:
    def execute(self, label: str, ctx: Context):
        if label not in config.LABELS:
            raise KeyError(label)
        ctx.data["pr"].labels.append(label)


def script(*turns):
    return ScriptedProvider([*turns])


@Agent(provider=script(tool_call("read_diff"), "Looks fine."), prompt=Prompt("Review."), tools=[ReadDiff])
class Reviewer: pass


@Agent(provider=script(tool_call("set_label", label="bug"), "Labelled."), prompt=Prompt("Label."), tools=[SetLabel, ReadDiff])
class Labeller: pass


def until_done(agent, **brakes):
    """The usual loop of this bot."""
    return loop([agent], until=until_answered, **brakes)


@Workflow(steps=[until_done(Reviewer)])
class Review: pass


@Workflow(steps=[until_done(Labeller, max_iterations=3)])
class Label: pass


FLOWS = {"review": Review, "label": Label}
