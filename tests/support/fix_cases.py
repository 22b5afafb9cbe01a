"""Fixes as data: a small project in one text, `tests/fixes/NNN-name.txt`, before and after.

The first lines tell what is offered for the first finding with the code that the file is named after, the best first:
`# safe: Declare ...`, or `# nothing`. Then come the files (`-- flow.py`), and what the first fix makes of those that it
changes or creates (`== flow.py`). All import from `kit.py`.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from thena_lint.analyze import Analysis, analyze
from thena_lint.apply import context_of, fixes_of
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Fix, edited

CASES: Final = Path(__file__).parents[1] / "fixes"
KIT: Final = """\
from thena_runtime import Prompt, ScriptedProvider

model = ScriptedProvider(["ok"])
say = Prompt("Do it.")
"""
NOTHING: Final = "# nothing"
_OFFER: Final = re.compile(r"# (?:(?:safe|unsafe|choice): .+|nothing)\n")
_FILE: Final = re.compile(r"^(--|==) (\S+)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One project: what is offered for a finding of this code, and the texts of its files before and after."""

    code: str
    offers: tuple[str, ...]
    before: dict[str, str]
    after: dict[str, str]

    @property
    def text(self) -> str:
        """The case as it is kept."""
        files = [("--", self.before), ("==", self.after)]
        parts = (f"{sign} {name}\n{text}" for sign, each in files for name, text in each.items())
        return "".join(f"{offer}\n" for offer in self.offers) + "".join(parts)


def read_case(path: Path) -> Case:
    """Read a case."""
    text = path.read_text(encoding="utf-8")
    offers = []
    while (offer := _OFFER.match(text)) is not None:
        offers.append(offer[0].rstrip("\n"))
        text = text[offer.end() :]
    _, *parts = _FILE.split(text)
    files = list(zip(parts[::3], parts[1::3], parts[2::3], strict=True))
    return Case(
        code=f"THN{path.name[:3]}",
        offers=tuple(offers),
        before={name: body for sign, name, body in files if sign == "--"},
        after={name: body for sign, name, body in files if sign == "=="},
    )


def write_case(files: dict[str, str], folder: Path, newline: str) -> None:
    """Write files to disk, each line ending so."""
    for name, text in {"kit.py": KIT, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.replace("\n", newline).encode())


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What was offered for a finding, and what the first offer makes of the files that it changes or creates."""

    analysis: Analysis
    finding: Diagnostic
    fixes: tuple[Fix, ...]
    changed: dict[str, str]

    @property
    def offers(self) -> tuple[str, ...]:
        """The offers as a case tells them."""
        return tuple(f"# {fix.applicability.value}: {fix.title}" for fix in self.fixes) or (NOTHING,)


def try_case(folder: Path, code: str) -> Tried:
    """Lint a folder, and repair the first finding of a code in memory."""
    analysis = analyze([folder])
    finding = next(one for one in analysis.diagnostics if one.code == code)
    fixes = tuple(fixes_of(context_of(analysis), finding))
    return Tried(analysis=analysis, finding=finding, fixes=fixes, changed=_changed(analysis, fixes[:1], folder))


def _changed(analysis: Analysis, fixes: tuple[Fix, ...], folder: Path) -> dict[str, str]:
    changed: dict[Path, str] = {}
    for fix in fixes:
        for path in fix.paths:
            file = analysis.index.file(path)
            assert file is not None and file.source is not None
            changed[path] = edited(file.source.text, (edit for edit in fix.edits if edit.path == path))
        changed |= {one.path: one.text for one in fix.created}
    return {path.relative_to(folder).as_posix(): text for path, text in sorted(changed.items())}
