"""Names -> declarations, through imports, re-exports, aliases and star imports. Three-valued: what isn't clear is
`UNKNOWN`, and what lies outside the project is told apart from it.
"""

import builtins
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from thena_contract import vocabulary
from thena_contract.declarations import UNKNOWN, Unknown
from thena_lint.index.modules import ModuleAt
from thena_lint.index.project import ProjectIndex
from thena_lint.summary.expressions import Attribute, Expression, Name
from thena_lint.summary.facts import Binding, ClassFacts, FunctionFacts, Import, StarImport, Value
from thena_lint.summary.spans import Site

_LONGEST_CHAIN: Final = 100

PROMPT: Final = "Prompt"
APP: Final = "Thena"

_EXPORTED: Final = frozenset(
    name
    for name in (
        *vocabulary.DECORATORS,
        *vocabulary.STEP_BUILDERS,
        *vocabulary.MARKERS,
        *vocabulary.ALIASES,
        *vocabulary.SELF_MARKING,
        PROMPT,
        APP,
    )
    if not hasattr(builtins, name)
)
"""What `from thena_runtime import *` may bind, as far as a declaration could mean it: nothing of Python's."""


@dataclass(frozen=True, slots=True)
class ClassAt:
    """A class of the project."""

    file: Path
    facts: ClassFacts

    @property
    def key(self) -> tuple[Path, str]:
        """What makes it this class and no other."""
        return (self.file, self.facts.qualname)


@dataclass(frozen=True, slots=True)
class FunctionAt:
    """A function of the project, or a method if `owner` is its class."""

    file: Path
    facts: FunctionFacts
    owner: ClassFacts | None = None


@dataclass(frozen=True, slots=True)
class ValueAt:
    """A name that is bound to an expression other than a name."""

    scope: "Scope"
    name: str
    value: Value

    @property
    def site(self) -> Site:
        """Where the expression stands."""
        prefix = "" if self.scope.inside is None else f"{self.scope.inside.qualname}."
        return Site(self.scope.file, prefix + self.name, ("value",))


@dataclass(frozen=True, slots=True)
class Framework:
    """A public name of the framework, whichever of its modules it came through. Empty for a module of it."""

    name: str


@dataclass(frozen=True, slots=True)
class External:
    """Something outside the project, by its dotted name."""

    dotted: str


Resolved = ClassAt | FunctionAt | ValueAt | ModuleAt | Framework | External | Unknown


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a name is read: in a file, or in a class body in it. `hidden` are type parameters, which mean nothing."""

    file: Path
    inside: ClassFacts | None = None
    hidden: frozenset[str] = frozenset()


def resolve(index: ProjectIndex, scope: Scope, expression: Expression) -> Resolved:
    """What a name or dotted name stands for; any other expression is `UNKNOWN`."""
    return _resolve(index, scope, expression, frozenset())


def is_framework(resolved: Resolved, name: str) -> bool:
    """Say whether this is the framework's name."""
    return isinstance(resolved, Framework) and resolved.name == name


_Seen = frozenset[tuple[Path, str]]


def _resolve(index: ProjectIndex, scope: Scope, expression: Expression, seen: _Seen) -> Resolved:
    match expression:
        case Name(id=name):
            return _name(index, scope, name, seen)
        case Attribute(value=value, name=name):
            return _attribute(index, _resolve(index, scope, value, seen), name, seen)
    return UNKNOWN


def _name(index: ProjectIndex, scope: Scope, name: str, seen: _Seen) -> Resolved:
    if name in scope.hidden:
        return UNKNOWN
    if scope.inside is not None and name in scope.inside.names:
        return _bound(index, scope, name, scope.inside.names[name], seen)
    found = _in_file(index, scope.file, name, seen)
    if found is not None:
        return found
    return External(f"builtins.{name}") if hasattr(builtins, name) else UNKNOWN


def _in_file(index: ProjectIndex, path: Path, name: str, seen: _Seen) -> Resolved | None:
    """What a file's top level binds a name to; `None` if it certainly doesn't bind it."""
    file = index.file(path)
    if file is None or file.facts is None or (path, name) in seen or len(seen) > _LONGEST_CHAIN:
        return UNKNOWN
    seen |= {(path, name)}
    binding = file.facts.names.get(name)
    own = None if binding is None else _bound(index, Scope(path), name, binding, seen)
    found = own
    for star in file.facts.stars:
        if binding is None or name in star.after:
            found = _newer(found, _through_star(index, path, star, name, seen))
    return found


def _newer(before: Resolved | None, after: Resolved | None) -> Resolved | None:
    return before if after is None else after


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


def _bound(index: ProjectIndex, scope: Scope, name: str, binding: Binding, seen: _Seen) -> Resolved:
    match binding:
        case ClassFacts():
            return ClassAt(scope.file, binding)
        case FunctionFacts():
            return FunctionAt(scope.file, binding, scope.inside)
        case Value(expression=Name() | Attribute() as other) if not binding.type_params:
            key = (scope.file, f"{'' if scope.inside is None else scope.inside.qualname}={name}")
            return UNKNOWN if key in seen else _resolve(index, scope, other, seen | {key})
        case Value():
            return ValueAt(scope, name, binding)
        case Import(module=module, name=None):
            return _module(index, scope.file, module, 0)
        case Import(module=module, name=str(imported), level=level):
            return _attribute(index, _module(index, scope.file, module, level), imported, seen)
    return UNKNOWN


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
