"""THN807: an object in the class body of an agent or tool is changed, and every run shares it."""

from collections.abc import Iterator
from typing import Final

from thena_contract.source_faults.shared_class_attribute import SharedClassAttribute
from thena_lint.bodies.acts import Act, Conduct
from thena_lint.bodies.meanings import Known, chain_of, whole_meaning
from thena_lint.bodies.memory import BodyIndex
from thena_lint.bodies.said import Said
from thena_lint.bodies.spotted import Spotted
from thena_lint.index.resolve import ClassAt, External, resolve
from thena_lint.link.classes import dataclass_of, scope_inside
from thena_lint.link.fields import is_class_variable
from thena_lint.summary.body import Chain, Use
from thena_lint.summary.expressions import Binary, Call, Constant, Dictionary, Expression, Sequence
from thena_lint.summary.spans import Site

_KINDS: Final = frozenset({"list", "dict", "set", "bytearray"})
_MADE: Final = frozenset(
    {
        *(f"builtins.{kind}" for kind in _KINDS),
        *(f"collections.{n}" for n in ("defaultdict", "deque", "Counter", "OrderedDict")),
    }
)
_CHANGERS: Final = frozenset(
    {
        *("append", "appendleft", "extend", "extendleft", "insert", "pop", "popleft", "remove", "clear", "sort"),
        *("reverse", "rotate", "add", "discard", "update", "setdefault", "popitem", "subtract"),
        *("difference_update", "intersection_update", "symmetric_difference_update"),
    }
)


_LOOKING: Final = frozenset(External(f"builtins.{name}") for name in ("id", "isinstance", "len", "super", "type"))
_DICTIONARY: Final = "__dict__"
_OF_OTHERS: Final = r"(?<=\.)(?<!\bself\.)"
"""An attribute of an object that isn't called `self`."""

_IS_SET: Final = r"\b\s*(?::[^=\n]+)?=[^=]"


def check(index: BodyIndex, conduct: Conduct) -> Iterator[Spotted]:
    """Report every such attribute that a method changes in place, and that nobody replaces first."""
    if not conduct.is_whole or any(dataclass_of(index, one) is not None for one in conduct.order):
        return
    shared = list(_shared(index, conduct))
    if not shared or any(_hands_itself_on(index, act) for act in conduct.acts):
        return
    for owner, name, kind in shared:
        changes = [found for act in conduct.acts if (found := _changed(act, name)) is not None]
        is_replaced = any(_is_replaced(act, name) for act in conduct.acts)
        if changes and not is_replaced and not index.says(Said(name, _OF_OTHERS, _IS_SET)):
            act, number = changes[0]
            fault = SharedClassAttribute(owner=owner.facts.name, attribute=name, kind=kind, method=act.subject)
            changed = (f"`{act.subject}` changes it here", act.site.doing(number))
            yield Spotted(fault, Site(owner.file, f"{owner.facts.qualname}.{name}"), (changed,))


def _shared(index: BodyIndex, conduct: Conduct) -> Iterator[tuple[ClassAt, str, str]]:
    """Every attribute of a class body that can be changed in place: whose it is, its name, and what it is."""
    for owner in conduct.order:
        for name in owner.facts.names:
            value = index.attribute(owner.file, f"{owner.facts.qualname}.{name}")
            kind = None if value is None else _kind(index, owner, value)
            if kind is not None and not _is_meant(index, owner, name) and _owner(conduct, name) is owner:
                yield owner, name, kind


def _owner(conduct: Conduct, name: str) -> ClassAt | None:
    return next((one for one in conduct.order if name in one.facts.names), None)


def _kind(index: BodyIndex, owner: ClassAt, expression: Expression) -> str | None:
    match expression:
        case Sequence(type="list") | Binary(operator="+", left=Sequence(type="list")):
            return "list"
        case Dictionary():
            return "dict"
        case Constant(type=kind) if kind in _KINDS:
            return kind
        case Call(function=function):
            match resolve(index, scope_inside(owner), function):
                case External(dotted=dotted) if dotted in _MADE:
                    return dotted.rpartition(".")[2]
    return None


def _is_meant(index: BodyIndex, owner: ClassAt, name: str) -> bool:
    """Say whether it is annotated as a class variable, so that sharing it is what its author wants."""
    fields = () if not isinstance(owner.facts.fields, tuple) else owner.facts.fields
    return any(one.name == name and is_class_variable(index, scope_inside(owner), one) for one in fields)


def _changed(act: Act, name: str) -> tuple[Act, int] | None:
    for number, use, count in act.uses_of(Known.ITSELF):
        match use.chain.attributes[count:], use.how:
            case (first,), "item" | "augmented" if first == name:
                return act, number
            case (first, method), "called" if first == name and method in _CHANGERS:
                return act, number
    return None


def _hands_itself_on(index: BodyIndex, act: Act) -> bool:
    """Say whether a body gives the object, or its dictionary, to code that may set any attribute."""
    named = sum(1 for _, value in act.body.assigned if (chain := chain_of(value)) and _is_itself(act, chain))
    used = [(use, use.chain.attributes[count:]) for _, use, count in act.uses_of(Known.ITSELF)]
    looked_at = sum(_looks_at(index, act, use) for _, use in act.body.uses())
    handed_on = sum(1 for use, rest in used if not rest and use.how == "read")
    return handed_on > named + looked_at or any(rest[:1] == (_DICTIONARY,) for _, rest in used)


def _looks_at(index: BodyIndex, act: Act, use: Use) -> int:
    """How often a call is given the object that certainly changes nothing of it."""
    if use.how != "called" or act.resolve(index, use.chain) not in _LOOKING:
        return 0
    chains = [chain_of(one.value) for one in use.arguments]
    return sum(1 for chain in chains if chain is not None and _is_itself(act, chain))


def _is_itself(act: Act, chain: Chain) -> bool:
    return whole_meaning(chain, act.roots, act.fields) is Known.ITSELF


def _is_replaced(act: Act, name: str) -> bool:
    return any(
        use.chain.attributes[count:] == (name,) and use.how in ("set", "deleted")
        for _, use, count in act.uses_of(Known.ITSELF)
    )
