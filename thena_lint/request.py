"""What a command line asks for, as a value: `arguments.py` makes it, and what acts on it reads it."""

from enum import Enum, StrEnum
from pathlib import Path

from thena_contract.frozen import frozen
from thena_lint.settings import DEFAULTS, LintSettings


class OutputFormat(StrEnum):
    """How findings are written."""

    TEXT = "text"
    CONCISE = "concise"
    JSON = "json"
    JSON_LINES = "json-lines"
    GITHUB = "github"
    GITLAB = "gitlab"
    JUNIT = "junit"
    SARIF = "sarif"


class Fixing(Enum):
    """What is done with fixes: nothing, they are told as a diff, or they are written to the files."""

    OFF = "off"
    DIFF = "diff"
    WRITE = "write"


@frozen(kw_only=True)
class Check:
    """Lint these files and folders, and report. `settings` are what the command line adds to those of the project."""

    paths: tuple[Path, ...] = (Path(),)
    settings: LintSettings = DEFAULTS
    output_format: OutputFormat = OutputFormat.TEXT
    explain_unknown: bool = False
    statistics: bool = False
    exit_zero: bool = False
    from_stdin: bool = False
    """One file's text comes from standard input; with `stdin_name` it takes the place of that file."""

    stdin_name: Path | None = None
    baseline: Path | None = None
    write_baseline: bool = False
    add_ignore: bool = False
    watch: bool = False
    fixing: Fixing = Fixing.OFF
    unsafe_fixes: bool = False

    @property
    def is_repeatable(self) -> bool:
        """Say whether asking again must tell the same, as long as no file changes: where nothing else is asked for."""
        return self == Check(
            paths=self.paths,
            settings=self.settings,
            output_format=self.output_format,
            exit_zero=self.exit_zero,
            baseline=self.baseline,
            fixing=self.fixing,
            unsafe_fixes=self.unsafe_fixes,
        )


@frozen(kw_only=True)
class ShowSettings:
    """Print what holds for these paths, and where it comes from."""

    paths: tuple[Path, ...]
    settings: LintSettings


@frozen(kw_only=True)
class Explain:
    """Print the page of a fault, by its code or name, or the faults that begin so."""

    asked: str


@frozen(kw_only=True)
class ListRules:
    """Print every fault with its name and severity."""

    as_json: bool


@frozen
class ShowVersion:
    """Print the version."""


Request = Check | ShowSettings | Explain | ListRules | ShowVersion
