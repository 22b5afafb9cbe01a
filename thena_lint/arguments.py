"""The command line of `thena-lint`: arguments in, a request out. It reads no file."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

from thena_contract.fault import Severity
from thena_contract.spelling import nearest
from thena_lint.request import Check, Explain, Fixing, ListRules, OutputFormat, Request, ShowSettings, ShowVersion
from thena_lint.settings import LintSettings, mistake_in_selector, mistake_in_severity

STDIN: Final = "-"
_PROGRAM: Final = "thena-lint"
_ELSEWHERE: Final = {
    "--add-noqa": "--add-ignore writes the comments",
    "--exclude": 'name what isn\'t linted in the settings, as exclude = ["..."], or in .gitignore',
    "--extend-exclude": 'name what isn\'t linted in the settings, as exclude = ["..."], or in .gitignore',
    "--isolated": "options on the command line count more than the settings of files",
    "--output-file": "send standard output to a file, as with > FILE",
    "-o": "send standard output to a file, as with > FILE",
    "--quiet": "--output-format concise tells a line for each fault",
    "-q": "--output-format concise tells a line for each fault",
}
"""What does the work of options that other linters have."""

_EPILOG: Final = """\
other commands (type ./rules for a folder that is called so):
  thena-lint explain CODE   show the page of a fault: why it is one, a wrong and a right example
  thena-lint rules          list all faults

exit code:
  0  nothing to report, or information alone
  1  errors or warnings, also of files that can't be decoded or parsed
  2  something couldn't be opened or written, the settings or the command line are wrong, or the linter failed

Settings are read from the nearest `[tool.thena.lint]` in pyproject.toml or `[lint]` in thena.toml.
A line is silenced with `# thena: ignore[THN201]`, a file with `# thena: ignore-file[THN201]`.
"""


def read_arguments(arguments: Sequence[str] | None) -> Request:
    """What these arguments ask for; those of the process for `None`.

    Raises:
        SystemExit: after `--help` (0), or where they make no sense (2); the text is written.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    match given:
        case ["explain" | "rule", *rest]:
            return _explain(rest)
        case ["rules", *rest]:
            return _rules(rest)
        case ["check", *rest]:
            return _check(rest)
        case _:
            return _check(given)


def _explain(arguments: Sequence[str]) -> Explain:
    parser = argparse.ArgumentParser(
        prog=f"{_PROGRAM} explain",
        allow_abbrev=False,
        description="Show the page of a fault: why it is one, a wrong and a right example.",
    )
    parser.add_argument("asked", metavar="CODE", help="THN201 or state-not-declared; THN20 lists all that begin so")
    return Explain(asked=parser.parse_args(arguments).asked)


def _rules(arguments: Sequence[str]) -> ListRules:
    parser = argparse.ArgumentParser(
        prog=f"{_PROGRAM} rules",
        allow_abbrev=False,
        description="List every fault: its code, its name, how bad it is, and what it is.",
    )
    parser.add_argument("--output-format", choices=("text", "json"), default="text", help="default: text")
    return ListRules(as_json=parser.parse_args(arguments).output_format == "json")


def _check(arguments: Sequence[str]) -> Request:
    parser = _parser()
    given, unknown = parser.parse_known_args(arguments)
    if unknown:
        parser.error(_no_such_option(parser, unknown[0]))
    if given.version:
        return ShowVersion()
    settings = LintSettings(
        select=_joined(given.select),
        extend_select=_joined(given.extend_select) or (),
        ignore=_joined(given.ignore) or (),
        per_file_ignores=_by_pattern(given.per_file_ignores),
        severity=dict(given.severity),
    )
    paths = tuple(Path(path) for path in given.paths if path != STDIN)
    if given.show_settings:
        return ShowSettings(paths=paths or (Path(),), settings=settings)
    _refuse_what_does_not_fit(parser, given)
    return Check(
        paths=paths or (Path(),),
        settings=settings,
        output_format=OutputFormat(given.output_format),
        explain_unknown=given.explain_unknown,
        statistics=given.statistics,
        exit_zero=given.exit_zero,
        from_stdin=STDIN in given.paths,
        stdin_name=given.stdin_filename,
        baseline=given.baseline,
        write_baseline=given.write_baseline,
        add_ignore=given.add_ignore,
        watch=given.watch,
        fixing=Fixing.DIFF if given.diff else Fixing.WRITE if given.fix else Fixing.OFF,
        unsafe_fixes=given.unsafe_fixes,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=_PROGRAM,
        usage=f"{_PROGRAM} [option ...] [PATH ...]",
        allow_abbrev=False,
        add_help=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Find wiring faults in agents, tools and workflows without running them.",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "paths", nargs="*", default=[], metavar="PATH", help="files and folders (default: .); - is standard input"
    )
    _add_selection(parser.add_argument_group("what is told (CODE is a code, the beginning of one, or ALL)"))
    _add_output(parser.add_argument_group("how it is told"))
    _add_fixes(parser.add_argument_group("what is repaired"))
    _add_known(parser.add_argument_group("what is known already"))
    _add_others(parser.add_argument_group("others"))
    return parser


def _add_selection(group: argparse._ArgumentGroup) -> None:
    codes: dict[str, Any] = {"action": "append", "metavar": "CODE,..."}
    group.add_argument("--select", type=_wanted, help="tell these alone", **codes)
    group.add_argument("--extend-select", type=_wanted, help="tell these too", **codes)
    group.add_argument("--ignore", type=_unwanted, help="don't tell these", **codes)
    group.add_argument(
        "--per-file-ignores",
        type=_pattern_and_codes,
        action="append",
        default=[],
        metavar="PATTERN:CODE,...",
        help="don't tell these of files that match a pattern as in .gitignore; with ! first, of all others",
    )
    group.add_argument(
        "--severity",
        type=_code_and_severity,
        action="append",
        default=[],
        metavar="CODE=LEVEL",
        help="take these for an error, a warning, an information or a hint",
    )


def _add_output(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--output-format",
        choices=[one.value for one in OutputFormat],
        default="text",
        metavar="FORMAT",
        help=f"{', '.join(OutputFormat)} (default: text)",
    )
    group.add_argument(
        "--statistics", action="store_true", help="count the faults by code, and what couldn't be seen by kind"
    )
    group.add_argument(
        "--explain-unknown",
        action="store_true",
        help="tell what couldn't be seen, and why; the exit code stays the same",
    )
    group.add_argument("--exit-zero", action="store_true", help="exit with 0 also where faults are found")
    group.add_argument("--watch", action="store_true", help="lint again whenever a file changes, until Ctrl-C")


def _add_fixes(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--fix", action="store_true", help="repair what can be repaired for certain, and tell the rest")
    group.add_argument(
        "--unsafe-fixes",
        action="store_true",
        help="count repairs, too, after which a program that runs may do something else",
    )
    group.add_argument("--diff", action="store_true", help="show what --fix would change, and change nothing")


def _add_known(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--baseline", type=Path, metavar="FILE", help="don't tell what this file lists; tell what it lists in vain"
    )
    group.add_argument("--write-baseline", action="store_true", help="write what is found now into --baseline FILE")
    group.add_argument("--add-ignore", action="store_true", help="silence what is found now with a comment on its line")


def _add_others(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--stdin-filename", type=Path, metavar="FILE", help="the file that standard input (-) is the text of"
    )
    group.add_argument("--no-cache", action="store_true", help="find everything out anew, and keep nothing")
    group.add_argument(
        "--cache-dir",
        metavar="FOLDER",
        help="where answers are kept (default: THENA_CACHE_DIR, else .thena_cache in the project's folder)",
    )
    group.add_argument("--show-settings", action="store_true", help="print the settings that hold, and exit")
    group.add_argument("--version", action="store_true", help="print the version and exit")
    group.add_argument("-h", "--help", action="help", help="print this and exit")


def _no_such_option(parser: argparse.ArgumentParser, option: str) -> str:
    name = option.partition("=")[0]
    instead = _ELSEWHERE.get(name)
    if instead is None:
        options = [one for action in parser._actions for one in action.option_strings if one.startswith("--")]
        near = nearest(name, options)
        instead = f"see {_PROGRAM} --help" if near is None else f"did you mean {near}?"
    return f"there is no option {name}: {instead}"


def _refuse_what_does_not_fit(parser: argparse.ArgumentParser, given: argparse.Namespace) -> None:
    is_stdin = STDIN in given.paths
    if given.stdin_filename is not None and not is_stdin:
        parser.error("--stdin-filename names the file of standard input: give - as a path too")
    if given.write_baseline and given.baseline is None:
        parser.error("--write-baseline needs --baseline FILE to write to")
    if is_stdin and (given.watch or given.add_ignore):
        parser.error("standard input (-) can't be watched or edited: name the file")
    if sum((given.write_baseline, given.add_ignore, given.watch)) > 1:
        parser.error("give one of --write-baseline, --add-ignore and --watch")
    if (given.statistics or given.explain_unknown) and given.output_format not in ("text", "json"):
        parser.error("--statistics and --explain-unknown are told in the formats text and json only")


def _joined(lists: Sequence[tuple[str, ...]] | None) -> tuple[str, ...] | None:
    return None if lists is None else tuple(code for codes in lists for code in codes)


def _by_pattern(pairs: Sequence[tuple[str, tuple[str, ...]]]) -> dict[str, tuple[str, ...]]:
    by_pattern: dict[str, tuple[str, ...]] = {}
    for pattern, codes in pairs:
        by_pattern[pattern] = (*by_pattern.get(pattern, ()), *codes)
    return by_pattern


def _wanted(text: str) -> tuple[str, ...]:
    return _codes(text, ignoring=False)


def _unwanted(text: str) -> tuple[str, ...]:
    return _codes(text, ignoring=True)


def _codes(text: str, *, ignoring: bool) -> tuple[str, ...]:
    codes = tuple(stripped for one in text.split(",") if (stripped := one.strip()))
    for code in codes:
        fault = mistake_in_selector(code, ignoring=ignoring)
        if fault is not None:
            _refuse(fault.message)
    return codes


def _pattern_and_codes(text: str) -> tuple[str, tuple[str, ...]]:
    pattern, colon, codes = text.rpartition(":")
    if not colon or not pattern:
        _refuse(f"`{text}` is no pattern with codes. Write one like `tests/**:THN8`.")
    return pattern, _unwanted(codes)


def _code_and_severity(text: str) -> tuple[str, Severity]:
    code, equals, level = text.partition("=")
    if not equals:
        _refuse(f"`{text}` is no code with a severity. Write one like `THN214=error`.")
    fault = mistake_in_selector(code.strip(), ignoring=True) or mistake_in_severity(level.strip())
    if fault is not None:
        _refuse(fault.message)
    return code.strip(), Severity(level.strip())


def _refuse(message: str) -> NoReturn:
    raise argparse.ArgumentTypeError(message)
