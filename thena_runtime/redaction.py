"""Secrets out of what leaves a run to be looked at: reports and logs. Pure.

A value is masked where its name says that it is a secret (`api_key`, `dbPassword`, `Set-Cookie`), and in any text what
has the form of one, also in JSON inside of JSON. Masking twice is masking once. Left out on purpose: what is personal
and no secret, which no form tells; a report can do without contents.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final, TypeAlias

MASK: Final = "[REDACTED]"

Redactor: TypeAlias = Callable[[str, str], str]
"""Given the name that a text stands under (a key, `content`, `error` and the like) and the text, returns it masked."""


def redact_text(name: str, text: str) -> str:
    """Mask a text as a whole where its name says that it is a secret, and otherwise what in it has the form of one."""
    masked = _masked(text) if len(text) >= _SHORTEST_FORM else text
    if masked == text and text not in ("", MASK) and _is_secret(name):
        return MASK
    return masked


def redact(value: Any, redactor: Redactor = redact_text, name: str = "") -> Any:  # JSON values: a wire
    """Return a JSON value with each of its texts masked, long keys too; what lies under a secret's name is one."""
    match value:
        case str():
            return redactor(name, value)
        case bool() | None:
            return value
        case int() | float():
            text = str(value)
            masked = redactor(name, text) if len(text) >= _SHORTEST_NUMBER else text
            return value if masked == text else masked
        case Mapping():
            under = name if _is_secret(name) else None
            return {_key(key, redactor): redact(inner, redactor, under or key) for key, inner in value.items()}
        case _:
            return [redact(inner, redactor, name) for inner in value]


def _key(key: str, redactor: Redactor) -> str:
    return redactor("", key) if len(key) >= _SHORTEST_FORM else key


_SHORTEST_NUMBER: Final = 4
_SHORTEST_FORM: Final = 10
"""Characters of the shortest text that a form is in: `token=abcd`."""

_NAMES: Final = r"""
    api[_-]?key | access[_-]?key | private[_-]?key | secret[_-]?key | secret | password | passwd | passphrase | senha
    | token | authorization | cookie | credentials?
"""


@lru_cache(maxsize=1000)
def _is_secret(name: str) -> bool:
    return re.search(rf"(?:{_NAMES})\s*\Z", name, re.IGNORECASE | re.VERBOSE) is not None


def _keep_head(found: re.Match[str]) -> str:
    return f"{found[1]}{MASK}"


def _mask_whole(found: re.Match[str]) -> str:
    return MASK


def _mask_basic(found: re.Match[str]) -> str:
    """Only what is a user and a password in base64: `basic` is a word, too."""
    encoded = found[2].rstrip("=")
    try:
        decoded = base64.b64decode(encoded + "=" * (-len(encoded) % 4), validate=True)
    except (binascii.Error, ValueError):
        return found[0]
    return _keep_head(found) if b":" in decoded else found[0]


def _mask_key(found: re.Match[str]) -> str:
    """A key has a digit somewhere, and words between dashes don't."""
    return _keep_head(found) if any(map(str.isdigit, found[2])) else found[0]


@dataclass(frozen=True, slots=True)
class _Form:
    """What a secret looks like. It begins with one of the `heads`, in lower case: to look for those is quick."""

    heads: tuple[str, ...]
    pattern: re.Pattern[str]
    mask: Callable[[re.Match[str]], str] = _keep_head

    def masked(self, text: str, lowered: str) -> str:
        """Mask every secret of this form."""
        starts = sorted(start for head in self.heads for start in _starts(head, lowered))
        parts: list[str] = []
        end = 0
        for start in starts:
            found = None if start < end else self.pattern.match(text, start)
            if found is not None:
                parts += text[end:start], self.mask(found)
                end = found.end()
        return "".join([*parts, text[end:]]) if parts else text


def _starts(head: str, lowered: str) -> Iterator[int]:
    at = lowered.find(head)
    while at >= 0:
        yield at
        at = lowered.find(head, at + len(head))


# Between a name and its value. The quotes of JSON that stands in JSON are escaped, once for each level.
_SAYS: Final = r"\\*+[\"']?+\s*+[:=]\s*+\\*+[\"']?+"


@cache
def _forms() -> tuple[_Form, ...]:
    """In the order in which they are looked for. None finds what it has made, and none takes more than linear time.

    To compile them takes longer than most runs, and most mask nothing.
    """
    return (
        _Form(
            ("-----begin ",),
            re.compile(
                r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:(?!-----).)*+(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?",
                re.DOTALL,
            ),
            _mask_whole,
        ),
        _Form(
            ("bearer",),
            re.compile(r"\b(bearer\s++)(?=[\w.~+/-]*(?:\d|[\w.~+/-]{24}))[\w.~+/-]{8,}=*", re.IGNORECASE),
        ),
        _Form(("basic",), re.compile(r"\b(basic\s++)([a-z0-9+/]{8,}={0,2})", re.IGNORECASE), _mask_basic),
        _Form(("://",), re.compile(r"(://[^\s/:@?#\"'\\]*+:)(?!\[REDACTED\])[^\s/@\"'\\]++(?=@)")),
        _Form(
            ("sk-", "pk-", "rk-", "sk_", "pk_", "rk_"),
            re.compile(r"(?<![\w-])([spr]k[-_](?:(?:live|test|proj|ant)[-_])?)([\w-]{16,})"),
            _mask_key,
        ),
        _Form(("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), re.compile(r"\b(gh[pousr]_)\w{16,}")),
        _Form(("github_pat_",), re.compile(r"\b(github_pat_)\w{16,}")),
        _Form(("glpat-", "hf_", "npm_"), re.compile(r"\b(glpat-|hf_|npm_)([\w-]{16,})"), _mask_key),
        _Form(("xox",), re.compile(r"\b(xox[abeprs]-)[\w-]{10,}")),
        _Form(("akia", "asia"), re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"), _mask_whole),
        _Form(("aiza",), re.compile(r"\b(AIza)[\w-]{30,}")),
        _Form(("eyj",), re.compile(r"(?<![\w-])eyJ[\w-]{7,}+\.[\w-]{10,}+\.[\w-]{10,}"), _mask_whole),
        _Form(
            ("authorization", "cookie"),
            re.compile(
                rf"((?:authorization|cookie){_SAYS})"
                r"(?!\[REDACTED\]|(?:bearer|basic)\s++\[REDACTED\])[^\r\n\"'\\]{4,}",
                re.IGNORECASE,
            ),
        ),
        _Form(
            ("api", "access", "private", "secret", "passw", "passphrase", "senha", "token", "credential"),
            re.compile(
                rf"((?:{_NAMES}){_SAYS})"
                r"(?!\[REDACTED\]|(?:bearer|basic)\s|(?:string|null|none|true|false|optional|undefined)\b)"
                r"[^\s\"'\\,;&}\])]{4,}",
                re.IGNORECASE | re.VERBOSE,
            ),
        ),
    )


def _masked(text: str) -> str:
    lowered = _lowered(text)
    for form in _forms():
        masked = form.masked(text, lowered)
        if masked is not text:
            text, lowered = masked, _lowered(masked)
    return text


def _lowered(text: str) -> str:
    """The text in lower case, as long as it was: of all characters this one alone would become two."""
    return text.replace("\u0130", "I").lower()
