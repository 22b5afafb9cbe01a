"""THN112: a decorator that is written without its call."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.fault import Fault, Finding


@final
class DecoratorWithoutCall(Fault):
    """`@Agent`, `@Tool` or `@Workflow` stands above a class without its brackets."""

    code: ClassVar[str] = "THN112"
    name: ClassVar[str] = "decorator-without-call"
    text: ClassVar[str] = "`{decorated}` is decorated with `@{decorator}` without a call."
    hint: ClassVar[str] = "Write `@{decorator}(...)`."

    decorated: str
    decorator: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every class whose decorator isn't called."""
    for bare, chain in assembly.all_bare():
        if bare.on == "class":
            yield Finding(DecoratorWithoutCall(decorated=bare.ref.name, decorator=bare.decorator), bare.anchor, chain)
