"""What is told of a file, and how bad it is: its nearest settings, and over them those of the command line.

Everybody who shows diagnostics asks here, so the terminal, the editor and `thena dev` say the same.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from thena_contract.codes import ALWAYS_TOLD, OFF_BY_DEFAULT
from thena_contract.fault import Severity
from thena_contract.frozen import frozen
from thena_lint.diagnostic import Diagnostic
from thena_lint.settings import ALL, Configured, LintSettings, settings_in
from thena_lint.source.ignored import is_matched


@frozen
class _Layer:
    """Settings, and the folder that their patterns are about."""

    settings: LintSettings
    home: Path


class Policy:
    """One look at the settings on disk, each file read once. Make a new one when they may have changed."""

    def __init__(self, asked: LintSettings | None = None, *, cwd: Path | None = None) -> None:
        self._asked = () if asked is None else (_Layer(asked, Path.cwd() if cwd is None else cwd),)
        self._folders: dict[Path, Configured] = {}
        self._asked_for: frozenset[Path] = frozenset()

    def is_told(self, code: str, path: Path) -> bool:
        """Say whether a fault of this code in this file is shown."""
        if code in ALWAYS_TOLD:
            return True
        layers = self._layers(path)
        is_on = code not in OFF_BY_DEFAULT
        for layer in layers:
            is_on = _is_selected(code, layer.settings, is_on)
        return is_on and not any(_is_ignored(code, layer, path) for layer in layers)

    def severity_of(self, code: str, severity: Severity, path: Path) -> Severity:
        """How bad a fault of this code is in this file, where it is made with this severity."""
        for layer in reversed(self._layers(path)):
            best = max((one for one in layer.settings.severity if _fits(one, code)), key=_length, default=None)
            if best is not None and code not in ALWAYS_TOLD:
                return layer.settings.severity[best]
        return severity

    def apply(self, found: Iterable[Diagnostic]) -> list[Diagnostic]:
        """What is told of all that was found, each as bad as the settings say."""
        told = []
        for one in found:
            path = Path(one.place.path)
            if self.is_told(one.code, path):
                severity = self.severity_of(one.code, one.severity, path)
                told.append(one if severity is one.severity else replace(one, severity=severity))
        return told

    def mistakes(self, paths: frozenset[Path]) -> list[Diagnostic]:
        """What is wrong in the settings of these files, and of those that were asked for before."""
        # An editor asks again and again for the same thousands of files.
        if paths is not self._asked_for:
            for folder in {path.parent for path in paths - self._asked_for}:
                self.configured(folder)
            self._asked_for = paths
        files = {configured.file: configured for configured in self._folders.values()}
        return [mistake for configured in files.values() for mistake in configured.mistakes]

    def configured(self, folder: Path) -> Configured:
        """The settings of the nearest file, for a folder."""
        known = self._folders.get(folder)
        if known is None:
            known = settings_in(folder)
            if known is None:
                known = Configured() if folder == folder.parent else self.configured(folder.parent)
            self._folders[folder] = known
        return known

    def _layers(self, path: Path) -> tuple[_Layer, ...]:
        configured = self.configured(path.parent)
        if configured.file is None:
            return self._asked
        return (_Layer(configured.settings, configured.file.parent), *self._asked)


def _is_selected(code: str, settings: LintSettings, is_on: bool) -> bool:
    """Let the longest selector that fits decide; between two of one length the one that ignores."""
    chosen = (*(settings.select or ()), *settings.extend_select)
    wanted = max((_length(one) for one in chosen if _fits(one, code)), default=-1)
    unwanted = max((_length(one) for one in settings.ignore if _fits(one, code)), default=-1)
    if wanted == unwanted == -1:
        return is_on and settings.select is None
    return wanted > unwanted


def _is_ignored(code: str, layer: _Layer, path: Path) -> bool:
    return any(
        any(_fits(one, code) for one in codes) and is_matched(pattern, layer.home, path)
        for pattern, codes in layer.settings.per_file_ignores.items()
    )


def _fits(selector: str, code: str) -> bool:
    return selector == ALL or code.startswith(selector)


def _length(selector: str) -> int:
    return 0 if selector == ALL else len(selector)
