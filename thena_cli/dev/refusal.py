"""The faults that start-up found, in the form in which the linter reports its own.

Start-up knows a line at most, so the whole line is marked.
"""

from collections.abc import Sequence
from pathlib import Path

from thena_cli.dev.messages import StartFault
from thena_contract.anchor import Place
from thena_contract.fault import Severity
from thena_lint.diagnostic import Diagnostic
from thena_lint.report.text import COLOURED, PLAIN, render_blocks

_WITHOUT_CODE = "start-up"
"""What stands for the code of a fault that no rule has one for."""


def render_refusal(faults: Sequence[StartFault], *, folder: Path, is_coloured: bool) -> str:
    """Every fault with its source line, paths relative to `folder`; a fault without a place is its text alone."""
    palette = COLOURED if is_coloured else PLAIN
    parts: list[str] = []
    for fault in faults:
        code = fault.code or _WITHOUT_CODE
        if fault.path is None or fault.line is None:
            parts.append(f"{palette.error}{code}{palette.reset} {fault.message}\n\n")
            continue
        lines = _lines(fault.path)
        text = lines[fault.line - 1] if fault.line <= len(lines) else ""
        start = len(text) - len(text.lstrip()) + 1
        place = Place(fault.path, fault.line, start, fault.line, max(start + 1, len(text.rstrip()) + 1))
        diagnostic = Diagnostic(
            code=code,
            name=fault.name or code,
            severity=Severity(fault.severity),
            message=fault.message,
            place=place,
        )
        parts.append(render_blocks([diagnostic], lines=lambda place: _lines(place.path), cwd=folder, palette=palette))
    return "".join(parts)


def _lines(path: str) -> Sequence[str]:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ()
