"""THN505: a generator where an answer is wanted."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract.anchor import Anchor
from thena_contract.assembly import Assembly
from thena_contract.declarations import Called, Signature
from thena_contract.fault import Fault, Finding, Related


@final
class GeneratorHook(Fault):
    """A hook, an agent's own `run`, an `until` or a callback yields, so that nothing in it ever runs."""

    code: ClassVar[str] = "THN505"
    name: ClassVar[str] = "generator-hook"
    text: ClassVar[str] = "`{subject}` is a generator, because it has a `yield`, so nothing in it ever runs."
    hint: ClassVar[str] = "Give the answer with `return` instead of `yield`."

    subject: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every generator that is called for its answer."""
    for subject, called, anchor, related in _called(assembly):
        if isinstance(called, Signature) and called.is_generator is True:
            yield Finding(GeneratorHook(subject=subject), anchor, related)


def _called(assembly: Assembly) -> Iterator[tuple[str, Called, Anchor, tuple[Related, ...]]]:
    for agent, method in assembly.called_methods():
        yield f"{agent.ref.name}.{method.name}", method.called, method.anchor, ()
    for loop in assembly.loops():
        for name, called in (("until", loop.until), ("on_exhausted", loop.on_exhausted), ("on_fail", loop.on_fail)):
            anchor = loop.anchor.at(name)
            yield anchor.label, called, anchor, assembly.declared_here()
