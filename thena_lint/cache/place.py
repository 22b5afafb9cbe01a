"""Where answers are kept, and under which name: the same words typed in the same folder are the same question.

The arguments are looked at as they were typed, since understanding them takes longer than answering.
"""

import os
import sys

from thena_lint.source.disk import digest

_FORMAT = "1"
"""Another one for every change of what is kept."""

NAME = ".thena_cache"
_INSIDE = "lint"
_OPTION = "--cache-dir"
_OFF = "--no-cache"
_VARIABLE = "THENA_CACHE_DIR"
_ROOTS = ("pyproject.toml", "thena.toml", ".git")
_SEEN_BY_REPORTS = ("NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS")
_PACKAGES = ("thena_lint", "thena_contract")
_PARSER = os.path.join("libcst", "__init__.py")


def place_of_answer(arguments: list[str]) -> str | None:
    """The file for what these arguments are answered with here; `None` where nothing is to be kept."""
    folder = _folder(arguments)
    return None if folder is None else os.path.join(folder, _question(arguments))


def _folder(arguments: list[str]) -> str | None:
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if _OFF in options:
        return None
    typed = _typed(options) or os.environ.get(_VARIABLE)
    if typed:
        return os.path.abspath(typed)
    root = _root(os.getcwd())
    return None if root is None else os.path.join(root, NAME, _INSIDE)


def _typed(options: list[str]) -> str | None:
    """What the last `--cache-dir` names."""
    found = None
    for number, option in enumerate(options):
        if option == _OPTION and number + 1 < len(options):
            found = options[number + 1]
        elif option.startswith(f"{_OPTION}="):
            found = option[len(_OPTION) + 1 :]
    return found


def _root(folder: str) -> str | None:
    """The nearest folder around this one, or itself, that holds a project."""
    while True:
        if any(os.path.exists(os.path.join(folder, name)) for name in _ROOTS):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def _question(arguments: list[str]) -> str:
    """What names an answer: all that it may depend on and that isn't asked of the project's files."""
    parts = (
        _FORMAT,
        sys.version,
        _program(),
        os.getcwd(),
        str(sys.stdout.isatty()),
        *(f"{name}={os.environ.get(name)}" for name in _SEEN_BY_REPORTS),
        *arguments,
    )
    return digest("\0".join(parts).encode("utf-8", "surrogatepass"))


def _program() -> str:
    """What stands for the linter itself: when its files were written, so that no answer outlives a change of it."""
    ours = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    seen = sorted(one for name in _PACKAGES for one in _written(ours, name))
    for folder in sys.path:
        try:
            parser = os.stat(os.path.join(folder, _PARSER))
        except OSError:
            continue
        return "\n".join((*seen, f"{_PARSER} {parser.st_mtime_ns} {parser.st_size}"))
    return "\n".join(seen)


def _written(root: str, name: str) -> list[str]:
    found: list[str] = []
    with os.scandir(os.path.join(root, name)) as entries:
        for entry in entries:
            inner = f"{name}/{entry.name}"
            if entry.name.endswith(".py"):
                written = entry.stat()
                found.append(f"{inner} {written.st_mtime_ns} {written.st_size}")
            elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                found += _written(root, inner)
    return found
