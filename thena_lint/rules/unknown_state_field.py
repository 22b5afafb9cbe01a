"""THN602: a field of the workflow's state is used that its class doesn't have."""

from collections.abc import Iterator

from thena_contract.source_faults.unknown_state_field import UnknownStateField
from thena_contract.spelling import nearest
from thena_lint.bodies.acts import Act
from thena_lint.bodies.meanings import TheState
from thena_lint.bodies.members import members_of, states_like
from thena_lint.bodies.memory import BodyIndex
from thena_lint.bodies.said import Said, quoted
from thena_lint.bodies.spotted import Spotted
from thena_lint.index.resolve import ClassAt
from thena_lint.summary.spans import Site


def check(index: BodyIndex, act: Act) -> Iterator[Spotted]:
    """Report every field that neither the state's class nor anything derived from it has."""
    for number, use, count, meaning in act.uses():
        if use.may_fail or count == len(use.chain.attributes):
            continue
        if isinstance(meaning, TheState) and meaning.at is not None:
            name = use.chain.attributes[count]
            fields = _fields_without(index, meaning.at, name)
            if fields is not None:
                site = act.site.doing(number, attribute=count)
                yield Spotted(_fault(act, meaning.at, name, fields), site, (_declared(meaning.at),))


def _fields_without(index: BodyIndex, at: ClassAt, name: str) -> frozenset[str] | None:
    """The fields that a class has, if no state of its kind has this one.

    Where no workflow makes its state of it, what is there instead isn't known; that is at fault otherwise.
    """
    fields = members_of(index, at)
    if fields is None or name in fields or name.startswith("__"):
        return None
    states = states_like(index, at)
    known = [members_of(index, one) for one in states or ()]
    if not known or any(members is None or name in members for members in known):
        return None
    # Whoever writes a name as a text, or sets it on the class, may give it to any object.
    on_class = Said(name, rf"(?<=\b{at.facts.name}\.)", r"\b")
    return None if index.says(quoted(name)) or index.says(on_class) else fields


def _fault(act: Act, at: ClassAt, name: str, fields: frozenset[str]) -> UnknownStateField:
    near = nearest(name, sorted(one for one in fields if not one.startswith("__")))
    return UnknownStateField(
        subject=act.subject,
        field=name,
        state=at.facts.name,
        instead=f", or use `{near}`" if near else "",
    )


def _declared(at: ClassAt) -> tuple[str, Site]:
    return f"state class `{at.facts.name}` is declared here", Site(at.file, at.facts.qualname)
