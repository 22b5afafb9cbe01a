"""THN104 and THN105: the file of a prompt isn't there, or isn't named."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import libcst

from thena_contract.declarations import AgentDecl, PromptFile
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, FileCreation, Fix
from thena_lint.index.resolve import ClassAt
from thena_lint.link.assemblies import Linked
from thena_lint.rewrite.calls import argument, with_option
from thena_lint.rewrite.context import FixContext
from thena_lint.source.disk import FILE, FOLDER, kind_of

_PROMPT: Final = "prompt"
_SUFFIX: Final = ".agent.md"


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Name the file that is there in other letters, or create one to be filled in."""
    for linked in context.found_in(one)[:1]:
        agent = _agent(linked, one)
        home = None if agent is None else linked.homes.get(agent.ref)
        if agent is None or not isinstance(home, ClassAt) or context.source(home.file) is None:
            return
        if isinstance(agent.prompt, PromptFile):
            path = Path(os.path.normpath(home.file.parent / agent.prompt.literal))
            other = _in_other_letters(path, agent)
            if other is None:
                yield from _created(path, home, agent)
            else:
                yield from _respelt(context, home, agent.prompt.literal, other)
        elif agent.prompt is None:
            yield from _named(context, home, agent)


def _agent(linked: Linked, one: Diagnostic) -> AgentDecl | None:
    anchor = None if one.finding is None else one.finding.anchor
    return next(
        (agent for agent, _ in linked.assembly.all_agents() if agent.ref == getattr(anchor, "declaration", None)), None
    )


def _in_other_letters(path: Path, agent: AgentDecl) -> str | None:
    """The file that is called so but for upper and lower case: in small letters, or as the agent is."""
    name = path.name
    likely = (name.lower(), name[:1].upper() + name[1:].lower(), f"{agent.ref.name}{_SUFFIX}")
    others = [one for one in dict.fromkeys(likely) if one != name and one.lower() == name.lower()]
    return next((one for one in others if kind_of(path.with_name(one)) == FILE), None)


def _created(path: Path, home: ClassAt, agent: AgentDecl) -> Iterator[Fix]:
    if kind_of(path.parent) == FOLDER or path.is_relative_to(home.file.parent):
        yield Fix(
            title=f"Create `{path.name}`",
            applicability=Applicability.UNSAFE,
            created=(FileCreation(path, _text(agent)),),
        )


def _text(agent: AgentDecl) -> str:
    return f"# {agent.ref.name}\n\nSay here who this agent is, what it is to do, and when it is done.\n"


def _respelt(context: FixContext, home: ClassAt, literal: str, name: str) -> Iterator[Fix]:
    declared = context.decorator(home)
    given = None if declared is None else argument(declared[1], _PROMPT)
    if declared is not None and given is not None and isinstance(given.value, libcst.SimpleString):
        written = given.value
        meant = written.value.replace(Path(literal).name, name)
        yield Fix(
            title=f"Write `{name}`",
            applicability=Applicability.SAFE,
            edits=(declared[0].swap(written, meant),),
        )


def _named(context: FixContext, home: ClassAt, agent: AgentDecl) -> Iterator[Fix]:
    declared = context.decorator(home)
    name = f"{agent.ref.name}{_SUFFIX}"
    path = home.file.parent / name
    if declared is not None:
        is_there = kind_of(path) == FILE
        yield Fix(
            title=f"Name `{name}` as its prompt" if is_there else f"Create `{name}` as its prompt",
            applicability=Applicability.UNSAFE,
            edits=(with_option(*declared, _PROMPT, f'"./{name}"', is_last=True),),
            created=() if is_there else (FileCreation(path, _text(agent)),),
        )
