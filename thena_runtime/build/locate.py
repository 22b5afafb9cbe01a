"""Where an anchor stands: its file and line, looked up in the source only once there is something to report.

An option written elsewhere (`steps=STEPS`) is found as far as the decorator goes: the nearest line that is known.
"""

import ast
import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias, TypeGuard

from thena_contract.anchor import Anchor, Ref
from thena_runtime.build.describe import defining_file
from thena_runtime.errors import Location

_Definition: TypeAlias = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def locate(anchors: Iterable[Anchor], objects: Mapping[Ref, object]) -> dict[Anchor, Location]:
    """Find each anchor whose class or function has a source file that can be read."""
    trees: dict[Path, ast.Module | None] = {}
    found = {}
    for anchor in anchors:
        thing = objects.get(anchor.declaration)
        path = None if thing is None else _file(thing)
        if path is None:
            continue
        if path not in trees:
            trees[path] = _tree(path)
        tree = trees[path]
        definition = None if tree is None else _definition(tree, anchor.declaration.qualname.split("."))
        if definition is not None:
            found[anchor] = Location(str(path), _line(definition, anchor.path))
    return found


def _file(thing: object) -> Path | None:
    if isinstance(thing, type):
        return defining_file(thing)
    code = getattr(inspect.unwrap(thing) if callable(thing) else thing, "__code__", None)
    return None if code is None else Path(code.co_filename)


def _tree(path: Path) -> ast.Module | None:
    try:
        return ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None


def _definition(tree: ast.Module, names: list[str]) -> _Definition | None:
    """Follow a qualified name; of two classes of one name the last counts, as it does for Python."""
    wanted = [name for name in names if name != "<locals>"]
    inside: ast.AST = tree
    for name in wanted:
        candidates = [
            node
            for node in ast.walk(inside)
            if isinstance(node, _DEFINITIONS) and node.name == name and node is not inside
        ]
        if not candidates:
            return None
        inside = candidates[-1]
    return inside if isinstance(inside, _DEFINITIONS) else None


_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def _line(definition: _Definition, path: tuple[str | int, ...]) -> int:
    if path[:1] == ("option",):
        return _option_line(definition, path[1:])
    if path[:1] == ("method",):
        return _parameter_line(definition, path[1:])
    if path[:1] == ("field",):
        return _field_line(definition, path[1])
    return definition.lineno


def _option_line(definition: _Definition, path: tuple[str | int, ...]) -> int:
    node: ast.expr | None = next((each for each in definition.decorator_list if _part(each, path[0])), None)
    line = definition.lineno
    for part in path:
        if node is None:
            break
        line = node.lineno
        node = _part(node, part)
    return line if node is None else node.lineno


def _part(node: ast.expr, part: str | int) -> ast.expr | None:
    if isinstance(part, int):
        entries = node.elts if isinstance(node, ast.List | ast.Tuple) else []
        return entries[part] if part < len(entries) else None
    if isinstance(node, ast.Call):
        by_keyword = next((each.value for each in node.keywords if each.arg == part), None)
        return by_keyword or (node.args[0] if part == "steps" and node.args else None)
    return None


def _parameter_line(definition: _Definition, path: tuple[str | int, ...]) -> int:
    method, *rest = path
    name = rest[0] if rest else None
    functions = [definition] if _is_function(definition) else [each for each in definition.body if _is_function(each)]
    # Of two functions of one name the last counts, as it does for Python.
    function = next((each for each in reversed(functions) if each is definition or each.name == method), None)
    if function is not None:
        spec = function.args
        every = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, spec.vararg, spec.kwarg]
        return next((each.lineno for each in every if each is not None and each.arg == name), function.lineno)
    # A generated constructor: the parameter is a field. Or something that isn't defined, but set.
    return _field_line(definition, method if name is None else name)


def _field_line(definition: _Definition, name: str | int) -> int:
    """The line of `name: annotation` or `name = value` in a class body."""
    for each in definition.body:
        targets = (
            each.targets if isinstance(each, ast.Assign) else [each.target] if isinstance(each, ast.AnnAssign) else []
        )
        # attrs lets a field be private whose parameter isn't.
        if any(isinstance(target, ast.Name) and name in (target.id, target.id.lstrip("_")) for target in targets):
            return each.lineno
    return definition.lineno


def _is_function(node: ast.AST) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
