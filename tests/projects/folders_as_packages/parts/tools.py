from thena_runtime import Agent, Prompt, ScriptedProvider, State


def note(text: str, s: State[dict]) -> str:  # error: THN201
    """Take a note."""
    return text


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Work."), tools=[note])
class Toolsmith:
    pass
