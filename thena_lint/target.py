"""What a command line target means: a file, a folder, a module, or one of them with `:name`.

Only text is read, nothing is imported. Where a file says nothing that can be seen, `Target.name` stays `None`, and
whoever imports the module decides.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from thena_contract import vocabulary
from thena_contract.frozen import frozen
from thena_contract.rules.decorator_without_call import DecoratorWithoutCall
from thena_contract.spelling import nearest
from thena_lint.index.modules import SOURCES, ModuleAt, ModuleName
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import ClassAt, Scope, is_framework, resolve
from thena_lint.link.classes import decorations
from thena_lint.link.reader import classes_declared
from thena_lint.source.discover import absolute, is_python
from thena_lint.summary.expressions import Call
from thena_lint.summary.facts import Value


class TargetError(Exception):
    """A target that names nothing, or more than one thing; the text says what to type instead."""


@frozen(kw_only=True)
class Target:
    """What to import and what to start: `root` is put on the path, `watch` is the folder that its source is in.

    What `root` doesn't have is looked for `behind` all else: where the user stands, in the project, and their sources.
    A `name` that isn't typed is what the text of `file` shows; importing it may show something else.
    """

    root: Path
    module: str
    file: Path
    name: str | None
    is_typed: bool
    watch: Path
    behind: tuple[Path, ...]


@frozen
class _Stand:
    """Where the user stands, and the folder from which a dotted module is named, if one was typed."""

    cwd: Path
    base: Path | None


@frozen
class _Candidate:
    file: Path
    name: str


def find_target(text: str, cwd: Path) -> Target:
    """Find what a target means from a folder.

    Raises:
        TargetError: if it names nothing that can be started, or several things.
    """
    cwd = absolute(cwd)
    try:
        place, name = _split(text, cwd)
        base, path = _path(place, cwd)
        if path is None:
            near = _nearest(place, cwd)
            hint = "Name one that is." if near is None else f"Did you mean `{near}`?"
            raise TargetError(f"`{place}` is no file, folder or module here ({cwd}). {hint}")
        if path.is_dir():
            os.scandir(path).close()
            return _in_folder(path, name, _Stand(cwd, base))
    except OSError as error:
        raise TargetError(f"`{text}` can't be read: {error.strerror}. Name something that can.") from None
    if not is_python(path) or not path.is_file():
        raise TargetError(f"`{place}` is no Python file. Name a `.py` file, a folder or a module.")
    return _in_file(path, name, _Stand(cwd, base))


def _split(text: str, cwd: Path) -> tuple[str, str | None]:
    """The place and the name. A colon may belong to the path, as in `C:/flow.py`."""
    place, colon, name = text.rpartition(":")
    if not colon or (cwd / text).exists() or not name.isidentifier():
        return text, None
    return place, name


def _path(place: str, cwd: Path) -> tuple[Path | None, Path | None]:
    """Where a place is, and for a dotted module the folder that it is named from."""
    path = absolute(cwd / os.path.expanduser(place))  # noqa: PTH111 - pathlib's own raises where nobody has that home
    if path.exists():
        return None, path
    if not all(part.isidentifier() for part in place.split(".")):
        return None, None
    index = ProjectIndex(roots=(cwd,), overlays={}, read={})
    for root in (cwd, cwd / SOURCES):
        found = index.modules.at(root.joinpath(*place.split(".")))
        if isinstance(found, ModuleAt):
            is_package = found.file is None or found.file.parent == found.location
            return root, found.location if is_package else found.file
    return None, None


def _nearest(place: str, cwd: Path) -> Path | None:
    """A folder or Python file that is called nearly so and lies where the place would."""
    folder = absolute(cwd / place).parent
    if not folder.is_dir():
        return None
    there = [path.name for path in folder.iterdir() if path.is_dir() or is_python(path)]
    near = nearest(Path(place).name, sorted(there), likeness=0.75)
    return Path(place).with_name(near) if near else None


def _in_folder(folder: Path, name: str | None, stand: _Stand) -> Target:
    index = ProjectIndex.load([folder])
    files = tuple(file.path for file in index.speaking)
    chosen = _chosen(index, files, name)
    if not chosen:
        bare = None if name else next(_without_call(index), None)
        if bare is not None:
            raise TargetError(DecoratorWithoutCall(decorated=bare, decorator=vocabulary.WORKFLOW).message)
        what = f"no app or workflow named `{name}`" if name else "no `Thena(...)` app and no `@Workflow` class"
        broken = [_shown(file.path, stand.cwd) for file in index.speaking if file.facts is None]
        hint = f" Not parsed: {', '.join(broken)}." if broken else ""
        there = [f"`{_shown(one.file, stand.cwd)}:{one.name}`" for one in _chosen(index, files, None)]
        repair = f"It has {', '.join(there)}." if there else "Name the file or module that has one."
        raise TargetError(f"`{_shown(folder, stand.cwd)}` has {what}.{hint} {repair}")
    return _only(index, folder, chosen, stand, is_typed=name is not None)


def _in_file(file: Path, name: str | None, stand: _Stand) -> Target:
    index = ProjectIndex.load([file])
    if name is not None:
        _require_name(index, file, name, stand.cwd)
        return _target(index, file, name, stand, is_typed=True)
    chosen = _chosen(index, (file,), None)
    if chosen:
        return _only(index, file, chosen, stand, is_typed=False)
    return _target(index, file, None, stand, is_typed=False)


def _require_name(index: ProjectIndex, file: Path, name: str, cwd: Path) -> None:
    indexed = index.file(file)
    facts = None if indexed is None else indexed.facts
    if facts is None or facts.stars or name in facts.names:
        return
    there = [f"`{_shown(file, cwd)}:{one.name}`" for one in (*_apps(index, file), *_workflows(index, file))]
    hint = f"It has {', '.join(there)}." if there else "It has no app and no workflow."
    raise TargetError(f"`{_shown(file, cwd)}` has no `{name}`. {hint}")


def _chosen(index: ProjectIndex, files: tuple[Path, ...], name: str | None) -> list[_Candidate]:
    """The apps, or where there is none the workflows; only those of a name, if one is given."""
    apps = [one for file in files for one in _apps(index, file) if name in (None, one.name)]
    return apps or [one for file in files for one in _workflows(index, file) if name in (None, one.name)]


def _apps(index: ProjectIndex, file: Path) -> list[_Candidate]:
    indexed = index.file(file)
    if indexed is None or indexed.facts is None:
        return []
    return [
        _Candidate(file, name)
        for name, binding in indexed.facts.names.items()
        if isinstance(binding, Value)
        and isinstance(binding.expression, Call)
        and is_framework(resolve(index, Scope(file), binding.expression.function), vocabulary.APP)
    ]


def _workflows(index: ProjectIndex, file: Path) -> list[_Candidate]:
    return [
        _Candidate(file, at.facts.qualname)
        for at, decoration in classes_declared(index, file)
        if is_framework(decoration.what, vocabulary.WORKFLOW) and "." not in at.facts.qualname
    ]


def _without_call(index: ProjectIndex) -> Iterator[str]:
    """The classes under a bare `@Workflow`, which is no declaration."""
    for file in index.speaking:
        for facts in () if file.facts is None else file.facts.classes():
            for one in decorations(index, ClassAt(file.path, facts)):
                if one.call is None and is_framework(one.what, vocabulary.WORKFLOW):
                    yield facts.qualname


def _only(index: ProjectIndex, asked: Path, chosen: list[_Candidate], stand: _Stand, *, is_typed: bool) -> Target:
    if len(chosen) > 1:
        listed = "".join(f"\n  {_shown(one.file, stand.cwd)}:{one.name}" for one in chosen)
        raise TargetError(f"`{_shown(asked, stand.cwd)}` has several things to start. Type one of:{listed}")
    return _target(index, chosen[0].file, chosen[0].name, stand, is_typed=is_typed)


def _target(index: ProjectIndex, file: Path, name: str | None, stand: _Stand, *, is_typed: bool) -> Target:
    own = index.module_of(file)
    module = _as_typed(file, own, stand)
    _require_importable(file, module, stand.cwd)
    is_in_package = index.modules.is_file(file.parent / "__init__.py")
    return Target(
        root=module.root,
        module=module.dotted,
        file=file,
        name=name,
        is_typed=is_typed,
        watch=own.root / own.first if is_in_package else file.parent,
        behind=tuple(folder for folder in _behind(own.root, stand.cwd) if folder != module.root and folder.is_dir()),
    )


def _as_typed(file: Path, own: ModuleName, stand: _Stand) -> ModuleName:
    """The module under the name that was typed for it, as `python -m` has it. Sources go by their own names."""
    if stand.base is None or own.root.name == SOURCES or not file.is_relative_to(stand.base):
        return own
    parts = file.relative_to(stand.base).with_suffix("").parts
    return ModuleName(stand.base, ".".join(parts[:-1] if parts[-1] == "__init__" else parts))


def _behind(root: Path, cwd: Path) -> Iterator[Path]:
    """The folders from which a program may import besides its own."""
    project = next((folder for folder in (root, *root.parents) if (folder / "pyproject.toml").is_file()), cwd)
    yield from dict.fromkeys((root, cwd, cwd / SOURCES, project, project / SOURCES))


def _require_importable(file: Path, module: ModuleName, cwd: Path) -> None:
    parts = file.relative_to(module.root).with_suffix("").parts
    dotted = next((part for part in parts if "." in part), None)
    if dotted is not None:
        repair = f"Rename it, to `{dotted.replace('.', '_')}` for instance."
        raise TargetError(f"`{_shown(file, cwd)}` can't be imported, because of the dot in `{dotted}`. {repair}")
    if module.dotted == "__main__":
        raise TargetError(
            f"`{_shown(file, cwd)}` can't be imported under its name, which is that of every program. Rename it."
        )


def _shown(path: Path, cwd: Path) -> str:
    return os.path.relpath(path, cwd) if path.is_relative_to(cwd) else str(path)
