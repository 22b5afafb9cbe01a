"""What one file declares: names, classes, functions, imports. No line numbers, and no function bodies.

Two texts that differ in comments or in bodies give equal facts, so everything that rests on facts alone need not be
done again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from thena_contract.declarations import Unknown
from thena_contract.frozen import frozen
from thena_lint.summary.expressions import Call, Expression, Parameter


@frozen(kw_only=True)
class Import:
    """`from ..module import name`, or a module itself where `name` is `None`. `level` counts the leading dots."""

    module: str
    name: str | None = None
    level: int = 0


@frozen(kw_only=True)
class Either:
    """A name that is imported from one place or another, as in `try` and `except ImportError`."""

    options: tuple[Import, ...]


@frozen(kw_only=True)
class StarImport:
    """`from module import *`, and the names that it may rebind because they were bound before it."""

    module: str
    level: int
    after: frozenset[str]
    is_certain: bool = True


@frozen(kw_only=True)
class Addition:
    """What a later statement adds to a list: one entry at its end or `at` a position, or with `is_many` its entries."""

    expression: Expression
    at: int | None = None
    is_many: bool = False


@frozen(kw_only=True)
class Value:
    """A name bound to an expression. `type_params` are those of a `type` statement.

    What is `added` to a list stands elsewhere: the n-th is what the name `STEPS+n` would be bound to.
    """

    expression: Expression
    type_params: frozenset[str] = frozenset()
    added: tuple[Addition, ...] = ()


@frozen(kw_only=True)
class FunctionFacts:
    """A function or method: its head, whether it may set attributes of what it is called with, whether it yields.

    `returns` is a list that is all there is in its body. As a decorator it may give back the very thing that it is
    given, or a wrapper: `wraps_with` is what the wrapper's `@wraps(function)` is called.
    """

    qualname: str
    parameters: tuple[Parameter, ...]
    decorators: tuple[Expression, ...] = ()
    is_async: bool = False
    type_params: frozenset[str] = frozenset()
    patches: bool = False
    has_docstring: bool = False
    returns: Expression | None = None
    is_generator: bool = False
    returns_its_argument: bool = False
    wraps_with: Expression | None = None


@frozen(kw_only=True)
class Field:
    """`name: annotation = default` in a class body."""

    name: str
    annotation: Expression
    default: Expression | None


@frozen(kw_only=True)
class UsesOfNames:
    """What happens to the names of a scope beside being bound. Names may be dotted: `steps.FIRST`.

    `rebound` are those that stood for something else before, so that it isn't clear what they stand for where they are
    read in the scope itself. What `changed` names stand for may have been changed in place. `passed` are handed to
    calls, with what is called.
    """

    rebound: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    passed: Mapping[str, frozenset[Expression]] = field(default_factory=dict)


@frozen(kw_only=True)
class ClassFacts:
    """A class: its head, and the names bound in its body. `is_conditional` where it may never be reached.

    `for_types` are the names that its body declares only under `TYPE_CHECKING`. `mentions` are the names of hooks, and
    those that resemble them, that the code in it speaks of. It `freezes` where `frozen=True` is all that its head says
    beside the bases, and `says_total` where `total=` is. It `is_open` where what is being typed may bind any name in it
    that isn't there.
    """

    qualname: str
    decorators: tuple[Expression, ...]
    bases: tuple[Expression, ...]
    has_keywords: bool
    names: "Mapping[str, Binding]"
    fields: tuple[Field, ...] | Unknown = ()
    type_params: frozenset[str] = frozenset()
    uses: UsesOfNames = UsesOfNames()
    is_conditional: bool = False
    for_types: frozenset[str] = frozenset()
    mentions: frozenset[str] = frozenset()
    freezes: bool = False
    says_total: bool = False
    is_open: bool = False

    @property
    def name(self) -> str:
        """The last part of the qualified name."""
        return self.qualname.rpartition(".")[2]


Binding = Import | Either | Value | FunctionFacts | ClassFacts | Unknown


@frozen(kw_only=True)
class FileFacts:
    """A file: the names bound at its top level, its star imports, and its `__all__` where it can be read.

    A name stands for what it is bound to at the end of the file. `unsure` are the names that are bound on a condition
    only, and those of `for_types` only under `TYPE_CHECKING`, so that they aren't there when the program runs.
    `apps` are the calls that make an app.
    """

    names: Mapping[str, Binding]
    stars: tuple[StarImport, ...] = ()
    exports: tuple[str, ...] | Unknown | None = None
    uses: UsesOfNames = UsesOfNames()
    unsure: frozenset[str] = frozenset()
    for_types: frozenset[str] = frozenset()
    apps: tuple[Call, ...] = ()

    @property
    def imports(self) -> tuple[Import | StarImport, ...]:
        """What is imported at the file's top level, and bound there."""
        either = (one for binding in self.names.values() if isinstance(binding, Either) for one in binding.options)
        return (*(one for one in self.names.values() if isinstance(one, Import)), *either, *self.stars)

    def classes(self) -> Iterator[ClassFacts]:
        """Every class that a name of the file or of a class in it stands for, outer ones first."""
        return _classes(self.names, is_conditional=False)


def _classes(names: Mapping[str, Binding], *, is_conditional: bool) -> Iterator[ClassFacts]:
    for binding in names.values():
        if isinstance(binding, ClassFacts):
            one = replace(binding, is_conditional=True) if is_conditional else binding
            yield one
            yield from _classes(one.names, is_conditional=one.is_conditional)
