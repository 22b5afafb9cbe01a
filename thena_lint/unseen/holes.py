"""Assemblies -> what is `UNKNOWN` in them, each part once, with its place and the reason.

Only what a rule could have asked is told. What follows from one cause, such as a decorator that may have replaced a
whole class, is told once.
"""

from collections.abc import Iterable, Iterator, Set
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Final, TypeGuard

from thena_contract.anchor import Anchor, Place
from thena_contract.declarations import UNKNOWN, ClassDecl, LoopStep, OptionDecl, ParallelStep, UnknownStep
from thena_contract.frozen import frozen
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import ClassAt
from thena_lint.link.assemblies import Linked
from thena_lint.link.reader import classes_declared
from thena_lint.source.notebook import in_cell
from thena_lint.source.text import LARGEST, SourceText, read_source
from thena_lint.summary.spans import Site, place_of
from thena_lint.unseen.part import Unseen
from thena_lint.unseen.reasons import NOT_READ, why_class, why_method, why_option, why_parameter, why_undeclared

_OF_CLASSES: Final = {"constructor": "__init__", "execute": "execute"}
"""Parts of a class that its body has, by the method that they come from."""

_OF_WHOLE_CLASSES: Final = frozenset({"decorators", "fields", "given", "methods", "shape", "bases", "is_frozen"})
"""Parts of a class that are unknown only together with the class."""

_DETAILS: Final = frozenset(
    {
        *("AnnotationDecl.of", "AnnotationDecl.missing", "AnnotationDecl.has_schema", "Assembly.app"),
        *(
            "MethodDecl.is_mentioned",
            "ParamDecl.annotation",
            "ParamDecl.default",
            "ParamDecl.stray",
            "PromptFile.exists",
            "PromptText.is_empty",
        ),
        *("ProviderDecl.call", "ProviderDecl.has_complete", "Signature.is_generator", "Signature.makes_object"),
        *("StateDecl.uncopied", "Thing.literal", "ToolDecl.description", "ToolDecl.has_own_schema", "ToolDecl.name"),
    }
)
"""What isn't told: parts of which many have none, and those that nobody could write otherwise."""

_OWN_PARTS: Final = frozenset(
    {"steps", "state", "prompt", "tools", "provider", "memory", "until", "on_fail", "on_exhausted"}
)
"""Options that declarations have a part for, so that their value alone says nothing."""

_AFTER: Final = "something before it isn't seen, so its position isn't certain"
_MENTION: Final = "thena"


@frozen
class _Hole:
    """Where a declaration has `UNKNOWN`: the declaration's type, the field, and the anchor around it.

    `is_after` others in a list, where that alone may be the reason.
    """

    owner: str
    field: str
    anchor: Anchor
    is_after: bool = False


def unseen_in(index: ProjectIndex, linked: Iterable[Linked]) -> tuple[Unseen, ...]:
    """Everything that couldn't be seen, in order of place."""
    linked = tuple(linked)
    judged = {home.key for one in linked for home in one.homes.values()}
    found = {told for one in linked for told in _told(index, one)}
    found.update(_on_a_condition(index, judged))
    found.update(_undeclared(index))
    found.update(_too_large(index))
    return tuple(sorted(found, key=lambda one: one.sort_key))


def _told(index: ProjectIndex, linked: Linked) -> Iterator[Unseen]:
    for hole in dict.fromkeys(_holes(linked.assembly, None)):
        one = _explained(index, linked, hole)
        if one is not None:
            yield one


def _holes(value: object, around: Anchor | None, owner: str = "", field: str = "") -> Iterator[_Hole]:
    """Every `UNKNOWN` in a value, with what is around it."""
    if value is UNKNOWN:
        if around is not None and f"{owner}.{field}" not in _DETAILS:
            yield _Hole(owner, field, around)
    elif isinstance(value, tuple):
        is_after = False
        for part in value:
            if isinstance(part, UnknownStep) or _is_uncounted(part):
                yield _Hole("UnknownStep", "step", part.anchor, is_after)
                is_after = True
            else:
                yield from _holes(part, around, owner, field)
    elif is_dataclass(value) and not isinstance(value, Anchor):
        here = Anchor(value.ref) if isinstance(value, ClassDecl) else getattr(value, "anchor", None) or around
        if isinstance(value, OptionDecl) and around is not None:
            if value.name in _OWN_PARTS:
                return
            here = around.at(value.name) if around.path else around.at("option", value.name)
        for one in fields(value):
            yield from _holes(getattr(value, one.name), here, type(value).__name__, one.name)


def _is_uncounted(part: object) -> TypeGuard[LoopStep | ParallelStep]:
    """Say whether this is a step of which nothing is told but which agents it has."""
    return isinstance(part, LoopStep | ParallelStep) and part.given is UNKNOWN


def _explained(index: ProjectIndex, linked: Linked, hole: _Hole) -> Unseen | None:
    """A hole in words; `None` where it is told elsewhere."""
    home = linked.homes.get(hole.anchor.declaration)
    name = hole.anchor.declaration.name
    if hole.field in _OF_WHOLE_CLASSES | _OF_CLASSES.keys() and not hole.anchor.path and isinstance(home, ClassAt):
        at = Site(home.file, home.facts.qualname)
        if (reason := why_class(index, home)) is not None:
            return _unseen(index, "class", f"`{name}`", reason, at)
        method = _OF_CLASSES.get(hole.field)
        if method is None:
            return None
        return _unseen(index, hole.field, f"`{method}` of `{name}`", why_method(index, home, method), at)
    if hole.owner == "ParamDecl":
        site = linked.site(hole.anchor)
        what = f"parameter `{hole.anchor.path[-1]}` of `{name}`"
        return None if site is None else _unseen(index, "parameter", what, why_parameter(index, site), site)
    return _option(index, linked, hole)


def _option(index: ProjectIndex, linked: Linked, hole: _Hole) -> Unseen | None:
    """A part of a decorator's option, or of a step."""
    anchor = hole.anchor
    if hole.owner in ("AgentDecl", "WorkflowDecl"):
        anchor = anchor.at("option", hole.field)
    elif hole.owner in ("LoopStep", "ParallelStep"):
        anchor = anchor.at(hole.field)
    elif hole.owner not in ("UnknownStep", "ToolEntry", "OptionDecl"):
        return None
    site = linked.site(anchor)
    if site is None or not anchor.path:
        return None
    kind = anchor.path[-1] if hole.owner == "OptionDecl" else "tool" if hole.owner == "ToolEntry" else hole.field
    is_exact = anchor in linked.sites
    reason = why_option(index, site, is_exact=is_exact) or (_AFTER if hole.is_after else NOT_READ)
    return _unseen(index, str(kind), f"`{anchor.label}` of `{anchor.declaration.name}`", reason, site)


def _unseen(index: ProjectIndex, kind: str, what: str, reason: str, site: Site) -> Unseen | None:
    file = index.file(site.file)
    if file is None or file.readable is None or file.source is None:
        return None
    place = place_of(file.readable, site)
    return Unseen(kind=kind, what=what, reason=reason, place=in_cell(place, file.source))


def _on_a_condition(index: ProjectIndex, judged: Set[tuple[Path, str]]) -> Iterator[Unseen]:
    """The declarations that aren't judged since they may never be reached, and that nothing else uses."""
    for file in index.speaking:
        for at, _ in classes_declared(index, file.path):
            if at.facts.is_conditional and at.key not in judged:
                site = Site(at.file, at.facts.qualname)
                reason = "it is declared on a condition, so it may not be there"
                told = _unseen(index, "class", f"`{at.facts.name}`", reason, site)
                if told is not None:
                    yield told


def _undeclared(index: ProjectIndex) -> Iterator[Unseen]:
    """The classes that may well be declared, by decorators of which it isn't seen that they are ours."""
    for file in index.speaking:
        for facts in () if file.facts is None else file.facts.classes():
            for position in range(len(facts.decorators)):
                reason = why_undeclared(index, ClassAt(file.path, facts), position)
                site = Site(file.path, facts.qualname, ("decorator", position))
                told = None if reason is None else _unseen(index, "class", f"`{facts.name}`", reason, site)
                if told is not None:
                    yield told


def _too_large(index: ProjectIndex) -> Iterator[Unseen]:
    """The files that nobody has read since they are so large."""
    for path in (path for path, file in index.read.items() if file is None):
        if _is_large(path):
            source = read_source(path)
            if isinstance(source, SourceText) and len(source.text) > LARGEST and _MENTION in source.text:
                yield Unseen(
                    kind="file",
                    what="this file",
                    reason="it has more than 1 MB, so it is read only where another file uses it, or where it is named",
                    place=Place(str(path), 1, 1, 1, 1),
                )


def _is_large(path: Path) -> bool:
    try:
        return path.stat().st_size > LARGEST
    except OSError:
        return False
