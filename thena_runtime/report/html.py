"""What both pages are written with: text that is only ever text, and a head that lets nothing else run.

The pages have one style sheet and one script, named by their hashes in the page's own policy. So no page asks for
anything from anywhere, and what a model puts into one stays text even if it were taken for more.
"""

import base64
import hashlib
from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path
from typing import Final

# Of controls, which say something to terminals alone, the pictures; a page would show nothing or break.
_PICTURES: Final = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"} | {127: 0x2421}
# What would turn around the text that follows it, and the second half of what Unicode has of controls.
_SPELT: Final = {code: f"\\x{code:02x}" for code in range(0x80, 0xA0)} | {
    code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)
}
_SHOWN: Final = _PICTURES | _SPELT


def text(value: str) -> str:
    """A text as HTML: what would be markup is none, and what can't be seen can be."""
    if value.isascii():
        if value.isalnum():
            return value
        if value.isprintable():
            return escape(value, quote=False)
    shown = value.replace("\r\n", "\n").translate(_SHOWN)
    # Half of a character that Python holds as two, which no file can.
    return escape(shown.encode("utf-8", "backslashreplace").decode("utf-8"), quote=False)


def attribute(value: str) -> str:
    """A text as the value of an attribute, between double quotes."""
    return text(value).replace('"', "&quot;")


def page(title: str, body: Iterable[str], *, name: str) -> str:
    """A whole page; its script finds out by the `name` what it is about."""
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return "".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n',
            # Otherwise a browser asks the server of the page for a picture.
            '<link rel="icon" href="data:,">\n',
            f"<title>{text(title)}</title>\n<style>{style}</style>\n</head>\n",
            f'<body class="{name}">\n',
            *body,
            f"<script>{script}</script>\n</body>\n</html>\n",
        ]
    )


@cache
def _asset(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


@cache
def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def duration(seconds: float) -> str:
    """`0.4 ms`, `12 ms`, `1.84 s`, `2 m 05 s`."""
    if seconds < 0.00995:
        return f"{seconds * 1000:.1f} ms"
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 59.995:
        return f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} m {rest:02} s"


def dollars(usd: float) -> str:
    """`$0.0123`: a call costs so little that cents say nothing."""
    return f"${usd:,.2f}" if usd >= 1 else f"${usd:.4f}"


def counted(count: int, noun: str) -> str:
    """`1 model call`, `1,200 model calls`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
