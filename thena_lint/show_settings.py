"""The settings that hold for some paths, as TOML that says where they come from."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from thena_contract.codes import NAMES
from thena_lint.policy import Policy
from thena_lint.settings import LintSettings
from thena_lint.source.discover import absolute


def render_settings(paths: Sequence[Path], asked: LintSettings) -> str:
    """One part for each file of settings, and for each which codes are told where nothing but a file's name decides."""
    policy = Policy(asked)
    folders = [path if path.is_dir() else path.parent for path in map(absolute, paths)]
    by_file: dict[Path | None, Path] = {}
    for folder in folders:
        by_file.setdefault(policy.configured(folder).file, folder)
    return "\n".join(_part(policy, folder, asked) for folder in by_file.values())


def _part(policy: Policy, folder: Path, asked: LintSettings) -> str:
    configured = policy.configured(folder)
    told = [code for code in NAMES if policy.is_told(code, folder / "any.py")]
    off = [code for code in NAMES if code not in told]
    lines = [f"# For {folder}, from {configured.file or 'no file: these are the defaults'}"]
    lines += _lines(configured.settings)
    if asked != LintSettings():
        lines += ["# The command line adds", *(f"# {line}" for line in _lines(asked) if not _is_empty(line))]
    lines.append(f"# {len(told)} of {len(NAMES)} codes are told; not told: {', '.join(off) or 'none'}")
    lines += [
        f"# {one.place.path}:{one.place.line}: {one.code} {one.message}"
        for one in sorted(configured.mistakes, key=lambda one: one.sort_key)
    ]
    return "\n".join(lines) + "\n"


def _lines(settings: LintSettings) -> list[str]:
    values = {one.name.replace("_", "-"): getattr(settings, one.name) for one in fields(settings)}
    return [f"{name} = {_toml(value)}" for name, value in values.items() if value is not None]


def _is_empty(line: str) -> bool:
    return line.endswith(("= []", "= {}"))


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_toml(key)} = {_toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, str):
        return json.dumps(str(value), ensure_ascii=False)
    assert isinstance(value, tuple), value
    return "[" + ", ".join(map(_toml, value)) + "]"
