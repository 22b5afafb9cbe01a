"""Why something couldn't be seen, in the words of the code that stands there: `it is what a call of `make` gives back`.

A reason is derived from the text once more, after all is judged; no verdict rests on it.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import libcst

from thena_contract import vocabulary
from thena_contract.declarations import UNKNOWN, Unknown
from thena_lint.index.modules import ModuleAt
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import (
    ClassAt,
    External,
    Framework,
    FunctionAt,
    Scope,
    ValueAt,
    resolve,
    root_of,
    unseen_star,
)
from thena_lint.link.classes import decorations, is_left_alone, is_plain, mro, scope_around
from thena_lint.summary.expressions import Attribute, Call, Expression, Name, Subscript, read
from thena_lint.summary.facts import FunctionFacts, Import
from thena_lint.summary.spans import Site, node_at

_LONGEST: Final = 60
_DEEPEST: Final = 20
_GIVES_ANY: Final = "__getattr__"
_SUBCLASS_HOOK: Final = "__init_subclass__"
NOT_READ: Final = "it is written in a way that isn't read"

_FORMS: Final[Mapping[type[libcst.CSTNode], str]] = {
    libcst.ListComp: "it is made by a comprehension",
    libcst.SetComp: "it is made by a comprehension",
    libcst.DictComp: "it is made by a comprehension",
    libcst.GeneratorExp: "it is made by a comprehension",
    libcst.IfExp: "it depends on a condition",
    libcst.BooleanOperation: "it depends on a condition",
    libcst.Comparison: "it depends on a condition",
    libcst.NamedExpr: "it is bound inside an expression",
    libcst.FormattedString: "it is put together when it runs",
    libcst.BinaryOperation: "it is worked out when it runs",
    libcst.UnaryOperation: "it is worked out when it runs",
    libcst.Await: "it is awaited",
}


def why_option(index: ProjectIndex, site: Site, *, is_exact: bool) -> str | None:
    """Why a part of a decorator's option, or of a step, isn't seen; `None` where nothing in it says that.

    Where the site isn't `is_exact`, the part itself isn't written, so something else may give it.
    """
    if not is_exact:
        spread = _spread_in(_call_around(index, site))
        if spread is not None:
            return spread
    reason = _why_node(index, site.file, _node(index, site), 0)
    return None if reason == NOT_READ else reason


def why_parameter(index: ProjectIndex, site: Site) -> str:
    """Why it isn't seen what a parameter asks for."""
    node = _node(index, site)
    match node:
        case libcst.Param(annotation=libcst.Annotation(annotation=annotation)):
            return _why_annotation(index, site.file, annotation)
        case libcst.AnnAssign(annotation=libcst.Annotation(annotation=annotation)):
            return _why_annotation(index, site.file, annotation)
    return NOT_READ


def why_class(index: ProjectIndex, at: ClassAt) -> str | None:
    """Why a class as a whole may be anything; `None` where it is seen."""
    for one in mro(index, at):
        if one is UNKNOWN:
            return _why_base(index, at)
        whose = "" if one.key == at.key else f"its base `{one.facts.name}`: "
        for decoration in decorations(index, one):
            is_ours = isinstance(decoration.what, Framework)
            if not is_plain(index, _with_only(one, decoration.position)) and not is_ours:
                return f"{whose}the decorator {_code(_node(index, _decorator(one, decoration.position)))} may change it"
        if one.facts.has_keywords:
            return f"{whose}a metaclass, or another keyword of its head, may change it"
    return None


def why_undeclared(index: ProjectIndex, at: ClassAt, position: int) -> str | None:
    """Why it isn't seen that a decorator is one of ours, whose name it has; `None` where that is seen."""
    expression = at.facts.decorators[position]
    named = expression.function if isinstance(expression, Call) else expression
    if not isinstance(named, Name | Attribute) or _dotted(named).rpartition(".")[2] not in vocabulary.DECORATORS:
        return None
    if resolve(index, scope_around(at), named) is not UNKNOWN:
        return None
    return _why_name(index, at.file, named, f"`{_dotted(named)}`", 0)


def why_method(index: ProjectIndex, at: ClassAt, name: str) -> str:
    """Why it isn't seen how a method is called."""
    for one in mro(index, at):
        if one is UNKNOWN or name not in one.facts.names:
            continue
        bound = one.facts.names[name]
        if isinstance(bound, FunctionFacts):
            return _why_function(index, FunctionAt(one.file, bound, one.facts))
        return f"`{name}` is bound to something else than a function, or on a condition"
    return "its class makes it in a way that isn't read"


def _decorator(at: ClassAt, position: int) -> Site:
    return Site(at.file, at.facts.qualname, ("decorator", position))


def _with_only(at: ClassAt, position: int) -> ClassAt:
    """The class as if it had but one of its decorators."""
    return ClassAt(at.file, replace(at.facts, decorators=(at.facts.decorators[position],), has_keywords=False))


def _why_base(index: ProjectIndex, at: ClassAt) -> str:
    """Why not all bases of a class are seen."""
    waiting, seen = [at], set[tuple[Path, str]]()
    while waiting:
        one = waiting.pop()
        if one.key in seen:
            return f"`{one.facts.name}` is a base of itself"
        seen.add(one.key)
        if not is_left_alone(index, one):
            return f"`{one.facts.name}` is handed to a call that may change it"
        for position, expression in enumerate(one.facts.bases):
            base = expression.value if isinstance(expression, Subscript) else expression
            match resolve(index, scope_around(one), base):
                case ClassAt() as known:
                    if _SUBCLASS_HOOK in known.facts.names:
                        return f"`{_SUBCLASS_HOOK}` of its base `{known.facts.name}` may change it"
                    waiting.append(known)
                case Framework():
                    pass
                case what:
                    shown = _code(_node(index, Site(one.file, one.facts.qualname, ("base", position))))
                    why = "isn't in the project" if isinstance(what, External) else "can't be seen"
                    if not _is_plain_base(what):
                        return f"its base {shown} {why}"
    return "its bases have no order that is certain"


def _is_plain_base(what: object) -> bool:
    return isinstance(what, External) and what.dotted in ("builtins.object", "abc.ABC", "typing.Generic")


def _why_annotation(index: ProjectIndex, file: Path, node: libcst.CSTNode) -> str:
    """Of an annotation the first name in it that can't be seen is the reason."""
    waiting: list[libcst.CSTNode] = [node]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, libcst.Name | libcst.Attribute):
            reason = _why_name(index, file, read(one), _code(one), 0)
            if reason is not None:
                return f"its annotation: {reason}"
        else:
            waiting += one.children
    return f"its annotation {_code(node)} is written in a way that isn't read"


def _why_node(index: ProjectIndex, file: Path, node: libcst.CSTNode | None, depth: int) -> str:
    match node:
        case None:
            return NOT_READ
        case libcst.Name() | libcst.Attribute():
            return _why_name(index, file, read(node), _code(node), depth) or f"{_code(node)} can't be seen"
        case libcst.Call(func=function):
            return _why_call(index, file, node, function, depth)
        case libcst.Subscript(value=value):
            return f"it is taken out of {_code(value)}"
        case libcst.StarredElement(value=value):
            return _why_node(index, file, value, depth)
        case libcst.Arg(value=value):
            return _why_node(index, file, value, depth)
    return _FORMS.get(type(node), NOT_READ)


def _why_call(index: ProjectIndex, file: Path, node: libcst.Call, function: libcst.CSTNode, depth: int) -> str:
    what = resolve(index, Scope(file), read(function))
    if isinstance(what, Framework):
        return _spread_in(node) or NOT_READ
    if what == External("functools.partial") and node.args and depth < _DEEPEST:
        return _why_node(index, file, node.args[0].value, depth + 1)
    if isinstance(what, ClassAt):
        reason = why_class(index, what)
        return f"it is an object of {_code(function)}" + (f", and {reason}" if reason else "")
    return f"it is what a call of {_code(function)} gives back"


def _spread_in(node: libcst.CSTNode | None) -> str | None:
    """That something spread into a call may give it."""
    if isinstance(node, libcst.Call):
        for argument in node.args:
            if argument.star:
                return f"`{argument.star}{_plain(argument.value)}` may give it"
    return None


def _call_around(index: ProjectIndex, site: Site) -> libcst.CSTNode | None:
    """The call that an option would be given to."""
    node = _node(index, site)
    if isinstance(node, libcst.Call):
        return node
    file = index.file(site.file)
    bound = None if file is None or file.facts is None else _class_named(index, site)
    if bound is None:
        return None
    calls = [_node(index, _decorator(bound, position)) for position in range(len(bound.facts.decorators))]
    return next((call for call in calls if _spread_in(call) is not None), None)


def _class_named(index: ProjectIndex, site: Site) -> ClassAt | None:
    file = index.file(site.file)
    for facts in () if file is None or file.facts is None else file.facts.classes():
        if facts.qualname == site.owner:
            return ClassAt(site.file, facts)
    return None


def _why_name(index: ProjectIndex, file: Path, expression: Expression, shown: str, depth: int) -> str | None:
    """Why a name isn't seen; `None` where it is."""
    root, indexed = root_of(expression), index.file(file)
    if root is None or indexed is None or indexed.facts is None or depth > _DEEPEST:
        return NOT_READ
    facts, name = indexed.facts, root.id
    dotted = _dotted(expression)
    if name in indexed.lost:
        return f"the statement that binds `{name}` isn't read"
    if name in facts.uses.rebound:
        return f"`{name}` is bound more than once"
    what = resolve(index, Scope(file), expression)
    match what:
        case ClassAt():
            reason = why_class(index, what)
            return None if reason is None else _with(shown, reason)
        case FunctionAt():
            return _with(shown, _why_function(index, what))
        case ValueAt(scope=scope, value=value, site=site):
            node = _node(index, site)
            if node is None or isinstance(value.expression, Name | Attribute):
                return _why_name(index, scope.file, value.expression, shown, depth + 1)
            return _with(shown, _why_node(index, scope.file, node, depth + 1))
        case External(dotted=outside):
            return None if outside.startswith(("builtins.", "typing.")) else f"{shown} isn't in the project"
        case Framework():
            return None
    star = unseen_star(index, file, name) if what is UNKNOWN else None
    if star is not None:
        return f"`{name}` may come from `from {'.' * star.level}{star.module} import *`, which can't be seen"
    binding = facts.names.get(name)
    if isinstance(binding, Import) and _is_absent(index, file, binding):
        return f"{_module_of(binding)} has no `{binding.name}`"
    if dotted in facts.uses.changed or dotted in facts.uses.passed:
        return f"{shown} may be changed after it is made"
    if name in facts.unsure or facts.names.get(name) is UNKNOWN:
        return f"`{name}` is changed, bound on a condition, or bound in a way that isn't read"
    if isinstance(binding, Import):
        return _why_imported(index, file, binding, shown, depth)
    return f"`{name}` isn't bound here" if binding is None else f"{shown} can't be seen"


def _why_imported(index: ProjectIndex, file: Path, binding: Import, shown: str, depth: int) -> str:
    """Why a name that is imported isn't seen: the reason is where it comes from, if that is found."""
    module, at = _module_of(binding), _module_at(index, file, binding)
    if at is UNKNOWN:
        return f"{module} may be one of several modules"
    if at is None or at.file is None:
        return f"{shown} comes from {module}, which isn't found"
    if binding.name is None:
        return f"{shown} can't be seen"
    return _why_name(index, at.file, Name(binding.name), f"`{binding.name}`", depth + 1) or f"{shown} can't be seen"


def _is_absent(index: ProjectIndex, file: Path, binding: Import) -> bool:
    """Say whether a name is imported that its module certainly doesn't have."""
    at = _module_at(index, file, binding)
    if at is None or at is UNKNOWN or at.file is None or binding.name is None:
        return False
    there = index.file(at.file)
    if there is None or there.facts is None or there.lost or there.facts.stars:
        return False
    is_bound = binding.name in there.facts.names or _GIVES_ANY in there.facts.names
    return not is_bound and index.modules.at(at.location / binding.name) is None


def _module_of(binding: Import) -> str:
    return f"`{'.' * binding.level}{binding.module}`"


def _module_at(index: ProjectIndex, file: Path, binding: Import) -> ModuleAt | Unknown | None:
    if binding.level == 0:
        return index.modules.find(binding.module, file)
    folder = file.parents[min(binding.level, len(file.parents)) - 1]
    return index.modules.at(folder.joinpath(*binding.module.split(".")) if binding.module else folder)


def _with(shown: str, reason: str) -> str:
    """A reason with what it is about, unless it says that itself."""
    return reason if reason.startswith(shown) else f"{shown}: {reason}"


def _why_function(index: ProjectIndex, at: FunctionAt) -> str:
    if at.facts.decorators:
        shown = _code(_node(index, Site(at.file, at.facts.qualname, ("decorator", 0))))
        return f"its decorator {shown} may change how it is called"
    return NOT_READ


def _node(index: ProjectIndex, site: Site) -> libcst.CSTNode | None:
    file = index.file(site.file)
    return None if file is None or file.readable is None else node_at(file.readable, site)


def _dotted(expression: Expression) -> str:
    match expression:
        case Name(id=name):
            return name
        case Attribute(value=value, name=name):
            return f"{_dotted(value)}.{name}"
        case Call(function=function):
            return _dotted(function)
    return ""


def _plain(node: libcst.CSTNode) -> str:
    return " ".join(libcst.Module([]).code_for_node(node).split())


def _code(node: libcst.CSTNode | None) -> str:
    """The code of a node as texts show it; a long one is cut."""
    text = "" if node is None else _plain(node)
    return f"`{text if len(text) <= _LONGEST else text[: _LONGEST - 3] + '...'}`"
