from thena_runtime import Agent, Prompt, ScriptedProvider


def one(ctx, s) -> bool:
    return True


def one(ctx) -> bool:
    return True


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Asks for nothing."))
class Given:
    pass
