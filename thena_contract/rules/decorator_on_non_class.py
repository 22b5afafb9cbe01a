"""THN113: a decorator for classes that stands above a function."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract import vocabulary
from thena_contract.assembly import Assembly
from thena_contract.fault import Fault, Finding


@final
class DecoratorOnNonClass(Fault):
    """`@Agent`, `@Tool` or `@Workflow` stands above a function."""

    code: ClassVar[str] = "THN113"
    name: ClassVar[str] = "decorator-on-non-class"
    text: ClassVar[str] = "`{function}` is a function and has `@{decorator}`, which is for classes."
    hint: ClassVar[str] = "Take `@{decorator}` away{more}."

    function: str
    decorator: str
    more: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every function that has a decorator of ours."""
    for bare, chain in assembly.all_bare():
        if bare.on == "function":
            more = (
                ": a function is a tool as it is, and a model is told its name and docstring"
                if bare.decorator == vocabulary.TOOL
                else ", and write a class in the place of the function"
            )
            fault = DecoratorOnNonClass(function=bare.ref.name, decorator=bare.decorator, more=more)
            yield Finding(fault, bare.anchor, chain)
