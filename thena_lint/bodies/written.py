"""The expression at a site, out of facts alone."""

from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import ClassAt, Scope, ValueAt, resolve
from thena_lint.link.classes import scope_around
from thena_lint.summary.expressions import (
    Attribute,
    Binary,
    Call,
    Dictionary,
    Expression,
    Name,
    Sequence,
    Spread,
    Subscript,
)
from thena_lint.summary.facts import Binding, ClassFacts, Value
from thena_lint.summary.spans import Site

Found = tuple[Scope, Expression, Site]


def expression_at(index: ProjectIndex, site: Site) -> Found | None:
    """The expression at a site, and where its names are read."""
    start = _start(index, site)
    if start is None:
        return None
    scope, expression = start
    for position in site.down:
        inner = _parts(expression)
        if position >= len(inner):
            return None
        expression = inner[position]
    return scope, expression, site


def behind_names(index: ProjectIndex, found: Found) -> Found:
    """The expression that a name stands for, if it stands for one."""
    scope, expression, _ = found
    what = resolve(index, scope, expression) if isinstance(expression, Name | Attribute) else None
    return (what.scope, what.value.expression, what.site) if isinstance(what, ValueAt) else found


def _start(index: ProjectIndex, site: Site) -> tuple[Scope, Expression] | None:
    file = index.file(site.file)
    names = None if file is None or file.facts is None else file.facts.names
    inside: ClassFacts | None = None
    binding: Binding | None = None
    for name in site.owner.split("."):
        if names is None or name not in names:
            return None
        inside = binding if isinstance(binding, ClassFacts) else None
        binding = names[name]
        names = binding.names if isinstance(binding, ClassFacts) else None
    match site.part, binding:
        case ("decorator", int(position)), ClassFacts() as facts if position < len(facts.decorators):
            return scope_around(ClassAt(site.file, facts)), facts.decorators[position]
        case ("value",), Value(expression=expression):
            hidden = frozenset[str]() if inside is None else inside.type_params
            return Scope(site.file, inside, hidden), expression
    return None


def _parts(expression: Expression) -> tuple[Expression, ...]:
    """The sub-expressions, as `expressions.parts` numbers those of a tree node."""
    match expression:
        case Attribute(value=value) | Spread(value=value):
            return (value,)
        case Sequence(items=items) | Dictionary(values=items):
            return items
        case Call(function=function, arguments=arguments):
            return (function, *(one.value for one in arguments))
        case Subscript(value=value, items=items):
            return (value, *items)
        case Binary(left=left, right=right):
            return (left, right)
    return ()
