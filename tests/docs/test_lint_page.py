"""`docs/lint.md` names everything that `thena-lint` takes, and what it shows is what the linter says."""

import re
import tomllib
from pathlib import Path
from typing import Final

from tests.support.linting import FAULTY, lint, write_files
from thena_lint.settings import KEYS, read_keys

PAGE: Final = (Path(__file__).parents[2] / "docs" / "lint.md").read_text(encoding="utf-8")


def test_every_option_is_named(tmp_path: Path) -> None:
    """The table of options is what `--help` lists, and nothing else."""
    helped = re.findall(r"^ +(?:-h, )?(--[a-z-]+)", lint(tmp_path, "--help").stdout, flags=re.MULTILINE)
    table = re.search(r"## Options\n(.*?)\n## ", PAGE, flags=re.DOTALL)
    assert table is not None
    rows = [row for row in table[1].splitlines() if row.startswith("| `--")]

    assert sorted(helped) == sorted(name for row in rows for name in re.findall(r"--[a-z-]+", row.split("|")[1]))


def test_every_key_is_named() -> None:
    """The table of keys is that of the settings, in their order."""
    table = re.search(r"## Settings\n(.*?)\n## ", PAGE, flags=re.DOTALL)
    assert table is not None

    assert list(KEYS) == re.findall(r"^\| `([a-z-]+)` \|", table[1], flags=re.MULTILINE)


def test_the_settings_shown_are_right() -> None:
    """The example has no mistake."""
    [text] = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
    _, mistakes = read_keys(tomllib.loads(text)["tool"]["thena"]["lint"])

    assert () == mistakes


def test_the_report_shown_is_what_is_said(tmp_path: Path) -> None:
    """The first example is word for word what the linter writes."""
    shown = re.search(r"```console\n\$ thena-lint\n(.*?)```", PAGE, flags=re.DOTALL)
    assert shown is not None
    write_files(tmp_path, {"app/flow.py": FAULTY})

    assert shown[1] == lint(tmp_path).stdout
