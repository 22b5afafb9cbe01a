"""Real code, broken as it is while somebody types it or merges it; and what of it should be seen all the same."""

import ast
import io
import random
import re
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from thena_lint.source.parse import Problem, parse, python_tree

_TYPED: Final = (
    *("@Agent(", "@Workflow(steps=[A, ", "def half(", "async def execute(self, ", "class A(", "class Half", "x = f("),
    *("if x", "for a in ", "from x import ", "import ", "self.", "return [", "lambda x", "x: Annotated[", "with f("),
    *("x = {", "except", "steps = [A, ", "print(f'{", "x = [1,", "await ", "def", "x ==", "try", "x.y(a, "),
)
_TOKENS: Final = ("(", ")", "[", "]", "{", "}", ":", "=", ",", ".", "def ", "if ", '"', "'", "@")
_STRAYS: Final = ("$", "?", "!", "`", "\u00b6", "\u2018", "->", "\\")
_QUOTES: Final = '"""'
_HEAD: Final = re.compile(r"\s*(?:async\s+)?(?:class|def|if|for|while|with|try|else|elif|except|finally)\b.*:\s*$")

Lines = list[str]
Definition = tuple[str, int]
"""The qualified name of a class or function, and the line (from 1) of its `class` or `def`."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of some lines: those from `first` up to `after` (indexes) are replaced."""

    first: int
    after: int
    lines: Sequence[str]

    def moved(self, line: int) -> int:
        """The line (from 1) on which a line that isn't touched is afterwards."""
        return line + len(self.lines) - (self.after - self.first) if line > self.after else line

    def touches(self, first: int, last: int) -> bool:
        """Say whether what stands on these lines (from 1, inclusive) is touched, or something is put before it."""
        return first <= max(self.after, self.first + 1) and self.first + 1 <= last


@dataclass(frozen=True, slots=True)
class Broken:
    """A text that isn't Python any more, how it was broken, and what should still be seen.

    `others` are the definitions of the top level that the edit doesn't touch. `members` are the methods of the class
    that it touches, without the one that it touches itself. The statement that it touches, or of a class the member or
    the head, is on the lines of `piece` (from 1, inclusive).
    """

    kind: str
    text: str
    edit: Edit
    others: frozenset[Definition]
    members: frozenset[Definition]
    piece: tuple[int, int]


def breakages(text: str, count: int, choice: random.Random) -> Iterator[Broken]:
    """Break a text in so many ways, each alone; fewer where it takes too many tries."""
    tree = python_tree(text)
    if tree is None or "\r" in text or "\f" in text:
        return
    lines, made = text.split("\n"), 0
    for _ in range(count * 12):
        kind = choice.choice(tuple(KINDS))
        edit = KINDS[kind](list(lines), choice)
        if edit is None:
            continue
        broken = "\n".join((*lines[: edit.first], *edit.lines, *lines[edit.after :]))
        if isinstance(parse(broken), Problem):
            end = len(lines) if _closes(lines, edit) else edit.first
            piece = _piece(tree, edit, len(lines) if end == edit.first else None)
            yield Broken(kind, broken, edit, *_expected(tree, edit, end), piece)
            made += 1
            if made == count:
                return


def typings(text: str, count: int, choice: random.Random) -> Iterator[tuple[str, str, int]]:
    """A text without a member of a class, the same where that is being typed, and the line (from 1) where.

    Up to `count` of them. Only what another statement can stand beside is left out, so that the first text parses.
    """
    tree = python_tree(text)
    lines = text.split("\n")
    owners = [] if tree is None else [one for one in tree.body if isinstance(one, ast.ClassDef)]
    members = [one for owner in owners for one in owner.body if isinstance(one, (*_DEFINITIONS, ast.AnnAssign))]
    for one in choice.sample(members, min(count, len(members))):
        first, after = _first_line(one) - 1, one.end_lineno or 1
        code = lines[first:after]
        row = choice.randrange(len(code))
        begun = [*code[:row], code[row][: choice.randint(len(_indent(code[row])) + 1, max(len(code[row]), 5))]]
        without = [*lines[:first], f"{_indent(code[0])}pass", *lines[after:]]
        half = "\n".join((*without[: first + 1], *begun, *without[first + 1 :]))
        if isinstance(parse(half), Problem):
            yield "\n".join(without), half, first + 1


def definitions(tree: ast.Module) -> set[Definition]:
    """The classes and functions of the top level, and the methods of those classes."""
    top = [one for one in tree.body if isinstance(one, _DEFINITIONS)]
    return {(one.name, one.lineno) for one in top} | {each for one in top for each in _methods(one)}


_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _methods(one: _Definition) -> Iterator[Definition]:
    if isinstance(one, ast.ClassDef):
        yield from ((f"{one.name}.{inner.name}", inner.lineno) for inner in one.body if isinstance(inner, _DEFINITIONS))


def _closes(lines: Lines, edit: Edit) -> bool:
    """Say whether code follows below: not where a string is begun that nothing closes."""
    return edit.first < edit.after or _QUOTES not in edit.lines[0] or any(_QUOTES in one for one in lines[edit.after :])


def _expected(tree: ast.Module, edit: Edit, end: int) -> tuple[frozenset[Definition], frozenset[Definition]]:
    top = [one for one in tree.body if isinstance(one, _DEFINITIONS) and one.lineno <= end]
    touched = [one for one in top if _is_touched(one, edit)]
    members = [
        (f"{one.name}.{inner.name}", inner)
        for one in touched
        for inner in one.body
        if isinstance(one, ast.ClassDef) and isinstance(inner, _DEFINITIONS)
        if inner.lineno <= end and not _is_touched(inner, edit)
    ]
    return (
        frozenset((one.name, edit.moved(one.lineno)) for one in top if one not in touched),
        frozenset((name, edit.moved(inner.lineno)) for name, inner in members),
    )


def _piece(tree: ast.Module, edit: Edit, end: int | None) -> tuple[int, int]:
    """The lines of what an edit touches, as they are afterwards."""
    ranges = [(edit.first + 1, edit.first + max(1, len(edit.lines)))]
    for first, last in _pieces(tree.body):
        if edit.touches(first, last):
            ranges.append((min(first, edit.first + 1), max(edit.moved(last), edit.first + len(edit.lines))))
    if end is not None:
        ranges.append((edit.first + 1, end + len(edit.lines)))
    return min(first for first, _ in ranges), max(last for _, last in ranges)


def _pieces(body: Sequence[ast.stmt]) -> Iterator[tuple[int, int]]:
    """The lines of every statement, of a class those of its head and of every member."""
    for one in body:
        first = _first_line(one)
        if isinstance(one, ast.ClassDef):
            yield first, max(one.lineno, _first_line(one.body[0]) - 1)
            yield from _pieces(one.body)
        else:
            yield first, one.end_lineno or first


def _first_line(one: ast.stmt) -> int:
    decorators = one.decorator_list if isinstance(one, _DEFINITIONS) else []
    return min([one.lineno, *(decorator.lineno for decorator in decorators)])


def _is_touched(one: _Definition, edit: Edit) -> bool:
    first = _first_line(one)
    return edit.touches(first, one.end_lineno or first)


# -- the ways to break it


def _code_line(lines: Lines, choice: random.Random) -> int | None:
    found = [number for number, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    return choice.choice(found) if found else None


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _typed(lines: Lines, choice: random.Random) -> Edit | None:
    """A line is begun above another."""
    at = _code_line(lines, choice)
    return None if at is None else Edit(at, at, [_indent(lines[at]) + choice.choice(_TYPED)])


def _cut(lines: Lines, choice: random.Random) -> Edit | None:
    """The rest of a line isn't there yet."""
    at = _code_line(lines, choice)
    if at is None or len(lines[at].strip()) < 3:
        return None
    return Edit(at, at + 1, [lines[at][: choice.randrange(len(_indent(lines[at])) + 1, len(lines[at]))]])


def _deleted_line(lines: Lines, choice: random.Random) -> Edit | None:
    at = _code_line(lines, choice)
    return None if at is None else Edit(at, at + 1, [])


def _deleted_token(lines: Lines, choice: random.Random) -> Edit | None:
    token = _token(lines, choice)
    if token is None:
        return None
    row, line = token.start[0] - 1, lines[token.start[0] - 1]
    return Edit(row, row + 1, [line[: token.start[1]] + line[token.end[1] :]])


def _inserted_token(lines: Lines, choice: random.Random) -> Edit | None:
    token = _token(lines, choice)
    if token is None:
        return None
    row, line = token.start[0] - 1, lines[token.start[0] - 1]
    return Edit(row, row + 1, [f"{line[: token.start[1]]}{choice.choice(_TOKENS)} {line[token.start[1] :]}"])


def _token(lines: Lines, choice: random.Random) -> tokenize.TokenInfo | None:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO("\n".join(lines)).readline))
    except (tokenize.TokenError, SyntaxError):
        return None
    kinds = (tokenize.NAME, tokenize.OP, tokenize.STRING, tokenize.NUMBER)
    found = [one for one in tokens if one.type in kinds and one.start[0] == one.end[0]]
    return choice.choice(found) if found else None


def _bracket(lines: Lines, choice: random.Random) -> Edit | None:
    """A bracket isn't closed yet, or a closed one isn't open."""
    found = [number for number, line in enumerate(lines) if re.search(r"[()\[\]{}]", line)]
    if not found:
        return None
    at = choice.choice(found)
    one = choice.choice(list(re.finditer(r"[()\[\]{}]", lines[at])))
    return Edit(at, at + 1, [lines[at][: one.start()] + lines[at][one.end() :]])


def _string(lines: Lines, choice: random.Random) -> Edit | None:
    """A string is begun on a line of its own."""
    at = _code_line(lines, choice)
    return None if at is None else Edit(at, at, [_indent(lines[at]) + choice.choice(('x = "', "x = f'{a}", "x = '"))])


def _long_string(lines: Lines, choice: random.Random) -> Edit | None:
    """A string of many lines is begun."""
    at = _code_line(lines, choice)
    return None if at is None else Edit(at, at, [_indent(lines[at]) + f"x = {_QUOTES}"])


def _colon(lines: Lines, choice: random.Random) -> Edit | None:
    """The colon of a block's head isn't there."""
    found = [number for number, line in enumerate(lines) if _HEAD.match(line)]
    at = choice.choice(found) if found else None
    return None if at is None else Edit(at, at + 1, [lines[at].rstrip()[:-1]])


def _body(lines: Lines, choice: random.Random) -> Edit | None:
    """A block's head has no body yet."""
    found = [number for number, line in enumerate(lines[:-1]) if _HEAD.match(line)]
    if not found:
        return None
    at = choice.choice(found)
    after = at + 1
    while after < len(lines) and (not lines[after].strip() or len(_indent(lines[after])) > len(_indent(lines[at]))):
        after += 1
    while after > at + 1 and not lines[after - 1].strip():
        after -= 1
    return Edit(at, after, [lines[at]])


def _stray(lines: Lines, choice: random.Random) -> Edit | None:
    """A character that belongs nowhere."""
    at = _code_line(lines, choice)
    if at is None:
        return None
    column = choice.randrange(len(_indent(lines[at])), len(lines[at]) + 1)
    return Edit(at, at + 1, [lines[at][:column] + choice.choice(_STRAYS) + lines[at][column:]])


def _indentation(lines: Lines, choice: random.Random) -> Edit | None:
    """A line is drawn in or out."""
    at = _code_line(lines, choice)
    if at is None:
        return None
    spaces = max(0, len(_indent(lines[at])) + choice.choice((-4, -2, -1, 1, 2, 4)))
    return Edit(at, at + 1, [" " * spaces + lines[at].lstrip()])


def _merge(lines: Lines, choice: random.Random) -> Edit | None:
    """Somebody else has changed the same lines."""
    at = _code_line(lines, choice)
    if at is None:
        return None
    after = min(len(lines), at + choice.randrange(1, 5))
    ours = lines[at:after]
    theirs = [line.replace("e", "a", 1) if choice.random() < 0.5 else line for line in ours]
    return Edit(at, after, ["<<<<<<< HEAD", *ours, "=======", *theirs, ">>>>>>> other"])


KINDS: Final[dict[str, Callable[[Lines, random.Random], Edit | None]]] = {
    "a line is typed": _typed,
    "a line is cut": _cut,
    "a line is deleted": _deleted_line,
    "a token is deleted": _deleted_token,
    "a token is inserted": _inserted_token,
    "a bracket is missing": _bracket,
    "a string is open": _string,
    "a long string is open": _long_string,
    "a colon is missing": _colon,
    "a body is missing": _body,
    "a character is stray": _stray,
    "a line is drawn in or out": _indentation,
    "a merge isn't settled": _merge,
}
