"""THN211: a name is imported for type checkers alone, and is needed when the app is made."""

from collections.abc import Iterator

import libcst

from thena_contract.rules.annotation_unresolvable import AnnotationUnresolvable
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Edit, Fix
from thena_lint.rewrite.context import FixContext
from thena_lint.rewrite.imports import moved_to_run_time
from thena_lint.rewrite.region import Region, line_start, lines_around, next_line


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Import it at run time, where that imports nothing in a circle."""
    asking = context.asking(one)
    if asking is None or not isinstance(one.fault, AnnotationUnresolvable):
        return
    name = one.fault.missing.partition(".")[0]
    region = context.statement(asking.source.path, name)
    found = None if region is None else _import(region.tree, name)
    if region is None or found is None or region.statement >= asking.statement:
        return
    block_body, line, imported, alias = found
    new = moved_to_run_time(context, region, _dotted(imported.module), len(imported.relative), name)
    gone = _without(region, block_body, line, imported, alias)
    if new is not None and gone is not None:
        yield Fix(title=f"Import `{name}` at run time", applicability=Applicability.SAFE, edits=(new, gone))


def _import(
    tree: libcst.CSTNode, name: str
) -> tuple[libcst.BaseSuite, libcst.SimpleStatementLine, libcst.ImportFrom, libcst.ImportAlias] | None:
    """The import of a name in a block that has nothing else in another branch."""
    if not isinstance(tree, libcst.If) or tree.orelse is not None:
        return None
    for line in tree.body.body:
        match line:
            case libcst.SimpleStatementLine(body=[libcst.ImportFrom() as node]) if not isinstance(
                node.names, libcst.ImportStar
            ):
                for alias in node.names:
                    if alias.asname is None and alias.evaluated_name == name:
                        return tree.body, line, node, alias
    return None


def _dotted(module: libcst.Attribute | libcst.Name | None) -> str:
    match module:
        case libcst.Attribute(value=libcst.Attribute() | libcst.Name() as value, attr=attr):
            return f"{_dotted(value)}.{attr.value}"
        case libcst.Name(value=name):
            return name
    return ""


def _without(
    region: Region,
    block: libcst.BaseSuite,
    line: libcst.SimpleStatementLine,
    imported: libcst.ImportFrom,
    alias: libcst.ImportAlias,
) -> Edit | None:
    """The name, its import or the whole block goes: whatever is empty without it."""
    text = region.source.text
    names = imported.names
    assert not isinstance(names, libcst.ImportStar), "it names what it imports"
    if len(names) > 1:
        number = next(n for n, one in enumerate(names) if one is alias)
        start, end = region.start(alias), region.start(names[1])
        if number:
            start, end = region.end(names[number - 1]), region.end(alias)
        return None if "#" in text[start:end] else region.edit(start, end, "")
    if len(block.body) > 1:
        return region.edit(*lines_around(text, region.start(line), region.end(line)), "")
    start, end = lines_around(text, region.start(region.tree), region.end(region.tree))
    return None if "#" in text[start:end] else region.edit(*_with_a_line_below(text, start, end), "")


def _with_a_line_below(text: str, start: int, end: int) -> tuple[int, int]:
    """The lines of a block, and an empty one that only stands there because of it."""
    is_empty_above = start > 0 and not text[line_start(text, start - 1) : start].strip()
    is_empty_below = end < len(text) and not text[end : next_line(text, end)].strip()
    return start, next_line(text, end) if is_empty_above and is_empty_below else end
