"""The fields of a workflow's state that keep their first value, because nothing that takes part ever writes them.

It is certain only where all is seen: every agent, tool and `until`, and no place where the state is handed on.
"""

from typing import Final

from thena_contract import vocabulary
from thena_contract.declarations import UNKNOWN, LoopStep, Signature, Unknown
from thena_lint.bodies.acts import Act, Conduct
from thena_lint.bodies.flows import Flow
from thena_lint.bodies.meanings import Known, TheState, chain_of, whole_meaning
from thena_lint.bodies.memory import BodyIndex
from thena_lint.bodies.outcome import Value
from thena_lint.bodies.said import Said, quoted
from thena_lint.index.resolve import ClassAt
from thena_lint.link.classes import is_plain, mro
from thena_lint.summary.body import Chain, How
from thena_lint.summary.expressions import Constant, Sequence
from thena_lint.summary.facts import FunctionFacts
from thena_lint.summary.facts import Value as Bound

_MAKERS: Final = frozenset({vocabulary.CONSTRUCTOR, "__new__", "__post_init__", "__getattribute__", "__getattr__"})
_CALLED: Final = (*vocabulary.CALLED, vocabulary.EXECUTE, *sorted(_MAKERS), "__setattr__")
_NAMESPACES: Final = frozenset({"locals", "globals", "eval", "exec", "vars", "setattr", "delattr"})
_OF_ANY: Final = r"(?<=\.)"
"""An attribute, whatever its object is called."""

_IS_SET: Final = r"\b\s*(?:=[^=]|[-+*/%&|^@]+=|<<=|>>=)"


def unwritten_fields(index: BodyIndex, flow: Flow, fields: tuple[str, ...]) -> dict[str, Value]:
    """Those of the fields that keep their first value, with that value; none where a single one may change."""
    if flow.state is None or not _is_seen(flow):
        return {}
    doers = _doers(index, flow.state)
    first = {name: _first_value(index, flow.state, name) for name in fields}
    if UNKNOWN in first.values() or any(_may_write(act, doers, first) for act in flow.acts):
        return {}
    if any(index.says(quoted(name)) or index.says(Said(name, _OF_ANY, _IS_SET)) for name in fields):
        return {}
    return {name: value for name, value in first.items() if value is not UNKNOWN}


def _is_seen(flow: Flow) -> bool:
    """Say whether all that can be given the state is seen."""
    loops = [step for step in flow.linked.assembly.steps() if isinstance(step, LoopStep)]
    asking = [agent.constructor for agent in flow.agents]
    for tool in flow.tools:
        asking += [tool.constructor, UNKNOWN if not isinstance(tool.execute, Signature) else tool.execute]
    return (
        flow.is_whole
        and all(_is_written_out(one) for one in flow.conducts)
        and len(loops) == len(flow.loops)
        and all(loop.until is not None or loop.is_ours for loop in flow.loops)
        and all(one is not UNKNOWN and _is_known(one) for one in asking)
    )


def _is_written_out(conduct: Conduct) -> bool:
    """Say whether all that the runtime calls is a method that stands in a class."""
    return all(
        isinstance(owner.facts.names[name], FunctionFacts)
        for owner in conduct.order
        for name in _CALLED
        if name in owner.facts.names
    )


def _is_known(signature: Signature) -> bool:
    return all(param.requests is not UNKNOWN for param in signature.params)


def _first_value(index: BodyIndex, state: ClassAt, name: str) -> Value | Unknown:
    """What a field is before any step, where nothing but its class says so."""
    order = mro(index, state)
    for one in order:
        if one is UNKNOWN or not is_plain(index, one) or not _MAKERS.isdisjoint(one.facts.names):
            return UNKNOWN
    owner = next((one for one in order if one is not UNKNOWN and name in one.facts.names), None)
    binding = None if owner is None else owner.facts.names[name]
    match binding.expression if isinstance(binding, Bound) else None:
        case Constant(type="NoneType"):
            return None
        case Constant(type="bool" | "int" | "str", value=value) if value is not None:
            return value
        case Sequence(items=()):
            return ()
    return UNKNOWN


def _doers(index: BodyIndex, state: ClassAt) -> frozenset[str]:
    """The attributes of a state that are no values, but methods, properties and the like, which may do anything."""
    names: dict[str, bool] = {}
    for one in reversed(mro(index, state)):
        if one is UNKNOWN:
            continue
        for name, binding in one.facts.names.items():
            is_value = isinstance(binding, Bound)
            if binding is UNKNOWN:
                is_value = index.attribute(one.file, f"{one.facts.qualname}.{name}") is not None
            names[name] = not is_value
    return frozenset(name for name, does in names.items() if does)


def _may_write(act: Act, doers: frozenset[str], fields: dict[str, Value | Unknown]) -> bool:
    """Say whether a body may give one of the fields another value, or have others do it."""
    if act.clouded:
        return True
    kept = sum(1 for target, value in act.body.assigned if _keeps(act, target, chain_of(value)))
    handed_on = 0
    for _, use in act.body.uses():
        if use.chain.root in _NAMESPACES and not use.chain.attributes:
            return True
        for count, meaning in act.meanings(use.chain):
            rest = use.chain.attributes[count:]
            if meaning is Known.ITSELF and rest[:1] in ((), ("__dict__",)):
                return True
            if isinstance(meaning, TheState):
                if rest and _changes(doers, rest, use.how, fields):
                    return True
                handed_on += not rest and use.how == "read"
    return handed_on > kept


def _keeps(act: Act, target: Chain, value: Chain | None) -> bool:
    """Say whether an assignment only gives the state another name that is followed."""
    return (
        value is not None
        and isinstance(whole_meaning(value, act.roots, act.fields), TheState)
        and isinstance(whole_meaning(target, act.roots, act.fields), TheState)
    )


def _changes(doers: frozenset[str], rest: tuple[str, ...], how: How, fields: dict[str, Value | Unknown]) -> bool:
    name = rest[0]
    if name in fields:
        # A list can be changed through any mention of it.
        is_changed = len(rest) == 1 and how in ("set", "augmented", "deleted")
        return is_changed or fields[name] == ()
    # A method or property of the state may write its fields.
    return name in doers or name.startswith("__")
