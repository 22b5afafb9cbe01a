"""Names -> declarations, through imports, re-exports, aliases and star imports. Three-valued: what isn't clear is
`UNKNOWN`, and what lies outside the project is told apart from it.
"""

import builtins
import typing
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeVar

from thena_contract import vocabulary
from thena_contract.declarations import UNKNOWN, Unknown
from thena_contract.frozen import frozen
from thena_lint.index.modules import ModuleAt
from thena_lint.index.project import ProjectIndex
from thena_lint.source.mend import STAR
from thena_lint.summary.collect import is_list
from thena_lint.summary.expressions import (
    Argument,
    Attribute,
    Binary,
    Call,
    Constant,
    Expression,
    Name,
    Subscript,
)
from thena_lint.summary.facts import Binding, ClassFacts, Either, FunctionFacts, Import, StarImport, Value
from thena_lint.summary.spans import Site

Found = TypeVar("Found")

_LONGEST_CHAIN: Final = 100

PROMPT: Final = "Prompt"

_EXPORTED: Final = frozenset(
    name
    for name in (
        *vocabulary.DECORATORS,
        *vocabulary.STEP_BUILDERS,
        *vocabulary.MARKERS,
        *vocabulary.ALIASES,
        *vocabulary.SELF_MARKING,
        PROMPT,
        vocabulary.APP,
        vocabulary.CONFIG,
    )
    if not hasattr(builtins, name)
)
"""What `from thena_runtime import *` may bind, as far as a declaration could mean it: nothing of Python's."""


_READERS: Final = frozenset(
    {
        *(f"builtins.{name}" for name in ("list", "tuple", "set", "frozenset", "len", "print", "repr", "str", "bool")),
        *(f"builtins.{name}" for name in ("sorted", "enumerate", "zip", "range", "isinstance", "any", "all", "sum")),
        *(f"builtins.{name}" for name in ("map", "filter", "min", "max", "reversed")),
        *("copy.copy", "copy.deepcopy"),
    }
)
"""What may be called with a list and certainly leaves it as it is."""


@frozen
class ClassAt:
    """A class of the project."""

    file: Path
    facts: ClassFacts

    # What it holds can't be hashed, and what it is can be looked up among other things that a name stands for.
    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def key(self) -> tuple[Path, str]:
        """What makes it this class and no other."""
        return (self.file, self.facts.qualname)


@frozen
class FunctionAt:
    """A function of the project, or a method if `owner` is its class."""

    file: Path
    facts: FunctionFacts
    owner: ClassFacts | None = None

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def key(self) -> tuple[Path, str]:
        """What makes it this function and no other."""
        return (self.file, self.facts.qualname)


@frozen
class ValueAt:
    """A name that is bound to an expression other than a name."""

    scope: "Scope"
    name: str
    value: Value

    def __hash__(self) -> int:
        return hash((self.scope.file, self.name))

    @property
    def site(self) -> Site:
        """Where the expression stands."""
        prefix = "" if self.scope.inside is None else f"{self.scope.inside.qualname}."
        return Site(self.scope.file, prefix + self.name, ("value",))


@frozen
class Framework:
    """A public name of the framework, whichever of its modules it came through. Empty for a module of it."""

    name: str


@frozen
class External:
    """Something outside the project, by its dotted name."""

    dotted: str


Resolved = ClassAt | FunctionAt | ValueAt | ModuleAt | Framework | External | Unknown


@frozen
class Scope:
    """Where a name is read: in a file, or in a class body in it. `hidden` are type parameters, which mean nothing."""

    file: Path
    inside: ClassFacts | None = None
    hidden: frozenset[str] = frozenset()


def resolve(index: ProjectIndex, scope: Scope, expression: Expression) -> Resolved:
    """What a name or dotted name stands for; any other expression is `UNKNOWN`."""
    if not isinstance(expression, Name | Attribute):
        return UNKNOWN
    return remembered(index, scope, expression, _resolve)


def remembered(
    index: ProjectIndex, scope: Scope, expression: Expression, find: Callable[[ProjectIndex, Scope, Expression], Found]
) -> Found:
    """What is found out about an expression of a scope of this index, once."""
    key = (find, scope.file, id(scope.inside), scope.hidden, expression)
    return index.once(key, scope.inside, find, index, scope, expression)


def outermost(scope: Scope, annotation: Expression) -> Scope:
    """The scope of the file, if an annotation means there what it means here: what is found out holds for more then."""
    if scope.inside is None and not scope.hidden:
        return scope
    names = _names_in(annotation)
    if names is None or not scope.hidden.isdisjoint(names):
        return scope
    is_nearer = scope.inside is not None and any(name in scope.inside.names for name in names)
    return scope if is_nearer else Scope(scope.file)


def _names_in(annotation: Expression) -> tuple[str, ...] | None:
    """The names that an annotation is made of; `None` for one in a string, or in another form than types have."""
    match annotation:
        case Name(id=name):
            return (name,)
        case Attribute(value=value):
            return _names_in(value)
        case Subscript(value=value, items=items):
            parts = [_names_in(one) for one in (value, *items)]
        case Binary(left=left, right=right):
            parts = [_names_in(left), _names_in(right)]
        case Constant(type="NoneType"):
            return ()
        case _:
            return None
    found: list[str] = []
    for names in parts:
        if names is None:
            return None
        found += names
    return tuple(found)


def resolve_import(index: ProjectIndex, file: Path, binding: Import) -> Resolved:
    """What an import gives, wherever in the file it stands."""
    return _bound(index, Scope(file), "", binding, frozenset())


def resolve_module(index: ProjectIndex, file: Path, dotted: str, level: int) -> Resolved:
    """What a file imports from by a dotted name behind so many dots."""
    return _module(index, file, dotted, level)


def resolve_attribute(index: ProjectIndex, owner: Resolved, name: str) -> Resolved:
    """What an attribute of something is."""
    return _attribute(index, owner, name, frozenset())


def root_of(expression: Expression) -> Name | None:
    """The name that a name or dotted name begins with; `None` for any other expression."""
    while isinstance(expression, Attribute):
        expression = expression.value
    return expression if isinstance(expression, Name) else None


def is_only_for_types(index: ProjectIndex, scope: Scope, expression: Expression) -> bool:
    """Say whether a name or dotted name begins with one that is bound only under `TYPE_CHECKING`."""
    root, file = root_of(expression), index.file(scope.file)
    if root is None or file is None or file.facts is None:
        return False
    if any(_through_star(index, scope.file, star, root.id, frozenset()) is not None for star in file.facts.stars):
        return False
    is_nearer = root.id in scope.hidden or (scope.inside is not None and root.id in scope.inside.names)
    return root.id in file.facts.for_types and not is_nearer and not hasattr(builtins, root.id)


def unseen_star(index: ProjectIndex, path: Path, name: str) -> StarImport | None:
    """The star import of a file that may bind a name, where what it brings isn't seen."""
    file = index.file(path)
    for star in () if file is None or file.facts is None else reversed(file.facts.stars):
        is_hidden = name not in star.after and _binds(index, path, name)
        if not is_hidden and _through_star(index, path, star, name, frozenset()) is UNKNOWN:
            return star
    return None


def is_broken(index: ProjectIndex, scope: Scope, expression: Expression) -> bool:
    """Say whether what a name or dotted name stands for is written where the text doesn't parse, here or elsewhere."""
    return _is_broken(index, scope, expression, frozenset())


def is_framework(resolved: Resolved, name: str) -> bool:
    """Say whether this is the framework's name."""
    return isinstance(resolved, Framework) and resolved.name == name


_Seen = frozenset[tuple[Path, str]]


def _resolve(index: ProjectIndex, scope: Scope, expression: Expression, seen: _Seen = frozenset()) -> Resolved:
    match expression:
        case Name(id=name):
            return _name(index, scope, name, seen)
        case Attribute(value=value, name=name):
            found = _attribute(index, _resolve(index, scope, value, seen), name, seen)
            return _unless_changed(index, scope, expression, found, seen)
    return UNKNOWN


def _name(index: ProjectIndex, scope: Scope, name: str, seen: _Seen) -> Resolved:
    if name in scope.hidden:
        return UNKNOWN
    if scope.inside is not None and name in scope.inside.names:
        if name in scope.inside.uses.rebound:
            return UNKNOWN
        found = _bound(index, scope, name, scope.inside.names[name], seen)
        return _unless_changed(index, scope, Name(name), found, seen)
    in_file = _in_file(index, scope.file, name, seen, is_inside=True)
    if in_file is not None:
        return in_file
    return External(f"builtins.{name}") if hasattr(builtins, name) else UNKNOWN


def _in_file(index: ProjectIndex, path: Path, name: str, seen: _Seen, *, is_inside: bool = False) -> Resolved | None:
    """What a file's top level binds a name to; `None` if it certainly doesn't bind it.

    Read inside the file itself, a name that stands for one thing after the other could be any of them.
    """
    file = index.file(path)
    if file is None or file.facts is None or (path, name) in seen or len(seen) > _LONGEST_CHAIN:
        return UNKNOWN
    seen |= {(path, name)}
    facts = file.facts
    binding = facts.names.get(name)
    found = None if binding is None else _bound(index, Scope(path), name, binding, seen)
    if name in facts.unsure and hasattr(builtins, name):
        found = UNKNOWN
    for star in facts.stars:
        found = _with_star(index, path, star, name, seen, found, is_inside=is_inside)
    if is_inside and name in facts.uses.rebound:
        return UNKNOWN
    return None if found is None else _unless_changed(index, Scope(path), Name(name), found, seen)


def _with_star(
    index: ProjectIndex,
    path: Path,
    star: StarImport,
    name: str,
    seen: _Seen,
    before: Resolved | None,
    *,
    is_inside: bool,
) -> Resolved | None:
    """What a name stands for when a star import is taken into account, which may come before or after its binding."""
    given = _through_star(index, path, star, name, seen)
    if given is None or before is None or given == before:
        return before if given is None else given
    if star.is_certain and not _binds(index, path, name) and _is_in_head(index, path, star):
        # Of two star imports the last one counts.
        return given
    is_older = name not in star.after and _binds(index, path, name)
    if is_older and (not is_inside or given is UNKNOWN):
        # What an unseen star may bind is taken to be hidden by what the file itself binds below.
        return before
    return UNKNOWN if is_inside or not star.is_certain else given


def _is_in_head(index: ProjectIndex, path: Path, star: StarImport) -> bool:
    """Say whether nothing but imports stands above a star import, so that nothing has read a name yet."""
    file = index.file(path)
    names = {} if file is None or file.facts is None else file.facts.names
    return all(isinstance(names.get(name), Import | Either) for name in star.after)


def _binds(index: ProjectIndex, path: Path, name: str) -> bool:
    file = index.file(path)
    return file is not None and file.facts is not None and name in file.facts.names


def _unless_changed(
    index: ProjectIndex, scope: Scope, expression: Name | Attribute, found: Resolved, seen: _Seen
) -> Resolved:
    """`UNKNOWN` for a list that may have been changed in place where this scope mentions it."""
    if not isinstance(found, ValueAt) or not is_list(found.value.expression):
        return found
    name = _dotted(expression)
    file = index.file(scope.file)
    all_uses = [] if file is None or file.facts is None else [file.facts.uses]
    if scope.inside is not None:
        all_uses.append(scope.inside.uses)
    for uses in all_uses:
        handed_to = uses.passed.get(name, frozenset())
        if name in uses.changed or not all(_only_reads(index, scope, callee, seen) for callee in handed_to):
            return UNKNOWN
    return found


def _only_reads(index: ProjectIndex, scope: Scope, callee: Expression, seen: _Seen) -> bool:
    what = _resolve(index, scope, callee, seen)
    return isinstance(what, Framework) or (isinstance(what, External) and what.dotted in _READERS)


def _dotted(expression: Expression) -> str:
    match expression:
        case Name(id=name):
            return name
        case Attribute(value=value, name=name):
            return f"{_dotted(value)}.{name}"
    return ""


def _through_star(index: ProjectIndex, path: Path, star: StarImport, name: str, seen: _Seen) -> Resolved | None:
    module = _module(index, path, star.module, star.level)
    match module:
        case Framework():
            return Framework(name) if name in _EXPORTED else None
        case ModuleAt(file=Path() as file):
            target = index.file(file)
            facts = None if target is None else target.facts
            if facts is None or facts.exports is UNKNOWN:
                return UNKNOWN
            if facts.exports is None and name.startswith("_"):
                return None
            if facts.exports is not None and name not in facts.exports:
                return None
            return _in_file(index, file, name, seen)
        case External():
            return None if hasattr(builtins, name) else UNKNOWN
        case ModuleAt():
            return None
    return UNKNOWN


def _is_broken(index: ProjectIndex, scope: Scope, expression: Expression, seen: _Seen) -> bool:
    match expression:
        case Name(id=name):
            is_inner = scope.inside is not None and name in scope.inside.names
            return not is_inner and name not in scope.hidden and _breaks(index, scope.file, name, seen)
        case Attribute(value=value, name=name):
            match _resolve(index, scope, value, frozenset()):
                case ModuleAt(file=Path() as file):
                    return _breaks(index, file, name, seen)
            return _is_broken(index, scope, value, seen)
    return False


def _breaks(index: ProjectIndex, path: Path, name: str, seen: _Seen) -> bool:
    """Say whether a name of a file's top level leads to a statement that doesn't parse."""
    file = index.file(path)
    if file is None or (path, name) in seen or len(seen) > _LONGEST_CHAIN:
        return False
    if file.facts is None:
        return True
    seen |= {(path, name)}
    binding = file.facts.names.get(name)
    match binding:
        case Unknown():
            return file.has_lost(name)
        case Value(expression=Name() | Attribute() as other):
            return _is_broken(index, Scope(path), other, seen)
        case Import() | Either():
            options = binding.options if isinstance(binding, Either) else (binding,)
            return any(_breaks_behind(index, path, one.module, one.level, one.name, seen) for one in options)
        case None:
            return any(_breaks_behind(index, path, one.module, one.level, name, seen) for one in file.facts.stars)
    return False


def _breaks_behind(index: ProjectIndex, path: Path, module: str, level: int, name: str | None, seen: _Seen) -> bool:
    if module == STAR:
        return True
    match _module(index, path, module, level):
        case ModuleAt(file=Path() as file) if name is not None:
            return _breaks(index, file, name, seen)
    return False


def _bound(index: ProjectIndex, scope: Scope, name: str, binding: Binding, seen: _Seen) -> Resolved:
    match binding:
        case ClassFacts():
            return ClassAt(scope.file, binding)
        case FunctionFacts():
            return FunctionAt(scope.file, binding, scope.inside)
        case Value(expression=Name() | Attribute() as other) if not binding.type_params:
            key = (scope.file, f"{'' if scope.inside is None else scope.inside.qualname}={name}")
            return UNKNOWN if key in seen else _resolve(index, scope, other, seen | {key})
        case Value(expression=Call(function=Call() as made, arguments=(Argument(value=given, keyword=None, star=""),))):
            return _declared_by_hand(index, scope, made, given, seen) or ValueAt(scope, name, binding)
        case Value():
            return ValueAt(scope, name, binding)
        case Either(options=options):
            # One of them fails to import, and which one is no matter where both mean the same.
            first, *rest = (_same_as_typing(_bound(index, scope, name, one, seen)) for one in options)
            return first if all(one == first for one in rest) else UNKNOWN
        case Import(module=module, name=None):
            return _module(index, scope.file, module, 0)
        case Import(module=module, name=str(imported), level=level):
            return _attribute(index, _module(index, scope.file, module, level), imported, seen)
    return UNKNOWN


def _declared_by_hand(index: ProjectIndex, scope: Scope, made: Call, given: Expression, seen: _Seen) -> ClassAt | None:
    """The class that `Agent(...)(Writer)` declares and gives back: as if the decorator stood above it."""
    maker, cls = _resolve(index, scope, made.function, seen), _resolve(index, scope, given, seen)
    if not isinstance(maker, Framework) or maker.name not in vocabulary.DECORATORS:
        return None
    if not isinstance(cls, ClassAt) or Scope(cls.file) != scope:
        return None
    names = {name: binding for name, binding in cls.facts.names.items() if name != vocabulary.REMEMBERED}
    return ClassAt(cls.file, replace(cls.facts, names=names, decorators=(*cls.facts.decorators, made)))


def _same_as_typing(what: Resolved) -> Resolved:
    """What `typing_extensions` has and `typing` too is the same thing."""
    if isinstance(what, External) and what.dotted.startswith("typing_extensions."):
        name = what.dotted.removeprefix("typing_extensions.")
        return External(f"typing.{name}") if name in typing.__all__ else what
    return what


def _module(index: ProjectIndex, importer: Path, dotted: str, level: int) -> Resolved:
    if level == 0:
        if dotted.partition(".")[0] == vocabulary.PACKAGE:
            return Framework("")
        found = index.modules.find(dotted, importer)
        return External(dotted) if found is None else found
    if index.module_of(importer).first == vocabulary.PACKAGE:
        return Framework("")
    folder = importer.parent
    for _ in range(level - 1):
        folder = folder.parent
    at = index.modules.at(folder.joinpath(*dotted.split("."))) if dotted else _package(index, folder)
    return UNKNOWN if at is None else at


def _package(index: ProjectIndex, folder: Path) -> ModuleAt:
    init = folder / "__init__.py"
    return ModuleAt(folder, init if index.modules.is_file(init) else None)


def _attribute(index: ProjectIndex, owner: Resolved, name: str, seen: _Seen) -> Resolved:
    match owner:
        case Framework():
            return Framework(name)
        case External(dotted=dotted):
            return External(f"{dotted}.{name}")
        case ModuleAt(location=location, file=file):
            found = None if file is None else _in_file(index, file, name, seen)
            if found is not None:
                return found
            return index.modules.at(location / name) or UNKNOWN
        case ClassAt(file=path, facts=facts) if name in facts.names:
            return _bound(index, Scope(path, facts), name, facts.names[name], seen)
    return UNKNOWN
