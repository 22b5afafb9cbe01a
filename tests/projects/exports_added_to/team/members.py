from thena_runtime import Agent, Context, Prompt, ScriptedProvider

__all__ = ["Reader"]
__all__ += ["Writer"]
__all__.extend(("Critic",))
__all__.append("Editor")

WITH = dict(provider=ScriptedProvider(["fine"]), prompt=Prompt("Do your work."))


@Agent(**WITH)
class Reader:
    pass


@Agent(**WITH)
class Writer:
    def __init__(self, ctx: Context) -> None:  # error: THN202
        self.ctx = ctx


@Agent(**WITH)
class Critic:
    def __init__(self, ctx: Context) -> None:  # error: THN202
        self.ctx = ctx


@Agent(**WITH)
class Editor:
    def __init__(self, ctx: Context) -> None:  # error: THN202
        self.ctx = ctx


class Helper:
    """Isn't handed on."""
