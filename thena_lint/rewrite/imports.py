"""What something is called in a file, and the import that it takes to call it so.

Nothing is imported that would import the file itself in turn, and no name is taken that the file has already.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import libcst
from libcst.helpers import get_full_name_for_node

from thena_contract import vocabulary
from thena_contract.frozen import frozen
from thena_lint.edit import Edit
from thena_lint.index.modules import ModuleAt
from thena_lint.index.project import IndexedFile
from thena_lint.index.reach import reached_from
from thena_lint.index.resolve import (
    ClassAt,
    External,
    Framework,
    Resolved,
    Scope,
    resolve,
    resolve_import,
    resolve_module,
)
from thena_lint.rewrite.context import FixContext
from thena_lint.rewrite.region import Region, indentation_at, is_alone, line_start, next_line
from thena_lint.source.text import SourceText
from thena_lint.summary.expressions import Name
from thena_lint.summary.facts import ClassFacts, Import
from thena_lint.summary.spans import positions_in

_FUTURE: Final = "__future__"


@frozen
class Named:
    """What something is called, and the edits that make it so."""

    name: str
    edits: tuple[Edit, ...] = ()


@frozen
class _Imported:
    """An import among those at the top of a file. `module` is empty for `import a, b`."""

    region: Region
    level: int
    module: str
    node: libcst.ImportFrom | libcst.Import


def name_in_framework(context: FixContext, region: Region, name: str) -> Named | None:
    """What a public name of the framework is called above a statement."""
    known = _known(context, region, Framework(name))
    if known is not None:
        return known
    module = _known(context, region, Framework(""))
    if module is not None:
        return Named(f"{module.name}.{name}")
    return _imported(context, region, Import(module=vocabulary.PACKAGE, name=name), Framework(name))


def name_of_module(context: FixContext, region: Region, module: str) -> Named | None:
    """What a module of the standard library is called above a statement."""
    known = _known(context, region, External(module))
    return known or _imported(context, region, Import(module=module), External(module))


def name_of_class(context: FixContext, region: Region, at: ClassAt) -> Named | None:
    """What a class of the project is called above a statement; `None` where it can't be had there."""
    outer, _, inner = at.facts.qualname.partition(".")
    file = context.index.file(at.file)
    facts = None if file is None or file.facts is None else file.facts.names.get(outer)
    if not isinstance(facts, ClassFacts):
        return None
    wanted = ClassAt(at.file, facts)
    known = _known(context, region, wanted) or _import_of(context, region, wanted)
    return known if known is None or not inner else Named(f"{known.name}.{inner}", known.edits)


def moved_to_run_time(context: FixContext, region: Region, module: str, level: int, name: str) -> Edit | None:
    """The import of a name that a statement imports for type checkers; `None` where it goes in a circle."""
    path = region.source.path
    meant = resolve_import(context.index, path, Import(module=module, name=name, level=level))
    match meant:
        case ClassAt(file=file) if _reaches(context, region, file):
            return None
        case ClassAt() | External() | Framework():
            spelt = Import(module=module, name=name, level=level)
            return _merged(region, spelt) or _new_line(region, spelt)
    return None


def _reaches(context: FixContext, region: Region, file: Path) -> bool:
    """Say whether importing a file imports the one of a statement, whose own packages are imported before it anyway."""
    path = region.source.path
    around = {folder / "__init__.py" for folder in path.parents} - {file}
    return path in reached_from(context.index, file, context.index.module_of(path).root, leaving_out=around)


def _import_of(context: FixContext, region: Region, wanted: ClassAt) -> Named | None:
    if wanted.file == region.source.path:
        return None
    name = wanted.facts.qualname
    for one in _imports(region):
        spelt = Import(module=one.module, name=name, level=one.level)
        is_given = _is(resolve_import(context.index, region.source.path, spelt), wanted)
        if isinstance(one.node, libcst.ImportFrom) and is_given and _belongs_to(context, region, spelt, wanted):
            return _imported(context, region, spelt, wanted)
    if _reaches(context, region, wanted.file):
        return None
    for spelt in _spellings(context, region, wanted):
        if _is(resolve_import(context.index, region.source.path, spelt), wanted):
            return _imported(context, region, spelt, wanted)
    return None


def _belongs_to(context: FixContext, region: Region, spelt: Import, wanted: ClassAt) -> bool:
    """Say whether a class is of the module that is imported from, or of a package that hands it on."""
    module = resolve_module(context.index, region.source.path, spelt.module, spelt.level)
    if not isinstance(module, ModuleAt) or module.file is None:
        return False
    is_package_around = module.file.parent == module.location and module.location in wanted.file.parents
    return module.file == wanted.file or is_package_around


def _spellings(context: FixContext, region: Region, wanted: ClassAt) -> Sequence[Import]:
    """How an import of a class may be written, in the manner of the file first."""
    here, there = context.index.module_of(region.source.path), context.index.module_of(wanted.file)
    name = wanted.facts.qualname
    absolute = Import(module=there.dotted, name=name)
    package = here.dotted.split(".")[: None if region.source.path.stem == "__init__" else -1]
    if not package or here.root != there.root or here.first != there.first:
        return (absolute,)
    parts = there.dotted.split(".")
    common = next((i for i, pair in enumerate(zip(package, parts, strict=False)) if pair[0] != pair[1]), None)
    shared = min(len(package), len(parts)) if common is None else common
    relative = Import(module=".".join(parts[shared:]), name=name, level=len(package) - shared + 1)
    is_relative = any(one.level for one in _imports(region))
    return (relative, absolute) if is_relative else (absolute, relative)


def _known(context: FixContext, region: Region, wanted: Resolved) -> Named | None:
    """The name by which something is known above a statement."""
    file = context.file(region.source.path)
    if file is None or file.facts is None:
        return None
    positions = positions_in(region.source)
    for name in _names(file, wanted):
        bound = positions.bound(name)
        is_below = bound is not None and bound.statement >= region.statement
        is_there = name not in file.facts.for_types and name not in file.facts.unsure
        if is_there and not is_below and _is(resolve(context.index, Scope(file.path), Name(name)), wanted):
            return Named(name)
    return None


def _names(file: IndexedFile, wanted: Resolved) -> Iterator[str]:
    """The names of a file that may stand for something, its own name first."""
    match wanted:
        case Framework(name=name) if name:
            yield name
        case ClassAt(facts=facts):
            yield facts.qualname
        case External(dotted=dotted):
            yield dotted
    names = {} if file.facts is None else file.facts.names
    yield from (name for name, binding in names.items() if isinstance(binding, Import | ClassFacts))


def _is(found: Resolved, wanted: Resolved) -> bool:
    return found.key == wanted.key if isinstance(found, ClassAt) and isinstance(wanted, ClassAt) else found == wanted


def _imported(context: FixContext, region: Region, wanted: Import, meant: Resolved) -> Named | None:
    """The edit that imports a name at the top of a file, if the name is free there."""
    file = context.file(region.source.path)
    name = wanted.name or wanted.module
    if file is None or file.facts is None or name in file.facts.names or _is_of_python(context, region, name):
        return None
    merged = None if wanted.name is None else _merged(region, wanted)
    return Named(name, (merged or _new_line(region, wanted),))


def _is_of_python(context: FixContext, region: Region, name: str) -> bool:
    found = resolve(context.index, Scope(region.source.path), Name(name))
    return isinstance(found, External)


def _merged(region: Region, wanted: Import) -> Edit | None:
    """The name among those that are imported from the module already."""
    for one in _imports(region):
        node = one.node
        if (one.level, one.module) != (wanted.level, wanted.module) or not isinstance(node, libcst.ImportFrom):
            continue
        if isinstance(node.names, libcst.ImportStar):
            continue
        return _among(one.region, node.names, str(wanted.name))
    return None


def _among(region: Region, names: Sequence[libcst.ImportAlias], name: str) -> Edit:
    """A name where it belongs among sorted ones; at the end of others."""
    keys = [_order(get_full_name_for_node(one.name) or "") for one in names]
    after = next((one for one, key in zip(names, keys, strict=True) if key > _order(name)), None)
    beside = names[-1] if after is None or keys != sorted(keys) else after
    start, end = region.start(beside), region.end(beside)
    text = region.source.text
    between = f"\n{indentation_at(text, start)}" if is_alone(text, start, end) else " "
    if beside is after:
        return region.insert(start, f"{name},{between}")
    return region.insert(_alias_end(region, beside), f",{between}{name}")


def _alias_end(region: Region, one: libcst.ImportAlias) -> int:
    return region.end(one.name if one.asname is None else one.asname.name)


def _order(name: str) -> tuple[int, str]:
    """Constants before classes before all else, as imports are sorted by most."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, name.lower()


def _new_line(region: Region, wanted: Import) -> Edit:
    """An import of its own, where it belongs among those at the top of the file."""
    source = region.source
    spelt = "." * wanted.level + wanted.module
    line = f"import {spelt}" if wanted.name is None else f"from {spelt} import {wanted.name}"
    every = [one for one in _imports(region) if one.module != _FUTURE]
    if not every:
        return _below(source, _last_of_head(region), f"{line}\n", is_apart=True)
    group, before = _group(every, wanted)
    if not group:
        return _above(every[0], f"{line}\n\n") if before else _below(source, every[-1].region, f"{line}\n")
    following = next((one for one in group if _sorted_by(one) > (wanted.name is not None, spelt.lower())), None)
    if following is not None and not _has_comment(following):
        return _above(following, f"{line}\n")
    return _below(source, group[-1].region, f"{line}\n")


def _group(every: Sequence[_Imported], wanted: Import) -> tuple[Sequence[_Imported], bool]:
    """The imports among which a new one belongs; if there are none, whether it belongs before them all."""
    first = wanted.module.partition(".")[0]
    if wanted.level:
        return [one for one in every if one.level], False
    akin = [one for one in every if not one.level and _roots(one) == {first}]
    if akin and first not in sys.stdlib_module_names:
        return akin, False
    if first in sys.stdlib_module_names:
        group = [one for one in every if not one.level and _roots(one) <= sys.stdlib_module_names]
        return group, True
    groups: list[list[_Imported]] = []
    for one in every:
        if groups and not _is_apart(groups[-1][-1], one):
            groups[-1].append(one)
        else:
            groups.append([one])
    absolute = [group for group in groups if not any(one.level for one in group)]
    others = [group for group in absolute if not all(_roots(one) <= sys.stdlib_module_names for one in group)]
    return (others[-1] if others else ()), False


def _roots(one: _Imported) -> frozenset[str]:
    if isinstance(one.node, libcst.ImportFrom):
        return frozenset({one.module.partition(".")[0]})
    names = (get_full_name_for_node(alias.name) or "" for alias in one.node.names)
    return frozenset(name.partition(".")[0] for name in names)


def _is_apart(one: _Imported, other: _Imported) -> bool:
    """Say whether an empty line stands between two imports."""
    text = one.region.source.text
    between = text[one.region.end(one.region.tree) : other.region.start(other.region.tree)]
    return any(not line.strip() for line in between.replace("\r\n", "\n").replace("\r", "\n").split("\n")[1:-1])


def _sorted_by(one: _Imported) -> tuple[bool, str]:
    if isinstance(one.node, libcst.ImportFrom):
        return True, ("." * one.level + one.module).lower()
    return False, (get_full_name_for_node(one.node.names[0].name) or "").lower()


def _has_comment(one: _Imported) -> bool:
    lines = getattr(one.region.tree, "leading_lines", ())
    return any(line.comment is not None for line in lines)


def _above(one: _Imported, text: str) -> Edit:
    return one.region.insert(line_start(one.region.source.text, one.region.start(one.region.tree)), text)


def _below(source: SourceText, region: Region | None, text: str, *, is_apart: bool = False) -> Edit:
    """Lines below a statement; without one at the top of the file."""
    if region is None:
        return Region(source, 0).insert(_first_line_of_code(source.text), text + ("\n" if is_apart else ""))
    end = region.end(region.tree)
    at = next_line(source.text, end)
    if at == len(source.text) and not source.text.endswith(("\n", "\r")):
        text = f"\n{text}"
    return region.insert(at, f"\n{text}" if is_apart else text)


def _first_line_of_code(text: str) -> int:
    """Behind what is only there for the system and the interpreter: a `#!`, a coding comment."""
    at = 0
    while text.startswith("#", at) and next_line(text, at) < len(text):
        at = next_line(text, at)
    return at


def _imports(region: Region) -> Iterator[_Imported]:
    """The imports that begin a file, above a statement."""
    source = region.source
    for number, statement in enumerate(positions_in(source).statements[: region.statement]):
        match statement:
            case libcst.SimpleStatementLine(body=[libcst.ImportFrom() as node]):
                module = "" if node.module is None else get_full_name_for_node(node.module) or ""
                yield _Imported(Region(source, number), len(node.relative), module, node)
            case libcst.SimpleStatementLine(body=[libcst.Import() as node]):
                yield _Imported(Region(source, number), 0, "", node)
            case _ if number and not _is_docstring(statement):
                return


def _last_of_head(region: Region) -> Region | None:
    """The docstring, or the last import of `__future__`, whichever comes last."""
    last = None
    for number, statement in enumerate(positions_in(region.source).statements[: region.statement]):
        match statement:
            case libcst.SimpleStatementLine(body=[libcst.ImportFrom(module=libcst.Name(value="__future__"))]):
                last = number
            case _ if number == 0 and _is_docstring(statement):
                last = number
    return None if last is None else Region(region.source, last)


def _is_docstring(statement: libcst.CSTNode) -> bool:
    match statement:
        case libcst.SimpleStatementLine(body=[libcst.Expr(value=libcst.SimpleString() | libcst.ConcatenatedString())]):
            return True
    return False
