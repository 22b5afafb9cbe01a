"""Decorators of ours that declare nothing: above a function, or above a class without their call.

The runtime's twin is `thena_runtime.build.describe_bare`.
"""

from collections.abc import Iterator
from pathlib import Path

from thena_contract import vocabulary
from thena_contract.declarations import BareDecl
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import ClassAt, External, Framework, FunctionAt, Resolved, Scope, resolve
from thena_lint.link.classes import Decoration, decorations, is_plain_decoration
from thena_lint.link.signatures import class_ref, function_ref
from thena_lint.summary.expressions import Call, Expression
from thena_lint.summary.facts import FunctionFacts


def bare_class(index: ProjectIndex, at: ClassAt) -> BareDecl | None:
    """A class below one of our decorators without its call, where all the others give back what they are given."""
    decorators = decorations(index, at)
    bare = [one for one in decorators if isinstance(one.what, Framework) and one.call is None]
    if at.facts.has_keywords or not all(one in bare or is_plain_decoration(one) for one in decorators):
        return None
    match bare:
        case [Decoration(what=Framework(name=name), position=position)] if name in vocabulary.DECORATORS:
            # What is above it is given what stands in the class's place.
            if not any(isinstance(one.what, External) for one in decorators[:position]):
                return BareDecl(ref=class_ref(index, at), decorator=name, on="class")
    return None


def bare_function(index: ProjectIndex, at: FunctionAt) -> BareDecl | None:
    """A function that has a decorator of ours and no other."""
    if not at.facts.decorators or at.owner is not None:
        return None
    outermost, *others = (_decorator(index, at, one) for one in at.facts.decorators)
    if not all(_is_ours(what) and is_called for what, is_called in others):
        return None
    what, _ = outermost
    if not isinstance(what, Framework) or not _is_ours(what):
        return None
    return BareDecl(ref=function_ref(index, at), decorator=what.name, on="function")


def bare_declared(index: ProjectIndex, file: Path) -> Iterator[tuple[ClassAt | FunctionAt, BareDecl]]:
    """All of them that certainly stand in a file."""
    indexed = index.file(file)
    if indexed is None or indexed.facts is None:
        return
    for facts in indexed.facts.classes():
        at = ClassAt(file, facts)
        if not facts.is_conditional and (bare := bare_class(index, at)) is not None:
            yield at, bare
    for name, binding in indexed.facts.names.items():
        if isinstance(binding, FunctionFacts) and name not in indexed.facts.unsure:
            function = FunctionAt(file, binding)
            if (bare := bare_function(index, function)) is not None:
                yield function, bare


def _decorator(index: ProjectIndex, at: FunctionAt, expression: Expression) -> tuple[Resolved, bool]:
    is_called = isinstance(expression, Call)
    function = expression.function if isinstance(expression, Call) else expression
    return resolve(index, Scope(at.file, at.owner), function), is_called


def _is_ours(what: Resolved) -> bool:
    return isinstance(what, Framework) and what.name in vocabulary.DECORATORS
