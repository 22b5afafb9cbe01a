from thena_runtime import Agent, Prompt, ScriptedProvider


@Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("Without anything."))
class Writer:
    pass
