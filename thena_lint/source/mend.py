"""A text that doesn't parse -> one that does, with the same lines: what is broken is blank, the rest is untouched.

The text is cut where a statement begins in the first column, and each piece is parsed alone. A class that doesn't parse
is cut in the same way where its members begin. So half-typed code hides nothing but the statement it stands in: of a
class that member, or its head, which is then written without all that could be wrong with it. Names that a broken
statement would bind are told, as nothing is known of them.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from thena_contract.frozen import frozen
from thena_lint.source.cuts import cut
from thena_lint.source.merges import settled
from thena_lint.source.parse import OPEN_STRING, Problem, SyntaxProblem, parse, stands_alone, whole_pieces
from thena_lint.source.pieces import end_of, lines_of

_STRAY: Final = "?"
"""Put before a line, it is no Python, and begins no statement that is."""

_DECORATOR: Final = re.compile(r"@")
_DEFINES: Final = re.compile(r"(?:async\s+)?(?:class|def|type)\s+(\w+)")
_IMPORTS: Final = re.compile(r"(?:from\s.*?\s)?import\b(.*)", re.DOTALL)
_FROM: Final = re.compile(r"from\b")
_ASSIGNS: Final = re.compile(r"([\w\s,.()\[\]*]+?)\s*[:=]")
_BEGINS: Final = re.compile(r"([^\W\d]\w*)\s*(?:[^\s\w(:]|$)")
_NAMES: Final = re.compile(r"(?:async\s+)?(?:class|def)\s+\w+\s*[(:\[]|@")
_NAMES_NOTHING: Final = re.compile(r"@|(?:async|class|def|from|if|import)\b")
"""What may be going to bind something, without saying yet what."""

_SETS: Final = re.compile(r"\s+\w+\.(\w*)\s*(?:[:=,]|$)")
_WORD: Final = re.compile(r"[^\W\d]\w*")
_NAMED_CLASS: Final = re.compile(r"class\s+([^\W\d]\w*)")
_BLOCK: Final = re.compile(r"(?:async|def|elif|else|except|finally|for|if|match|try|while|with)\b")
_INDENTED: Final = re.compile(r"([ \t]+)[^\s#]")
_METHOD: Final = re.compile(r"([ \t]+)(?:@|(?:async\s+)?def\b|class\b)")
_MEMBER: Final = re.compile(r"[ \t]+(?:@|(?:async\s+)?def\b|class\b|\w+\s*:\s*\S)")
_HEAD_ENDS: Final = re.compile(r".*:\s*(?:#.*)?$")
_NO_CODE: Final = re.compile(r"\s*(?:#|$)")
_CLOSING: Final = (")", "]", "}")

_INSIDE: Final = (*_CLOSING, *" \t#\r\n")
_BEFORE_CODE: Final = re.compile(rf"^(?!\{_STRAY})[^\w@]+")
"""What no statement begins with, typed by mistake or for something else to come."""

_LONGEST_HEAD: Final = 20
"""How many lines the head of a class may have, without its decorators."""

STAR: Final = "*"
"""Stands among names for all that a star import would bind."""


@frozen
class Mended:
    """A text that parses, the names whose statements were blanked, and all words in what was blanked.

    What those words name may have been changed in place there. Names are qualified. One of a class that is still there
    says that its head was blanked. The `torn` classes are still there too, but not all of their bodies: what was
    blanked may have bound more than the names that are told: any name in an `open` one, where a statement doesn't say
    yet which it is about, and the `attributes` that are set there. What is `doubtful` is whole, and may be decorated by
    more.
    """

    text: str
    lost: frozenset[str]
    words: frozenset[str] = frozenset()
    torn: frozenset[str] = frozenset()
    open: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    doubtful: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Gaps:
    """What is blanked. It belongs to one mending, which alone adds to it."""

    is_deep: bool
    """Whether of a class only what has to be is blanked."""

    known: frozenset[str] = frozenset()
    """The classes that there were before."""

    missing: str | None = None
    """The one of them that isn't there any more, if it is one: a head that can't be recognized is taken to be its."""

    lost: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    torn: set[str] = field(default_factory=set)
    open: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    doubtful: set[str] = field(default_factory=set)

    def lose_head(self, name: str, lines: Sequence[str], prefix: str) -> None:
        """Take note of a class whose head or decorators go."""
        self.lost.add(prefix + name)
        self.words.update(_words(lines))

    def blank(self, lines: Sequence[str], prefix: str, end: int) -> Iterator[str]:
        """Take note of lines that go, and give what is left of them. Those from `end` on are text."""
        self.lose(lines, prefix)
        self.open_up(lines[:end], prefix)
        return map(end_of, lines)

    def lose(self, lines: Sequence[str], prefix: str) -> None:
        """Take note of lines that go, or that only the other side of a merge has."""
        self.lost.update(prefix + name for name in _names(lines))
        self.words.update(_words(lines))

    def open_up(self, lines: Sequence[str], prefix: str) -> None:
        """Take note of which classes may get what from lines that go."""
        owner = prefix.removesuffix(".")
        if any(map(_INDENTED.match, lines)):
            self.open.update(prefix + found[1] for found in map(_NAMED_CLASS.match, lines) if found is not None)
        if owner and not _may_bind_anything(lines):
            attributes = {found[1] for found in map(_SETS.match, lines) if found is not None}
            self.attributes.update(prefix + name for name in attributes)
        elif owner:
            self.open.add(owner)


@frozen
class _Chunk:
    """Lines that belong together, and whether they parse. Those from `end` on are text, as a string is never closed.

    Of a merge that isn't settled these are the lines of one side; `others` are those of the other.
    """

    lines: Sequence[str]
    others: Sequence[str | None]
    end: int
    is_whole: bool
    is_open: bool = False
    """Whether what decorates it may be in a chunk above that doesn't parse."""

    own: int | None = None
    """How many lines certainly belong to it; `None` for all."""

    @property
    def defines(self) -> bool:
        """Whether it is a class or function, among other things."""
        return _defines(self.lines)

    @property
    def is_disputed(self) -> bool:
        """Whether two sides of a merge have it in different ways; what only the other has below it is no part of it."""
        if self.others.count(None) == len(self.others):
            return False
        first = next(number for number, other in enumerate(self.others) if other is not None)
        return any(not _NO_CODE.match(line) for line in self.lines[first:]) or any(map(_INDENTED.match, self.added))

    @property
    def is_added(self) -> bool:
        """Whether there is nothing of it outside of a merge."""
        pairs = zip(self.lines, self.others, strict=True)
        return self.is_disputed and all(other is not None or _NO_CODE.match(line) for line, other in pairs)

    @property
    def added(self) -> list[str]:
        """What the other side of a merge has."""
        return list(filter(None, self.others))

    def with_more(self, lines: Sequence[str], others: Sequence[str | None], end: int) -> "_Chunk":
        """This chunk, and what was written into its body."""
        count = len(self.lines)
        own = count if self.own is None else self.own
        return _Chunk([*self.lines, *lines], [*self.others, *others], count + end, False, self.is_open, own)


_Cut = tuple[int, int, object | None]
"""The first line of a piece and the line after its last, and something if it parses."""


def mend(text: str, problem: Problem, classes: Iterable[str] = ()) -> Mended | None:
    """Blank the statements that don't parse; `None` where that doesn't help. There were these classes before."""
    merges = settled(lines_of(text))
    lines = merges.lines
    settled_text = "".join(lines)
    if not merges.is_whole:
        parsed = parse(settled_text)
        problem = parsed if isinstance(parsed, Problem) else problem
    known = frozenset(classes)
    missing = tuple(known - {found[1] for found in map(_NAMED_CLASS.match, lines) if found is not None})
    gaps = _Gaps(is_deep=True, known=known, missing=missing[0] if len(missing) == 1 else None)
    end = _end_of_code(lines, problem)
    chunks = _chunks(lines, merges.others, end, whole_pieces(settled_text), is_missing=gaps.missing is not None)
    return _mended(chunks, gaps) or _mended(chunks, _Gaps(is_deep=False))


def _mended(chunks: Sequence[_Chunk], gaps: _Gaps) -> Mended | None:
    """Blank the chunks that don't parse, or of classes among them only what has to be."""
    text = "".join(_kept(chunks, "", gaps))
    if isinstance(parse(text), Problem):
        return None
    return Mended(
        text,
        lost=frozenset(gaps.lost),
        words=frozenset(gaps.words),
        torn=frozenset(gaps.torn),
        open=frozenset(gaps.open),
        attributes=frozenset(gaps.attributes),
        doubtful=frozenset(gaps.doubtful - gaps.lost),
    )


def _chunks(
    lines: Sequence[str], others: Sequence[str | None], end: int, cuts: Iterable[_Cut], *, is_missing: bool = False
) -> list[_Chunk]:
    """The pieces of a text, where one that doesn't parse may hold the rest of a body above: then they belong together.

    If the one that holds line `end` doesn't parse, it is the last.
    """
    chunks: list[_Chunk] = []
    is_open = False
    for first, after, tree in cuts:
        is_last = after > end and tree is None
        after = len(lines) if is_last else after
        piece, beside = lines[first:after], others[first:after]
        code = end - first if is_last else len(piece)
        is_whole = tree is not None
        if not is_whole and chunks and chunks[-1].defines and _goes_on(piece, is_missing=is_missing):
            chunks[-1] = chunks[-1].with_more(piece, beside, code)
        else:
            chunks.append(_Chunk(piece, beside, code, is_whole, is_open and _defines(piece)))
        is_open = _leaves_open(piece, is_whole=is_whole, before=is_open)
        if other := chunks[-1].added:
            is_open = is_open or _leaves_open([*other, ""], is_whole=False, before=False)
        if is_last:
            break
    return chunks


def _kept(chunks: Iterable[_Chunk], prefix: str, gaps: _Gaps) -> Iterator[str]:
    """The lines of these chunks, where what doesn't parse is blank."""
    for chunk in chunks:
        if chunk.is_whole and not chunk.is_disputed:
            if chunk.is_open:
                gaps.doubtful.update(prefix + name for name in _names(chunk.lines))
            if chunk.added:
                gaps.lose(chunk.added, prefix)
            yield from chunk.lines
        else:
            mended = _mended_class(chunk, prefix, gaps) if gaps.is_deep and not chunk.is_added else None
            # What is drawn in is told where the members are.
            gaps.lose([line for line in chunk.added if mended is None or not _INDENTED.match(line)], prefix)
            yield from gaps.blank(chunk.lines, prefix, chunk.end) if mended is None else mended


def _mended_class(chunk: _Chunk, prefix: str, gaps: _Gaps) -> list[str] | None:
    """The lines of a class of which only what doesn't parse is blank; `None` for what isn't one, or hasn't a line."""
    head = _head_of(chunk, gaps.known, None if prefix else gaps.missing)
    if head is None or head.after == len(chunk.lines):
        return None
    if head.is_lost:
        gaps.lose_head(head.name, chunk.lines[: head.after], prefix)
    if chunk.end < len(chunk.lines):
        gaps.lost.update(prefix + name for name in _names(chunk.lines[chunk.end :]))
    body = chunk.lines[head.after :]
    indent = _indentation(body)
    if indent is None:
        gaps.torn.add(prefix + head.name)
        return [*head.lines, f" pass{end_of(body[0])}", *gaps.blank(body[1:], prefix, 0)]
    own = None if chunk.own is None else chunk.own - head.after
    inside = _Chunk(body, chunk.others[head.after :], chunk.end - head.after, False, own=own)
    return [*head.lines, *_mended_body(inside, indent, f"{prefix}{head.name}", gaps)]


def _mended_body(chunk: _Chunk, indent: str, name: str, gaps: _Gaps) -> list[str]:
    """The body of a class as if it were a text by itself; what is below its `own` lines may be another's."""
    body, own = chunk.lines, chunk.own
    inner = [_drawn_out(line, indent) for line in body]
    others = [_drawn_out(line, indent) if line else line for line in chunk.others]
    chunks = _chunks(inner, others, chunk.end, cut(inner, lambda text: stands_alone(text) or None))
    mended = list(_kept(chunks, f"{name}.", gaps))
    if mended != inner or any(others):
        gaps.torn.add(name)
    if own is not None:
        gaps.doubtful.update(f"{name}.{inside}" for inside in _names(mended[own:]))
    if not any(line.strip() and not line.lstrip().startswith("#") for line in mended):
        mended[0] = f"pass{end_of(mended[0])}"
    return [
        line if new == old else f"{indent}{new}" if new.strip() else new
        for line, old, new in zip(body, inner, mended, strict=True)
    ]


def _indentation(body: Sequence[str]) -> str | None:
    """How far the members of a class are drawn in: as its methods, but for a single one, or else as its first line."""
    methods = Counter(found[1] for found in map(_METHOD.match, body) if found is not None)
    if methods:
        often = [indent for indent, count in methods.items() if count > 1]
        return min(often or methods, key=len)
    return next((found[1] for found in map(_INDENTED.match, body) if found is not None), None)


def _drawn_out(line: str, indent: str) -> str:
    """A line without the indentation of the members; one that doesn't reach in so far is no member of theirs."""
    if line.startswith(indent) or _NO_CODE.match(line):
        return line.removeprefix(indent)
    return f" {line}" if line.lstrip(" \t").startswith(_CLOSING) else f"{_STRAY}{line}"


@frozen
class _Head:
    """The head of a class, as many lines as it has up to `after`, and whether anything of it had to go."""

    name: str
    lines: Sequence[str]
    after: int
    is_lost: bool


def _head_of(chunk: _Chunk, known: Container[str], missing: str | None) -> _Head | None:
    """The head of the class that a chunk is; where it doesn't parse, no more than its name."""
    lines = chunk.lines
    first = next((number for number, line in enumerate(lines) if _DEFINES.match(line)), None)
    if first is None:
        return None if missing is None else _head_without_name(lines, missing)
    named = _NAMED_CLASS.match(lines[first])
    if named is None or first >= chunk.end:
        return None
    blank = list(map(end_of, lines[:first]))
    after = _end_of_head(lines, first)
    if after is None:
        name = missing if missing is not None and named[1] not in known else named[1]
        return _Head(name, [*blank, f"class {name}:{end_of(lines[first])}"], first + 1, is_lost=True)
    is_disputed = any(other is not None for other in chunk.others[:after])
    if not chunk.is_open and not is_disputed and _is_head(lines[:after]):
        return _Head(named[1], lines[:after], after, is_lost=False)
    return _Head(named[1], [*blank, *lines[first:after]], after, is_lost=True)


def _head_without_name(lines: Sequence[str], name: str) -> _Head | None:
    """All that stands above the members of something, where nobody can tell what it was but from before."""
    drawn_in = re.compile(rf"\s+class\s+{name}\b")
    after = next((number for number, line in enumerate(lines) if _MEMBER.match(line)), 0)
    if after and drawn_in.match(lines[after]):
        after += 1
    if not after:
        return None
    stub = f"class {name}:{end_of(lines[after - 1])}"
    return _Head(name, [*map(end_of, lines[: after - 1]), stub], after, is_lost=True)


def _end_of_head(lines: Sequence[str], first: int) -> int | None:
    """The line after the head of a class; `None` where it doesn't parse."""
    for after in range(first + 1, min(first + _LONGEST_HEAD, len(lines)) + 1):
        if _HEAD_ENDS.match(lines[after - 1]) and _is_head(lines[first:after]):
            return after
        if after < len(lines) and _MEMBER.match(lines[after]):
            return None
    return None


def _is_head(lines: Sequence[str]) -> bool:
    """Say whether these lines and a body are a statement."""
    return stands_alone("".join((*lines, " pass\n")))


def _defines(lines: Sequence[str]) -> bool:
    return any(map(_DEFINES.match, lines))


def _goes_on(piece: Sequence[str], *, is_missing: bool) -> bool:
    """Say whether what doesn't parse may hold the rest of the body above, into which it was written.

    Where a class `is_missing`, a decorator may be all that is left of its head.
    """
    own = next((number for number, line in enumerate(piece) if _DEFINES.match(line)), None)
    if own is not None:
        # What is indented below a definition is its own.
        return any(map(_MEMBER.match, piece[:own]))
    heads = [line for line in piece if not line.startswith(_INSIDE)]
    if heads and _DECORATOR.match(heads[0]) and (is_missing or not all(map(_DECORATOR.match, heads))):
        # What is decorated is its own too, whatever that is going to be.
        return False
    head = next(iter(heads), "")
    is_open = _BLOCK.match(head) or any(head.count(one) > head.count(other) for one, other in ("()", "[]", "{}"))
    inner = _MEMBER if is_open else _INDENTED
    return any(map(inner.match, piece))


def _leaves_open(piece: Sequence[str], *, is_whole: bool, before: bool) -> bool:
    """Say whether a decorator that doesn't parse stands above, and what it decorates hasn't come yet.

    A definition without a body may be half-typed above the one that is decorated.
    """
    if is_whole:
        return before and not _defines(piece)
    is_open, is_defined = before, False
    for line in piece:
        code = line.lstrip(" \t")
        if "@" in code:
            is_open, is_defined = True, False
        elif _DEFINES.match(code):
            is_defined = True
        elif is_defined and code != line and code.strip():
            is_open = False
    # What is broken right above a definition may have been going to decorate it.
    return is_open or not _NO_CODE.match(piece[-1])


def _end_of_code(lines: Sequence[str], problem: Problem) -> int:
    """The index of the first line after which all is text: a string that is never closed takes the rest with it."""
    is_open = isinstance(problem, SyntaxProblem) and OPEN_STRING in problem.reason
    return problem.line - 1 if is_open else len(lines)


def _words(lines: Iterable[str]) -> Iterator[str]:
    """All words, and what they begin and end with: where something is missing between two, they look like one."""
    for word in set(_WORD.findall("".join(lines))):
        yield from (word[:end] for end in range(1, len(word) + 1))
        yield from (word[start:] for start in range(1, len(word)))


def _may_bind_anything(piece: Sequence[str]) -> bool:
    """Say whether a member of a class doesn't say yet which name it is about."""
    heads = [line for line in piece if _NAMES_NOTHING.match(line) and not line.startswith(_INSIDE)]
    return bool(heads) and (_DECORATOR.match(heads[-1]) is not None or not all(map(_NAMES.match, heads)))


def _names(piece: Sequence[str]) -> Iterator[str]:
    """The names that a statement would bind or change, by what its lines look like.

    Those in a class or function are its own.
    """
    own = [_BEFORE_CODE.sub("", line) for line in piece if not line.startswith((" ", "\t"))]
    lines = own if any(map(_DEFINES.match, own)) else [_BEFORE_CODE.sub("", line) for line in piece]
    yield from (begins[1] for line in own if (begins := _BEGINS.match(line)) is not None)
    for number, line in enumerate(lines):
        if (defines := _DEFINES.match(line)) is not None:
            yield defines[1]
        elif _IMPORTS.match(line) is not None:
            # The names of an import may go on over the lines below.
            imports = _IMPORTS.match("".join(lines[number:]))
            names = imports[1] if imports is not None else line
            yield from _WORD.findall(names)
            if STAR in names:
                yield STAR
            return
        elif _FROM.match(line):
            # It may have been going to import anything.
            yield STAR
        elif not _DECORATOR.match(line) and (assigns := _ASSIGNS.match(line)) is not None:
            yield from _WORD.findall(assigns[1])
