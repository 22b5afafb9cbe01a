"""The facts of a text of which not all could be read: without what nobody knows, or with what was known before.

A text is broken while it is typed. Then what stood where it doesn't parse counts as what it was, in an editor; where it
was never whole, nothing is known of it.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from thena_contract.declarations import UNKNOWN, Unknown
from thena_lint.source.mend import STAR, Mended
from thena_lint.summary.body import Bodies
from thena_lint.summary.expressions import Expression, Name
from thena_lint.summary.facts import (
    Binding,
    ClassFacts,
    Field,
    FileFacts,
    FunctionFacts,
    Import,
    StarImport,
    UsesOfNames,
    Value,
)

_EXPORTS: Final = "__all__"
_UNREAD: Final = Name("")
"""Stands for what is called where the text doesn't parse: no name of a file, so it is never found."""


# -- what was never whole


def without_lost(facts: FileFacts, mended: Mended) -> FileFacts:
    """These facts, where nothing is known of some names, and what others stand for may have been changed."""
    lost = mended.lost | mended.doubtful
    names = {name: _torn(binding, mended) for name, binding in facts.names.items()}
    mentioned = {name for name, one in names.items() if _may_be_changed(one, is_mentioned=name in mended.words)}
    uses = replace(facts.uses, changed=facts.uses.changed | mentioned, passed=_passed(facts, mended.words))
    # What isn't found anywhere may bind anything, and nobody knows what it stands after.
    stars = (*facts.stars, StarImport(module=STAR, level=0, after=frozenset(facts.names), is_certain=False))
    return replace(
        facts,
        names={**names, **{name: UNKNOWN for name in lost if "." not in name and name != STAR}},
        exports=UNKNOWN if _EXPORTS in lost else facts.exports,
        uses=uses,
        stars=stars if STAR in lost else facts.stars,
    )


def _torn(binding: Binding, mended: Mended) -> Binding:
    """A class of whose body not all is read: what is lost may have bound and changed anything in it."""
    if not isinstance(binding, ClassFacts) or not _is_concerned(binding.qualname, mended):
        return binding
    prefix = f"{binding.qualname}."
    names = {
        name: UNKNOWN if prefix + name in mended.lost | mended.doubtful else _torn(inner, mended)
        for name, inner in binding.names.items()
    }
    if binding.qualname not in mended.torn:
        return replace(binding, names=names)
    lost = {name.removeprefix(prefix) for name in mended.lost if name.startswith(prefix)}
    names = {name: UNKNOWN if isinstance(one, Value) else one for name, one in names.items()}
    return replace(
        binding,
        names={**names, **{name: UNKNOWN for name in lost if "." not in name}},
        fields=UNKNOWN,
        has_keywords=True,
        says_total=False,
    )


def _is_concerned(qualname: str, mended: Mended) -> bool:
    """Say whether anything of a class, or in it, isn't read."""
    prefix = f"{qualname}."
    every = (mended.lost, mended.doubtful, mended.torn)
    return any(name == qualname or name.startswith(prefix) for names in every for name in names)


def _may_be_changed(binding: Binding, *, is_mentioned: bool) -> bool:
    """Say whether something may have happened to what a name is bound to where the text doesn't parse.

    What is added to a list counts only if nothing has used the list before, whatever that was called.
    """
    is_added_to = isinstance(binding, Value) and bool(binding.added)
    return is_added_to or (is_mentioned and isinstance(binding, Value | Import))


def _passed(facts: FileFacts, words: frozenset[str]) -> Mapping[str, frozenset[Expression]]:
    """What is handed to which calls, as if each class and function among some words were handed to one nobody knows."""
    functions = (name for name, binding in facts.names.items() if isinstance(binding, FunctionFacts))
    mentioned = [name for name in functions if name in words]
    mentioned += (one.qualname for one in facts.classes() if not words.isdisjoint(one.qualname.split(".")))
    return _joined(facts.uses.passed, dict.fromkeys(mentioned, frozenset({_UNREAD})))


# -- what was whole before


def with_memory(facts: FileFacts, before: FileFacts, mended: Mended) -> FileFacts:
    """These facts, where what is lost or isn't there counts as what it was."""
    then = iter([(one.module, one.level) for one in before.stars])
    are_old_stars = all((one.module, one.level) in then for one in facts.stars)
    return FileFacts(
        names=_names(facts.names, before.names, mended, ""),
        stars=before.stars if are_old_stars else facts.stars,
        exports=_exports(facts, before, mended),
        uses=_both(facts.uses, before.uses),
        unsure=facts.unsure | before.unsure,
        for_types=facts.for_types | before.for_types,
        # Those of the text come first, as that is how they are counted.
        apps=(*facts.apps, *(Counter(before.apps) - Counter(facts.apps)).elements()),
    )


def _exports(facts: FileFacts, before: FileFacts, mended: Mended) -> tuple[str, ...] | Unknown | None:
    """What a file exports. Where it said nothing of that before, it may be going to."""
    if _EXPORTS not in mended.lost:
        return facts.exports
    return UNKNOWN if before.exports is None else before.exports


def settled(mended: Mended, facts: FileFacts, before: FileFacts) -> Mended:
    """What was mended, where what is decorated as it was isn't doubtful; of the rest the head is lost."""
    kept = {name for name in mended.doubtful if _decorators(facts, name) == _decorators(before, name)}
    return replace(mended, lost=mended.lost | (mended.doubtful - kept), doubtful=frozenset())


def _decorators(facts: FileFacts, qualname: str) -> tuple[Expression, ...] | None:
    names: Mapping[str, Binding] = facts.names
    binding: Binding | None = None
    for name in qualname.split("."):
        binding = names.get(name)
        names = binding.names if isinstance(binding, ClassFacts) else {}
    return binding.decorators if isinstance(binding, ClassFacts | FunctionFacts) else None


def bodies_with_memory(bodies: Bodies, before: Bodies) -> Bodies:
    """These bodies, and those that were there before."""
    return Bodies(
        functions={**before.functions, **bodies.functions}, attributes={**before.attributes, **bodies.attributes}
    )


def _names(
    now: Mapping[str, Binding], before: Mapping[str, Binding], mended: Mended, prefix: str
) -> Mapping[str, Binding]:
    """What names stand for. In a torn class one that is new may be another's, and one that is lost may be its."""
    is_torn = prefix.removesuffix(".") in mended.torn
    # Those that were known stay where they are among the others, and what they stand for comes below.
    new = {
        name: binding
        if name in before
        else UNKNOWN
        if is_torn or prefix + name in mended.lost
        else _torn(binding, mended)
        for name, binding in now.items()
    }
    bound = mended.lost | mended.attributes
    inside = (one.removeprefix(prefix) for one in bound if one.startswith(prefix))
    lost = {name: UNKNOWN for name in inside if "." not in name and name != STAR and name not in before}
    known = {name: _recalled(prefix + name, now.get(name), then, mended) for name, then in before.items()}
    return {**new, **(lost if is_torn or not prefix else {}), **known}


def _recalled(qualname: str, now: Binding | None, then: Binding, mended: Mended) -> Binding:
    """What a name stands for of which it is known what it stood for before."""
    if now is None and isinstance(then, ClassFacts):
        return replace(then, is_open=qualname in mended.open)
    # What made it unknown may stand where the text doesn't parse.
    if now is None or now is then or isinstance(then, Unknown):
        return then
    if isinstance(now, ClassFacts) and isinstance(then, ClassFacts):
        return _class(now, then, mended)
    if isinstance(now, Value) and isinstance(then, Value) and now.expression == then.expression:
        # What is added to a list counts only where nothing has used it before, which may be lost.
        return then
    return then if qualname in mended.lost else now


def _class(now: ClassFacts, then: ClassFacts, mended: Mended) -> ClassFacts:
    """A class whose head or body may have gaps."""
    facts = replace(now, names=_names(now.names, then.names, mended, f"{now.qualname}."))
    if now.qualname in mended.lost:
        facts = replace(
            facts,
            decorators=then.decorators,
            bases=then.bases,
            has_keywords=then.has_keywords,
            type_params=then.type_params,
            freezes=then.freezes,
            says_total=then.says_total,
        )
    if now.qualname in mended.torn:
        facts = replace(
            facts,
            fields=_fields(now.fields, then.fields),
            uses=_both(now.uses, then.uses),
            for_types=now.for_types | then.for_types,
            mentions=now.mentions | then.mentions,
        )
    return replace(facts, is_open=now.qualname in mended.open)


def _fields(now: tuple[Field, ...] | Unknown, then: tuple[Field, ...] | Unknown) -> tuple[Field, ...] | Unknown:
    """The fields that there were, as they are now where they still are."""
    if isinstance(now, Unknown) or isinstance(then, Unknown):
        return UNKNOWN
    known = {one.name: one for one in now}
    return tuple(known.get(one.name, one) for one in then)


def _both(now: UsesOfNames, then: UsesOfNames) -> UsesOfNames:
    return UsesOfNames(
        rebound=now.rebound | then.rebound,
        changed=now.changed | then.changed,
        passed=_joined(now.passed, then.passed),
    )


def _joined(
    one: Mapping[str, frozenset[Expression]], other: Mapping[str, frozenset[Expression]]
) -> Mapping[str, frozenset[Expression]]:
    return {name: one.get(name, frozenset()) | other.get(name, frozenset()) for name in (*one, *other)}
