from thena_runtime import Agent, Prompt, ScriptedProvider


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Write."))
class Writer:
    pass


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Criticise."))
class Critic:
    pass


class Helper:
    pass
