"""How deep a text is nested, by its tokens and before any parser sees it.

libcst has no limit of its own: it ends the process when its stack is full, and takes more and more time on the way.
So what grows its stack is counted: brackets, operators and calls in a row, strings side by side, `elif` after `elif`.
Indentation isn't counted, since libcst allows a hundred levels and no more.
"""

import re
from dataclasses import dataclass, field
from typing import Final

LIMIT: Final = 200
"""Python's own limit for nested brackets. Far below what fills a stack, and far above what people write."""

_MARKS: Final = ("(", "[", "{", ".", "+", "-", "*", "/", "%", "@", "&", "|", "^", "<", ">", "~", "=", "!", '"', "'")
_WORDS: Final = ("if", "lambda", "not", "and", "or", "in", "is", "for", "await")

_CODE: Final = re.compile(
    r"""
      (?P<newline> (?:\r\n|\n|\r) [ \t\f]* )
    | (?P<skipped> \#[^\r\n]* | \\(?:\r\n|\n|\r) )
    | (?P<formatted> [rR]?[fFtT][rR]? (?:'{3}|"{3}|'|") )
    | (?P<string>
        [bBuU]?[rR]?[bB]?
        (?: '{3} [^'\\]* (?: (?:\\.|'(?!'')) [^'\\]* )* (?:'{3}|\Z)
          | "{3} [^"\\]* (?: (?:\\.|"(?!"")) [^"\\]* )* (?:"{3}|\Z)
          | ' [^'\\\r\n]* (?: \\(?:\r\n|.) [^'\\\r\n]* )* '?
          | " [^"\\\r\n]* (?: \\(?:\r\n|.) [^"\\\r\n]* )* "?
        )
      )
    | (?P<opened> [(\[{] )
    | (?P<closed> [)\]}] )
    | (?P<comma> [,;] )
    | (?P<colon> : )
    | (?P<operator> [-+~] | [.*/%@&|^<>=!]+ )
    | \b (?P<word> lambda|not|and|or|if|elif|await|for|in|is ) \b
    """,
    re.VERBOSE | re.DOTALL,
)
_BETWEEN: Final = re.compile(
    r"""(?P<pair>\{\{|\}\})|(?P<field>\{)|(?P<end>\})|\\[^{}]|(?P<quote>'{3}|"{3}|'|")""", re.S
)
_FORMAT_END: Final = "}"


@dataclass(slots=True)
class _Level:
    """What stands inside one bracket, or in the text of a formatted string up to its `quote`.

    It lives as long as the scan that made it, which alone changes it.
    """

    quote: str = ""
    is_field: bool = False
    chain: int = 0
    lambdas: int = 0


@dataclass(slots=True)
class _Scan:
    """One walk over a text, with the depth at the place that it has reached. It lives as long as the walk."""

    levels: list[_Level] = field(default_factory=lambda: [_Level()])
    elifs: dict[int, int] = field(default_factory=dict)
    depth: int = 0

    def deepen(self) -> None:
        self.levels[-1].chain += 1
        self.depth += 1

    def reset(self) -> None:
        """Begin anew inside this bracket; but a lambda whose colon is still to come holds what follows a comma too."""
        level = self.levels[-1]
        if level.lambdas == 0:
            self.depth -= level.chain
            level.chain = 0

    def open(self, level: _Level) -> None:
        self.levels.append(level)
        self.depth += 1

    def close(self) -> None:
        """Leave a bracket, which counts as one more of what stands around it."""
        if len(self.levels) > 1:
            self.depth -= self.levels.pop().chain + 1
            self.deepen()

    def begin_line(self, indent: int, *, is_elif: bool) -> None:
        self.levels[-1].lambdas = 0
        self.reset()
        for other in [other for other in self.elifs if other > indent or (other == indent and not is_elif)]:
            self.depth -= self.elifs.pop(other)
        if is_elif:
            self.elifs[indent] = self.elifs.get(indent, 0) + 1
            self.depth += 1


def too_deep(text: str) -> int | None:
    """The line (from 1) on which a text is nested deeper than `LIMIT`, or `None`."""
    if len(text) <= LIMIT or sum(map(text.count, _MARKS)) + sum(map(text.count, _WORDS)) <= LIMIT:
        return None
    scan = _Scan()
    at = 0
    while at < len(text) and scan.depth <= LIMIT:
        at = _in_text(text, at, scan) if scan.levels[-1].quote else _in_code(text, at, scan)
    return None if scan.depth <= LIMIT else 1 + len(re.findall(r"\r\n|\n|\r", text[:at]))


def _in_code(text: str, at: int, scan: _Scan) -> int:
    """Scan code until it is too deep, or goes over into the text of a formatted string; return where that is."""
    is_after_string = text[at - 1 : at] in ("'", '"')
    for token in _CODE.finditer(text, at):
        kind = token.lastgroup
        if kind == "skipped":
            continue
        was_after_string, is_after_string = is_after_string, kind == "string"
        match kind:
            case "newline":
                is_after_string = was_after_string
                if len(scan.levels) == 1:
                    _begin_line(text, token, scan)
            case "opened":
                scan.open(_Level())
            case "closed":
                scan.close()
                if scan.levels[-1].quote:
                    # The fields of a formatted string stand beside each other.
                    scan.reset()
                    return token.end()
            case "comma":
                scan.reset()
            case "colon":
                level = scan.levels[-1]
                if level.lambdas:
                    level.lambdas -= 1
                elif level.is_field:
                    # What follows is a format, which is text up to the closing brace.
                    level.quote = _FORMAT_END
                    return token.end()
            case "string":
                if was_after_string:
                    scan.deepen()
            case "formatted":
                scan.open(_Level(quote=token[0].lstrip("rRfFtT")))
                return token.end()
            case _:
                scan.levels[-1].lambdas += token[0] == "lambda"
                scan.deepen()
        if scan.depth > LIMIT:
            return token.start()
    return len(text)


def _begin_line(text: str, token: re.Match[str], scan: _Scan) -> None:
    """Begin a logical line, unless nothing but a comment stands on it."""
    end = token.end()
    if text[end : end + 1] not in ("", "#", "\r", "\n"):
        scan.begin_line(len(token[0].lstrip("\r\n")), is_elif=text.startswith("elif", end))


def _in_text(text: str, at: int, scan: _Scan) -> int:
    """Scan the text of a formatted string, or of a format inside one, to where code begins or goes on."""
    quote = scan.levels[-1].quote
    for token in _BETWEEN.finditer(text, at):
        is_pair = token["pair"] is not None and quote != _FORMAT_END
        if token[0].startswith("{") and not is_pair:
            scan.open(_Level(is_field=True))
            return token.start() + 1
        if token[0].startswith(quote) and not is_pair:
            scan.close()
            return token.start() + len(quote)
    return len(text)
