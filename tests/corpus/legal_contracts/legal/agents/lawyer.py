from thena_runtime import Agent, Prompt, ScriptedProvider


@Agent(provider=ScriptedProvider(["I advise against signing."]), prompt=Prompt("You are a lawyer."))
class Lawyer:
    """Needs nothing but the conversation."""
