from collections.abc import Sequence

from thena_runtime import Message, ScriptedProvider
from thena_runtime.providers.scripted import Turn


def _echo(messages: Sequence[Message]) -> str:
    return "An article about " + messages[-1].content.splitlines()[0]


SCRIPTS: dict[str, list[Turn]] = {"writer": [_echo]}


def model(role: str, *turns: Turn) -> ScriptedProvider:
    """The model that plays a role: a script here, a real one in production."""
    return ScriptedProvider(list(turns) or SCRIPTS[role])
