"""Names that a star import of the team leaves alone, and ones that it takes."""

from thena_runtime import Agent, Prompt, ScriptedProvider


class Writer:
    """No agent: the team's own takes its place."""


@Agent(provider=ScriptedProvider(["fine"]), prompt=Prompt("Help."))
class Helper:
    """An agent: the team's own isn't handed on."""
