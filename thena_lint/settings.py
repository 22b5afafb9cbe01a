"""`[tool.thena.lint]` as data: what each key means, what it may hold, and what a file of them says.

The nearest file with the table holds for a folder, whole: nothing is taken over from one above. `exclude` alone is
asked for where files are looked for, in every folder on the way.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, fields
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from thena_contract.anchor import Place
from thena_contract.codes import ALWAYS_TOLD, NAMES
from thena_contract.fault import Severity
from thena_contract.frozen import frozen
from thena_contract.source_faults.bad_configuration import BadConfiguration
from thena_contract.spelling import nearest
from thena_lint.diagnostic import Diagnostic, diagnostic
from thena_lint.source.faults import FileUnreadable
from thena_lint.source.table import FILES, THENA, NoToml, Table, table_in
from thena_lint.source.text import Unreadable
from thena_lint.source.toml_places import Key, Span, places_in

ALL: Final = "ALL"
_FAMILY: Final = "THN"


class Kind(Enum):
    """What a key of the table holds; its value is how an error tells it."""

    PATTERNS = 'a list of patterns, such as `["generated/"]`'
    SELECTORS = 'a list of codes, such as `["THN2", "THN301"]`'
    IGNORED = 'a list of codes, such as `["THN802"]`'
    IGNORED_BY_FILE = 'a table of patterns and codes, such as `{ "tests/**" = ["THN8"] }`'
    SEVERITIES = 'a table of codes and severities, such as `{ THN214 = "error" }`'


def _key(kind: Kind, meaning: str) -> Mapping[str, object]:
    return {"kind": kind, "meaning": meaning}


@frozen(kw_only=True)
class LintSettings:
    """The keys of the table; each one's metadata has its `kind` and its `meaning`. The defaults are those of no file.

    A code may be cut short: `THN2` stands for all that begin so, and `ALL` for every one.
    """

    exclude: tuple[str, ...] = field(
        default=(),
        metadata=_key(Kind.PATTERNS, "Files and folders that aren't linted, as patterns that `.gitignore` takes."),
    )
    select: tuple[str, ...] | None = field(
        default=None,
        metadata=_key(Kind.SELECTORS, "The codes that are told. Without it: all but those that are off by default."),
    )
    extend_select: tuple[str, ...] = field(
        default=(), metadata=_key(Kind.SELECTORS, "Codes that are told beside those of `select`.")
    )
    ignore: tuple[str, ...] = field(
        default=(),
        metadata=_key(Kind.IGNORED, "Codes that aren't told. Of two that fit, the longer one counts; else this."),
    )
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict,
        metadata=_key(Kind.IGNORED_BY_FILE, "Codes that aren't told of some files; with `!` first, of all others."),
    )
    severity: Mapping[str, Severity] = field(
        default_factory=dict, metadata=_key(Kind.SEVERITIES, "How bad a code is, where it isn't as bad as it is made.")
    )


DEFAULTS: Final = LintSettings()
KEYS: Final[Mapping[str, Kind]] = MappingProxyType(
    {one.name.replace("_", "-"): one.metadata["kind"] for one in fields(LintSettings)}
)
"""Every key as it is written, and what it holds."""


@frozen(kw_only=True)
class Configured:
    """The settings that hold in a folder, the file that they come from, and what is wrong in it."""

    settings: LintSettings = DEFAULTS
    file: Path | None = None
    mistakes: tuple[Diagnostic, ...] = ()


def settings_for(folder: Path) -> Configured:
    """What holds in a folder: the nearest file with the table, in it or above. Never raises for what a file holds."""
    for here in (folder, *folder.parents):
        found = settings_in(here)
        if found is not None:
            return found
    return Configured()


def settings_in(folder: Path) -> Configured | None:
    """What a file in this very folder says; `None` where none does."""
    for name in FILES:
        match table_in(folder / name):
            case None:
                continue
            case Table() as table:
                settings, mistakes = read_keys(table.keys)
                told = (*_strays(table), *mistakes)
                return Configured(settings=settings, file=table.path, mistakes=_placed(table, told))
            case NoToml() as refused:
                return Configured(file=refused.path, mistakes=(_no_toml(refused),))
            case Unreadable() as closed:
                return Configured(file=closed.path, mistakes=(_closed(closed),))
    return None


@frozen
class Mistake:
    """What is wrong, and the way to where it stands; the way begins at the table, or at the file's top."""

    way: Key
    fault: BadConfiguration
    is_from_top: bool = False


def read_keys(keys: Mapping[str, object]) -> tuple[LintSettings, tuple[Mistake, ...]]:
    """Settings from a table, and what is wrong in it. What is wrong is left out, and the rest holds."""
    mistakes: list[Mistake] = []
    known: dict[str, Any] = {}
    for name, value in keys.items():
        kind = KEYS.get(name)
        if kind is None:
            mistakes.append(_unknown_key(name))
        else:
            known[name.replace("-", "_")] = _READERS[kind]((name,), value, mistakes)
    return LintSettings(**{name: value for name, value in known.items() if value is not None}), tuple(mistakes)


def mistake_in_selector(selector: object, *, ignoring: bool) -> BadConfiguration | None:
    """What is wrong with a code or the beginning of one, if anything. Some codes can't be ignored."""
    if not isinstance(selector, str):
        return BadConfiguration(
            subject=_shown(selector), fact="is no code of a fault", instead='a text like `"THN201"`'
        )
    if selector in ALWAYS_TOLD and ignoring:
        fact = "is told whatever is ignored, since it says that not all was judged as asked"
        return BadConfiguration(subject=selector, fact=fact, instead="nothing here, and mend what it names")
    if _is_selector(selector):
        return None
    fact = "is no code of a fault and no beginning of one"
    return BadConfiguration(subject=_shown(selector), fact=fact, instead=_nearest_selector(selector))


def mistake_in_severity(severity: object) -> BadConfiguration | None:
    """What is wrong with a severity, if anything."""
    if isinstance(severity, str) and severity in [one.value for one in Severity]:
        return None
    every = ", ".join(f"`{one.value}`" for one in Severity)
    return BadConfiguration(subject=_shown(severity), fact="is no severity", instead=f"one of {every}")


def _unknown_key(name: str) -> Mistake:
    near = nearest(name.replace("_", "-"), KEYS)
    instead = f"`{near}`" if near else "one of " + ", ".join(f"`{key}`" for key in KEYS)
    return Mistake((name,), BadConfiguration(subject=_shown(name), fact="is no setting of the linter", instead=instead))


def _wrong_kind(way: Key, kind: Kind) -> Mistake:
    name = str(way[-1])
    fact = f"is no {kind.value.partition(',')[0].removeprefix('a ')}"
    return Mistake(way, BadConfiguration(subject=name, fact=fact, instead=kind.value))


def _patterns(way: Key, value: object, mistakes: list[Mistake]) -> tuple[str, ...] | None:
    if not isinstance(value, list):
        mistakes.append(_wrong_kind(way, Kind.PATTERNS))
        return None
    for position, one in enumerate(value):
        if not isinstance(one, str):
            fault = BadConfiguration(subject=_shown(one), fact="is no pattern", instead='a text like `"generated/"`')
            mistakes.append(Mistake((*way, position), fault))
    return tuple(one for one in value if isinstance(one, str))


def _selectors(way: Key, value: object, mistakes: list[Mistake]) -> tuple[str, ...] | None:
    return _codes(way, value, mistakes, Kind.SELECTORS)


def _ignored(way: Key, value: object, mistakes: list[Mistake]) -> tuple[str, ...] | None:
    return _codes(way, value, mistakes, Kind.IGNORED)


def _codes(way: Key, value: object, mistakes: list[Mistake], kind: Kind) -> tuple[str, ...] | None:
    if not isinstance(value, list):
        mistakes.append(_wrong_kind(way, kind))
        return None
    good = []
    for position, one in enumerate(value):
        fault = mistake_in_selector(one, ignoring=kind is Kind.IGNORED)
        if fault is None:
            good.append(one)
        else:
            mistakes.append(Mistake((*way, position), fault))
    return tuple(good)


def _ignored_by_file(way: Key, value: object, mistakes: list[Mistake]) -> Mapping[str, tuple[str, ...]] | None:
    if not isinstance(value, dict):
        mistakes.append(_wrong_kind(way, Kind.IGNORED_BY_FILE))
        return None
    read = {pattern: _ignored((*way, pattern), codes, mistakes) for pattern, codes in value.items()}
    return {pattern: codes for pattern, codes in read.items() if codes is not None}


def _severities(way: Key, value: object, mistakes: list[Mistake]) -> Mapping[str, Severity] | None:
    if not isinstance(value, dict):
        mistakes.append(_wrong_kind(way, Kind.SEVERITIES))
        return None
    good: dict[str, Severity] = {}
    for code, severity in value.items():
        fault = mistake_in_selector(code, ignoring=True) or mistake_in_severity(severity)
        if fault is None:
            good[code] = Severity(severity)
        else:
            mistakes.append(Mistake((*way, code), fault))
    return good


_READERS: Final = MappingProxyType(
    {
        Kind.PATTERNS: _patterns,
        Kind.SELECTORS: _selectors,
        Kind.IGNORED: _ignored,
        Kind.IGNORED_BY_FILE: _ignored_by_file,
        Kind.SEVERITIES: _severities,
    }
)


def _is_selector(text: str) -> bool:
    return text == ALL or (text.startswith(_FAMILY) and any(code.startswith(text) for code in NAMES))


def _nearest_selector(given: str) -> str:
    """What is written so in capitals or by its name, the part of it that is known, or what it resembles."""
    by_name = {name: code for code, name in NAMES.items()}
    text = given.upper()
    parts = (text[:end] for end in range(len(text), len(_FAMILY), -1))
    near = (
        by_name.get(given.lower())
        or next(filter(_is_selector, parts), None)
        or nearest(text, (ALL, *NAMES), likeness=0.7)
    )
    return f"`{near}`" if near else "a code such as `THN201`, or the beginning of one such as `THN2`"


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    printable = "".join(char if char.isprintable() and char != "`" else "?" for char in text)
    return printable if len(printable) <= 40 else printable[:39] + "…"


def _strays(table: Table) -> Iterator[Mistake]:
    """Keys around the table, which is most often missed by a letter."""
    header = "[lint]" if table.path.name == THENA else "[tool.thena.lint]"
    for way, name in table.strays:
        is_ours = (*way, name) == table.at
        fact = "is no table" if is_ours else f"in `{table.path.name}` is nothing that Thena reads"
        near = None if is_ours else nearest(name, (table.at[-1],))
        instead = f"`{near}`" if near else f"the settings below `{header}`"
        fault = BadConfiguration(subject=_shown(name), fact=fact, instead=instead)
        yield Mistake((*way, name), fault, is_from_top=True)


def _placed(table: Table, mistakes: Sequence[Mistake]) -> tuple[Diagnostic, ...]:
    if not mistakes:
        return ()
    places = places_in(table.text)
    spans = (places[one.way if one.is_from_top else (*table.at, *one.way)] for one in mistakes)
    return tuple(diagnostic(one.fault, _place(table.path, span)) for one, span in zip(mistakes, spans, strict=True))


def _place(path: Path, span: Span) -> Place:
    return Place(str(path), span.line, span.column, span.line, span.end)


def _no_toml(refused: NoToml) -> Diagnostic:
    fault = BadConfiguration(
        subject=refused.path.name, fact=f"is no TOML: {refused.reason}", instead="what TOML allows at this place"
    )
    return diagnostic(fault, _place(refused.path, Span(refused.line, refused.column, refused.column + 1)))


def _closed(closed: Unreadable) -> Diagnostic:
    fault = FileUnreadable(reason=closed.reason, repair=closed.repair)
    return diagnostic(fault, _place(closed.path, Span(1, 1, 1)))
