"""THN202: a constructor asks for the context, which hooks and `execute` are given.

It moves there if the class alone uses it, and only in what the runtime calls with a context.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import libcst

from thena_contract import vocabulary
from thena_contract.frozen import frozen
from thena_contract.rules.context_at_construction import ContextAtConstruction
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Edit, Fix
from thena_lint.index.resolve import ClassAt, Framework, Scope, is_framework, resolve
from thena_lint.link.classes import declared_as, scope_around
from thena_lint.rewrite.context import FixContext, is_context
from thena_lint.rewrite.heads import by_position, is_mentioned, with_parameter, without_parameters, written_parameters
from thena_lint.rewrite.region import Region, line_start, lines_around, next_line, nodes_in, without_lines
from thena_lint.summary.expressions import Subscript

_HOOK_BASES: Final = Framework("AgentHooks")


@frozen
class _Kept:
    """How a constructor keeps the context: in which attribute, and the edits that undo it."""

    attribute: str | None
    annotation: str | None
    name: str
    edits: tuple[Edit, ...]


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Take the context where it is used."""
    linked = context.linked(one)
    home = None if linked is None or one.finding is None else linked.homes.get(one.finding.anchor.declaration)
    bound = None if home is None else context.bound(*home.key, libcst.ClassDef)
    if not isinstance(home, ClassAt) or bound is None or not isinstance(one.fault, ContextAtConstruction):
        return
    region, cls = bound
    called = _called(context, home)
    kept = _kept(region, cls, one.fault.parameter)
    if not called or kept is None or _is_derived_from(context, home):
        return
    moved = _moved(context, region, cls, kept, called)
    if moved is not None:
        into = " and ".join(f"`{name}`" for name in moved[0])
        yield Fix(
            title=f"Move `{kept.name}` into {into}" if into else f"Take `{kept.name}` away: nothing reads it",
            applicability=Applicability.SAFE,
            edits=(*kept.edits, *moved[1]),
        )


def _called(context: FixContext, at: ClassAt) -> Mapping[str, Sequence[str]]:
    """What the runtime calls with a context: by their names, with what each is given before it."""
    declared = declared_as(context.index, at)
    bases = [resolve(context.index, scope_around(at), base) for base in at.facts.bases]
    if declared is None or any(base != _HOOK_BASES for base in bases):
        return {}
    if is_framework(declared.what, vocabulary.AGENT):
        return {name: given[:-1] for name, given in vocabulary.CALLED.items()}
    return {vocabulary.EXECUTE: ()} if is_framework(declared.what, vocabulary.TOOL) else {}


def _is_derived_from(context: FixContext, at: ClassAt) -> bool:
    """Say whether another class of the project may use what this one keeps."""
    for file in context.index.speaking:
        for facts in () if file.facts is None else file.facts.classes():
            for base in facts.bases:
                what = resolve(context.index, Scope(file.path), base.value if isinstance(base, Subscript) else base)
                if isinstance(what, ClassAt) and what.key == at.key:
                    return True
    return False


def _kept(region: Region, cls: libcst.ClassDef, name: str) -> _Kept | None:
    constructor = _methods(cls).get(vocabulary.CONSTRUCTOR)
    return _kept_in_field(region, cls, name) if constructor is None else _kept_by(region, cls, constructor, name)


def _kept_in_field(region: Region, cls: libcst.ClassDef, name: str) -> _Kept | None:
    """The field of a dataclass."""
    for statement in cls.body.body:
        match statement:
            case libcst.SimpleStatementLine(
                body=[libcst.AnnAssign(target=libcst.Name(value=target), annotation=annotation)]
            ) if target == name and len(cls.body.body) > 1:
                gone = region.edit(
                    *without_lines(region.source.text, region.start(statement), region.end(statement)), ""
                )
                return _Kept(name, region.written(annotation.annotation), name, (gone,))
    return None


def _kept_by(region: Region, cls: libcst.ClassDef, constructor: libcst.FunctionDef, name: str) -> _Kept | None:
    """The parameter of a constructor, which does nothing with it but keep it."""
    param = next((one for one in written_parameters(constructor.params) if one.name.value == name), None)
    itself = next(iter(by_position(constructor.params)), None)
    if param is None or itself is None or constructor.decorators:
        return None
    annotation = None if param.annotation is None else region.written(param.annotation.annotation)
    head = without_parameters(region, constructor, [param])
    mentions = [node for node in nodes_in(constructor.body) if isinstance(node, libcst.Name) and node.value == name]
    keeping = [found for one in constructor.body.body if (found := _keeps(one, itself.name.value, name)) is not None]
    if head is None:
        return None
    if not keeping:
        is_read = is_mentioned(constructor, name)
        return None if is_read else _Kept(None, annotation, name, head)
    [(statement, attribute), *more] = keeping
    # The attribute may be called as the parameter is.
    if more or len(mentions) != 1 + (attribute == name):
        return None
    if len(constructor.body.body) > 1:
        gone = region.edit(*lines_around(region.source.text, region.start(statement), region.end(statement)), "")
        return _Kept(attribute, annotation, name, (*head, gone))
    if len(written_parameters(constructor.params)) > 2 or len(cls.body.body) == 1:
        return _Kept(attribute, annotation, name, (*head, region.swap(statement, "pass")))
    return _Kept(attribute, annotation, name, (_without_method(region, cls, constructor),))


def _keeps(statement: libcst.CSTNode, itself: str, name: str) -> tuple[libcst.CSTNode, str] | None:
    """The attribute in which a statement keeps a parameter, and nothing else."""
    match statement:
        case libcst.SimpleStatementLine(
            body=[
                libcst.Assign(
                    targets=[
                        libcst.AssignTarget(target=libcst.Attribute(value=libcst.Name(value=owner), attr=attribute))
                    ],
                    value=libcst.Name(value=value),
                )
                | libcst.AnnAssign(
                    target=libcst.Attribute(value=libcst.Name(value=owner), attr=attribute),
                    value=libcst.Name(value=value),
                )
            ]
        ) if (owner, value) == (itself, name):
            return statement, attribute.value
    return None


def _without_method(region: Region, cls: libcst.ClassDef, method: libcst.FunctionDef) -> Edit:
    """The whole method goes, with the empty lines below it; with those above it, if it is the last."""
    text = region.source.text
    start, end = lines_around(text, region.start(method), region.end(method))
    if cls.body.body[-1] is not method:
        return region.edit(*_with_lines_below(text, start, end), "")
    while start > 0 and not text[line_start(text, start - 1) : start].strip():
        start = line_start(text, start - 1)
    return region.edit(start, end, "")


def _with_lines_below(text: str, start: int, end: int) -> tuple[int, int]:
    while end < len(text) and not text[end : next_line(text, end)].strip():
        end = next_line(text, end)
    return start, end


def _moved(
    context: FixContext, region: Region, cls: libcst.ClassDef, kept: _Kept, called: Mapping[str, Sequence[str]]
) -> tuple[list[str], list[Edit]] | None:
    """The methods that take the context themselves, and their edits; `None` where others use it."""
    names: list[str] = []
    edits: list[Edit] = []
    for method in _methods(cls).values() if kept.attribute is not None else ():
        uses = _uses(method, str(kept.attribute))
        if method.name.value == vocabulary.CONSTRUCTOR:
            continue
        if uses:
            taken = _taking(context, region, method, kept, called)
            if taken is None or not all(_is_read(region, use) for use in uses):
                return None
            name, more = taken
            names.append(method.name.value)
            edits += [*more, *(region.swap(use, name) for use in uses)]
    if kept.attribute is not None and _is_used_elsewhere(context, region, kept.attribute, cls):
        return None
    return names, edits


def _uses(method: libcst.FunctionDef, attribute: str) -> list[libcst.Attribute]:
    itself = next(iter(by_position(method.params)), None)
    return [
        node
        for node in nodes_in(method.body)
        if itself is not None
        and isinstance(node, libcst.Attribute)
        and node.attr.value == attribute
        and isinstance(node.value, libcst.Name)
        and node.value.value == itself.name.value
    ]


def _is_read(region: Region, use: libcst.Attribute) -> bool:
    return not isinstance(region.parent(use), libcst.AssignTarget | libcst.AugAssign | libcst.AnnAssign | libcst.Del)


def _is_used_elsewhere(context: FixContext, region: Region, attribute: str, cls: libcst.ClassDef) -> bool:
    """Say whether anything outside of the class reads such an attribute of something else than of itself."""
    start, end = region.start(cls), region.end(cls)
    return any(
        text[:at].endswith(".")
        and not text[:at].endswith("self.")
        and not (text is region.source.text and start <= at < end)
        for text, at in context.mentions(attribute)
    )


def _taking(
    context: FixContext,
    region: Region,
    method: libcst.FunctionDef,
    kept: _Kept,
    called: Mapping[str, Sequence[str]],
) -> tuple[str, list[Edit]] | None:
    """What the context is called in a method that the runtime calls, and the edits that make it so."""
    given = called.get(method.name.value)
    if given is None or method.decorators:
        return None
    own = by_position(method.params)[1:]
    known = next((one for one in written_parameters(method.params) if is_context(context, region, one)), None)
    if known is None and given and len(own) > len(given):
        known = own[len(given)]
    if known is not None:
        return None if _is_bound(method, known.name.value) else (known.name.value, [])
    if any(one.name.value == kept.name for one in written_parameters(method.params)) or is_mentioned(method, kept.name):
        # The attribute may be called so, which `is_mentioned` counts too.
        bare = [node for node in nodes_in(method.body) if isinstance(node, libcst.Name) and node.value == kept.name]
        if kept.attribute != kept.name or len(bare) != len(_uses(method, kept.name)):
            return None
    wanted = kept.name if kept.annotation is None else f"{kept.name}: {kept.annotation}"
    missing = given[len(own) :]
    if any(is_mentioned(method, name) for name in missing):
        return None
    text = ", ".join([*missing, wanted])
    first_with_default = next((n for n, one in enumerate(own, start=1) if one.default is not None), None)
    if first_with_default is not None and given:
        return None
    edit = with_parameter(region, method, text, at=first_with_default)
    return None if edit is None else (kept.name, [edit])


def _is_bound(method: libcst.FunctionDef, name: str) -> bool:
    """Say whether a name stands for something else somewhere in a body than the method's parameter."""
    targets = (libcst.AssignTarget, libcst.AnnAssign, libcst.AugAssign, libcst.NamedExpr, libcst.For, libcst.CompFor)
    bound = [node.target for node in nodes_in(method.body) if isinstance(node, targets)]
    bound += [node.name for node in nodes_in(method.body) if isinstance(node, libcst.Param | libcst.AsName)]
    return any(isinstance(node, libcst.Name) and node.value == name for one in bound for node in nodes_in(one))


def _methods(cls: libcst.ClassDef) -> dict[str, libcst.FunctionDef]:
    return {one.name.value: one for one in cls.body.body if isinstance(one, libcst.FunctionDef)}
