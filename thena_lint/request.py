"""What a command line asks for, as a value: `arguments.py` makes it, and what acts on it reads it."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class OutputFormat(StrEnum):
    """How findings are written."""

    TEXT = "text"
    JSON = "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Lint these files and folders, and report."""

    paths: tuple[Path, ...] = (Path(),)
    output_format: OutputFormat = OutputFormat.TEXT
    explain_unknown: bool = False
    statistics: bool = False


@dataclass(frozen=True, slots=True)
class ShowVersion:
    """Print the version."""


Request = Check | ShowVersion
