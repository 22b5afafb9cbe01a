"""Index -> what the linter's own rules find, in the bodies of what is declared. One piece of work for each class,
function and workflow, so that an edit does again what rests on it and nothing else.

A rule that fails is what is found there, and the others still report.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from thena_contract import vocabulary
from thena_lint.bodies.acts import Act, act_of_function, conduct_of
from thena_lint.bodies.flows import flow_of
from thena_lint.bodies.memory import BodyIndex, Memory
from thena_lint.bodies.spotted import Spotted
from thena_lint.index.project import IndexedFile, ProjectIndex
from thena_lint.index.resolve import ClassAt, FunctionAt, is_framework
from thena_lint.link.assemblies import Linked
from thena_lint.link.reader import classes_declared
from thena_lint.rules import BODY_RULES, CLASS_RULES, FLOW_RULES
from thena_lint.source.failure import Failure
from thena_lint.source.faults import LinterFailed
from thena_lint.summary.facts import FunctionFacts
from thena_lint.summary.spans import Site

Found = tuple[Spotted, ...]
Subject = TypeVar("Subject")
Place = TypeVar("Place", ClassAt, FunctionAt)

_DECLARED: Final = (vocabulary.AGENT, vocabulary.TOOL)
_TOGETHER: Final = 20
"""How many classes or functions are asked together whether what was found in them holds."""


def look(index: ProjectIndex, linked: Iterable[Linked], memory: Memory) -> Found:
    """Everything that the linter's own rules find."""
    memory.begin(index)
    return (*look_at_files(index, index.speaking, memory), *look_at_workflows(index, linked, memory))


def look_at_files(index: ProjectIndex, files: Iterable[IndexedFile], memory: Memory) -> Found:
    """What is found in the classes and functions of some files. The memory has begun with the index."""
    return tuple(_in_files(index, files, memory))


def look_at_workflows(index: ProjectIndex, linked: Iterable[Linked], memory: Memory) -> Found:
    """What is found in some workflows. The memory has begun with the index."""
    return tuple(_in_workflows(index, linked, memory))


def found_by(
    rules: Iterable[Callable[[BodyIndex, Subject], Iterator[Spotted]]], index: BodyIndex, subject: Subject, site: Site
) -> Iterator[Spotted]:
    """What these rules find at a subject that stands at this site, also where one of them fails."""
    for rule in rules:
        try:
            yield from list(rule(index, subject))
        except Exception as error:
            yield _failed(site, error)


def _in_files(index: ProjectIndex, files: Iterable[IndexedFile], memory: Memory) -> Iterator[Spotted]:
    for file in files:
        if file.facts is None:
            continue
        yield from memory.recall(index, ("inside", file.path), None, partial(_inside, file.path))


def _in_workflows(index: ProjectIndex, linked: Iterable[Linked], memory: Memory) -> Iterator[Spotted]:
    for one in linked:
        workflow = one.assembly.workflow
        home = None if workflow is None else one.homes.get(workflow.ref)
        if isinstance(home, ClassAt):
            yield from memory.recall(
                index, ("workflow", home.key), one, partial(_guarded, home, partial(_at_workflow, one))
            )


def _inside(path: Path, index: BodyIndex) -> Found:
    """What is found in the agents, tools and functions of a file, whoever uses them."""
    declared = index.recall(("declared", path), None, partial(_declared, path))
    functions = index.recall(("functions", path), None, partial(_functions, path))
    return (
        *_in_groups(("classes", path), declared, _in_class, index),
        *_in_groups(("functions", path), functions, _in_function, index),
    )


def _in_groups(
    key: tuple[str, Path], every: Sequence[Subject], find: Callable[[Subject, BodyIndex], Found], index: BodyIndex
) -> Iterator[Spotted]:
    """What is found in each of these, of which some together are asked whether it holds."""
    for number in range(0, len(every), _TOGETHER):
        some = every[number : number + _TOGETHER]
        yield from index.recall((*key, number), some, partial(_in_each, some, find))


def _in_each(some: Iterable[Subject], find: Callable[[Subject, BodyIndex], Found], index: BodyIndex) -> Found:
    return tuple(found for one in some for found in find(one, index))


def _in_class(declared: tuple[ClassAt, str], index: BodyIndex) -> Found:
    """What is found in an agent or tool."""
    at, decorator = declared
    return index.recall(("class", at.key), declared, partial(_guarded, at, partial(_at_class, decorator)))


def _in_function(function: FunctionAt, index: BodyIndex) -> Found:
    """What is found in a function."""
    return index.recall(("function", function.key), function, partial(_guarded, function, _at_function))


def _declared(path: Path, index: BodyIndex) -> tuple[tuple[ClassAt, str], ...]:
    """The agents and tools of a file."""
    return tuple(
        (at, name)
        for at, decoration in classes_declared(index, path)
        for name in _DECLARED
        if is_framework(decoration.what, name) and not at.facts.is_conditional
    )


def _functions(path: Path, index: BodyIndex) -> tuple[FunctionAt, ...]:
    """The functions of a file's top level."""
    file = index.file(path)
    names = {} if file is None or file.facts is None else file.facts.names
    return tuple(FunctionAt(path, one) for one in names.values() if isinstance(one, FunctionFacts))


def _at_class(decorator: str, at: ClassAt, index: BodyIndex) -> Iterator[Spotted]:
    conduct = conduct_of(index, at, decorator)
    yield from found_by(CLASS_RULES, index, conduct, Site(*at.key))
    for act in conduct.acts:
        yield from _at_act(index, act)


def _at_function(at: FunctionAt, index: BodyIndex) -> Iterator[Spotted]:
    act = act_of_function(index, at, "other")
    return iter(()) if act is None else _at_act(index, act)


def _at_workflow(linked: Linked, at: ClassAt, index: BodyIndex) -> Iterator[Spotted]:
    workflow = linked.assembly.workflow
    assert workflow is not None, "what no workflow uses has no bodies of its own"
    flow = flow_of(index, linked, workflow)
    yield from found_by(FLOW_RULES, index, flow, Site(*at.key))
    for act in (*flow.functions, *flow.called):
        yield from _at_act(index, act)


def _at_act(index: BodyIndex, act: Act) -> Iterator[Spotted]:
    return found_by(BODY_RULES, index, act, act.site)


def _guarded(at: Place, read: Callable[[Place, BodyIndex], Iterator[Spotted]], index: BodyIndex) -> Found:
    """What is found at a class or function, also where the linter fails at reading it."""
    try:
        return tuple(read(at, index))
    except Exception as error:
        return (_failed(Site(*at.key), error),)


def _failed(site: Site, error: Exception) -> Spotted:
    return Spotted(LinterFailed(subject=f"the body of `{site.owner}`", error=Failure.of(error).error), site)
