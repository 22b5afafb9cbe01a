"""THN806: what looks like a secret is put into the conversation."""

import re
from collections.abc import Iterator
from typing import Final

from thena_contract.source_faults.secret_in_memory import SecretInMemory
from thena_lint.bodies.acts import Act
from thena_lint.bodies.meanings import Known
from thena_lint.bodies.memory import BodyIndex
from thena_lint.bodies.spotted import Spotted
from thena_lint.summary.body import Chain, Use

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
_SECRETS: Final = frozenset({"password", "passwd", "passphrase", "secret", "apikey", "credentials"})
_KEYS: Final = frozenset({"api", "private", "secret", "access", "signing", "encryption"})
_TOKENS: Final = frozenset({"api", "access", "auth", "bearer", "refresh", "session", "secret", "github", "oauth"})
_QUESTIONS: Final = frozenset(
    {"is", "has", "had", "needs", "no", "uses", "with", "without", "wants", "missing", "show", "reset", "forgot"}
)
_TELLING: Final = ("append", "set")
_RUNNING: Final = ("run", "run_sync")


def check(index: BodyIndex, act: Act) -> Iterator[Spotted]:
    """Report every name of a secret whose value goes into a bucket of `ctx.state`, or begins a run."""
    for number, use in act.body.uses():
        if use.told and _is_told_to_a_model(index, act, use):
            for name in filter(looks_secret, use.told):
                yield Spotted(SecretInMemory(subject=act.subject, secret=name), act.site.doing(number))


def looks_secret(name: str) -> bool:
    """Say whether a name says that its value is a secret: `api_key` and `dbPassword`, but not `token_count`."""
    words = [word.lower() for word in _WORDS.findall(name)]
    if not words or words[0] in _QUESTIONS:
        return False
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    return last in _SECRETS or (last == "key" and before in _KEYS) or (last == "token" and before in _TOKENS)


def _is_told_to_a_model(index: BodyIndex, act: Act, use: Use) -> bool:
    *before, method = use.chain.attributes or ("",)
    receiver = Chain(use.chain.root, tuple(before))
    if method in _TELLING:
        return dict(act.meanings(receiver)).get(len(before)) is Known.CONVERSATION
    return method in _RUNNING and act.is_app(index, receiver)
