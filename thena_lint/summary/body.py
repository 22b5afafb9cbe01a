"""What the body of a function or lambda does, as data: which names it reads, sets and calls, binds and catches.

It is made by the walk of `bodies`.

Bodies are kept apart from facts, so that an edit in one changes no fact. Like facts they hold no places.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, Literal

from thena_contract.frozen import frozen
from thena_lint.summary.expressions import Argument, Call, Expression, Name
from thena_lint.summary.facts import Import

How = Literal["read", "set", "augmented", "deleted", "item", "called"]
"""What is done with a name or attribute; `item` says that something inside it is set or deleted (`s.notes[0] = 1`)."""


@frozen
class Chain:
    """`self.s.notes`: a name, and attributes one after the other. `current_context()` may stand for the name."""

    root: str
    attributes: tuple[str, ...] = ()


@frozen(kw_only=True)
class Use:
    """One use of a name or of attributes of it.

    Of a call: its arguments, the names whose values are `told` with it to whom it is made, whether it is awaited, and
    whether it stands alone, so that its value is dropped. `guards` says that a call in the head of a `with` stands
    around an `await`. `is_nested` is what a function or lambda inside the body does, which may run elsewhere or never.
    It `may_fail` where an `except AttributeError` is there for it, or a `with` such as `pytest.raises(...)`.
    """

    chain: Chain
    how: How
    arguments: tuple[Argument, ...] = ()
    told: tuple[str, ...] = ()
    is_awaited: bool = False
    is_dropped: bool = False
    is_nested: bool = False
    guards: bool = False
    may_fail: bool = False

    @property
    def positional(self) -> tuple[Expression, ...]:
        """The leading arguments of a call that are given by position."""
        return Call(Name(self.chain.root), self.arguments).positional


@frozen(kw_only=True)
class Handler:
    """One `except`. `kinds` is `None` for a bare one; `before` are the kinds that the ones above it catch.

    It `raises` something itself, or what was caught `is_kept` under a name, so that it may be raised later. `called` is
    what is called in it, and `handed` what of that is given the name.
    """

    kinds: tuple[Expression, ...] | None
    before: tuple[Expression, ...]
    awaits: bool
    raises: bool
    is_kept: bool
    called: tuple[Chain, ...] = ()
    handed: tuple[Chain, ...] = ()
    is_nested: bool = False


Event = Use | Handler


@frozen(kw_only=True)
class Body:
    """A body. `bound` counts how often each name is bound in it, beside its own parameters.

    `assigned` are plain assignments to a name or attributes of one, `entered` what a `with` names. `result` is the code
    of the expression that a body consists of, beside its docstring; `returns` says whether any value may be returned,
    and `raises` whether anything is raised.
    """

    events: tuple[Event, ...]
    bound: Mapping[str, int]
    imports: Mapping[str, Import]
    assigned: tuple[tuple[Chain, Expression], ...] = ()
    entered: tuple[tuple[str, Expression], ...] = ()
    result: str | None = None
    returns: bool = True
    raises: bool = False
    does_something: bool = True

    def uses(self) -> Iterator[tuple[int, Use]]:
        """The uses, with their number among the events."""
        return ((number, one) for number, one in enumerate(self.events) if isinstance(one, Use))


BodyKey = tuple[str, tuple[str | int, ...], tuple[int, ...]]
"""A function's qualified name; of a lambda what a `Site` says: who holds it, which part of that, and the way down."""


@frozen(kw_only=True)
class Bodies:
    """The bodies of a file's functions and lambdas, and what its classes' attributes are first bound to.

    Facts don't say that of a list which a method may change.
    """

    functions: Mapping[BodyKey, Body]
    attributes: Mapping[str, Expression]


NO_BODIES: Final = Bodies(functions=MappingProxyType({}), attributes=MappingProxyType({}))
