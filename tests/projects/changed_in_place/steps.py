from thena_runtime import Agent, Prompt, ScriptedProvider

APPENDED = []
SHARED = [3]
KEPT = [
    3,  # error: THN101
]
READ = [
    "nothing but read",  # error: THN101
]
print(len(READ), READ[0], READ + KEPT)


def show(READ):
    print(READ)


class Settings:
    STEPS = [3]


def repair(steps, agent):
    steps[0] = agent


def declare(cls):
    return Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Declared by a function."))(cls)
