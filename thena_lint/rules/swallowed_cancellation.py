"""THN808: code around an `await` catches the cancellation of its own run, and goes on."""

from collections.abc import Iterator
from typing import Final

from thena_contract.declarations import Unknown
from thena_contract.source_faults.swallowed_cancellation import SwallowedCancellation
from thena_lint.bodies.acts import Act
from thena_lint.bodies.meanings import Known, chain_of
from thena_lint.bodies.memory import BodyIndex
from thena_lint.bodies.spotted import Spotted
from thena_lint.index.modules import ModuleAt
from thena_lint.index.resolve import External, FunctionAt, ValueAt
from thena_lint.summary.body import Chain, Handler, Use
from thena_lint.summary.expressions import Expression

_EVERYTHING: Final = External("builtins.BaseException")
_CANCELLED: Final = (External("asyncio.CancelledError"), External("asyncio.exceptions.CancelledError"))
_SUPPRESS: Final = External("contextlib.suppress")
_ENDINGS: Final = frozenset(External(dotted) for dotted in ("sys.exit", "os._exit", "os.abort", "builtins.exit"))
_PASSES_ON: Final = "set_exception"


def check(index: BodyIndex, act: Act) -> Iterator[Spotted]:
    """Report every handler of all exceptions that doesn't raise again, where the runtime awaits the body."""
    if act.role == "other" or not act.is_async or _cancels(act):
        return
    for number, event in enumerate(act.body.events):
        caught = None if event.is_nested else _caught(index, act, event)
        if caught is not None:
            yield Spotted(SwallowedCancellation(subject=act.subject, caught=caught), act.site.doing(number))


def _cancels(act: Act) -> bool:
    """Say whether a body cancels something itself: then what it catches may be that."""
    return any(use.how == "called" and use.chain.attributes[-1:] == ("cancel",) for _, use in act.body.uses())


def _caught(index: BodyIndex, act: Act, event: Handler | Use) -> str | None:
    match event:
        case Handler(is_kept=True) if act.body.raises:
            # It may be raised later, when all else is done.
            return None
        case Handler(called=called, handed=handed) if _may_end(index, act, called, handed):
            return None
        case Handler(awaits=True, raises=False, kinds=kinds, before=before):
            if any(_is(index, act, one, *_CANCELLED) for one in before):
                return None
            if kinds is None:
                return "everything"
            return "`BaseException`" if any(_is(index, act, one, _EVERYTHING) for one in kinds) else None
        case Use(guards=True, chain=chain) if act.resolve(index, chain) == _SUPPRESS:
            given = (one.value for one in event.arguments)
            return "`BaseException`" if any(_is(index, act, one, _EVERYTHING) for one in given) else None
    return None


def _may_end(index: BodyIndex, act: Act, called: tuple[Chain, ...], handed: tuple[Chain, ...]) -> bool:
    """Say whether a handler ends the program, or gives what was caught to code that may raise it."""
    return any(act.resolve(index, chain) in _ENDINGS for chain in called) or any(
        chain.attributes[-1:] == (_PASSES_ON,) or _may_be_the_projects(index, act, chain) for chain in handed
    )


def _may_be_the_projects(index: BodyIndex, act: Act, chain: Chain) -> bool:
    """Say whether a function may be the project's own; what another library's objects have is taken not to raise."""
    if len(chain.attributes) == 1 and act.roots.get(chain.root) is Known.ITSELF:
        return True
    resolved = act.resolve(index, chain)
    is_named = not chain.attributes or isinstance(act.resolve(index, Chain(chain.root)), ModuleAt)
    return isinstance(resolved, FunctionAt) or (is_named and isinstance(resolved, ValueAt | Unknown))


def _is(index: BodyIndex, act: Act, expression: Expression, *wanted: External) -> bool:
    chain = chain_of(expression)
    return chain is not None and act.resolve(index, chain) in wanted
