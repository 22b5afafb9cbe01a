"""Names that a user makes up, and whether Python, a package index and Thena can live with them. Pure."""

import builtins
import keyword
import re
import sys
from typing import Final

from thena_contract import vocabulary
from thena_contract.frozen import frozen

_PROJECT: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*")
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_TAKEN: Final = frozenset(
    {"thena", "thena_cli", "thena_contract", "thena_lint", "thena_lsp", "thena_runtime"}
    | {"tests", "test", "src", "build", "dist", "site_packages"}
    | {"click", "httpx", "libcst", "pydantic", "pygls", "pytest", "rich", "watchfiles"}
)
"""Modules that a project would hide, or be hidden by."""


class NameRefusedError(ValueError):
    """A name that can't be used; the text says why, and what a right one looks like."""


@frozen
class ProjectName:
    """The name of a project as it was typed, and that of the package in it."""

    name: str
    package: str


@frozen
class PartName:
    """The name of a class, and that of its file."""

    name: str
    snake: str


def project_name(text: str) -> ProjectName:
    """Read the name of a project. Raises `NameRefusedError`."""
    if not _PROJECT.fullmatch(text):
        raise NameRefusedError(
            f"`{text}` can't name a project. Begin with a letter, and go on with letters, digits and single hyphens, "
            "as in `my-app`. To make it elsewhere, go to that folder first."
        )
    package = text.lower().replace("-", "_")
    _require_free(text, package)
    if package in sys.stdlib_module_names or package in _TAKEN:
        raise NameRefusedError(
            f"`{text}` can't name a project: there is a module `{package}` already, which one of them would hide. "
            f"Take another name, such as `{text}-app`."
        )
    return ProjectName(text, package)


def part_name(text: str, kind: str) -> PartName:
    """Read the name of an agent, tool, workflow, state or provider in any of the usual forms.

    Raises:
        NameRefusedError: if it can be no name of a class, or is one that the class would hide.
    """
    if not _PROJECT.fullmatch(text):
        raise NameRefusedError(
            f"`{text}` can't name {_a(kind)}. Begin with a letter, and go on with letters and digits, "
            "as in `Summarizer` or `text-summarizer`."
        )
    words = _WORD.findall(text.replace("_", "-"))
    name = "".join(word if word.isupper() else word.capitalize() for word in words)
    snake = "_".join(word.lower() for word in words)
    _require_free(text, snake)
    taken = {*vocabulary.DECORATORS, *vocabulary.ALIASES, *vocabulary.SELF_MARKING, *vocabulary.PROVIDERS}
    if name in taken | {vocabulary.APP, vocabulary.CONFIG, "Prompt"} or hasattr(builtins, name):
        where = "Python" if hasattr(builtins, name) else "Thena"
        raise NameRefusedError(
            f"`{text}` can't name {_a(kind)}: {where} has its own `{name}`, which the class would hide. "
            f"Take another name, such as `My{name}`."
        )
    return PartName(name, snake)


def _require_free(text: str, module: str) -> None:
    if keyword.iskeyword(module) or keyword.issoftkeyword(module):
        raise NameRefusedError(f"`{text}` is a word of Python's own, which no module can have as its name. Add a word.")


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
