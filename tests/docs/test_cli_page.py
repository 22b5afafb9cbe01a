"""The page about the command line: every command on it is run, and prints what the page says."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.cli.thena_process import LONGEST_WAIT, environment, timeless

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "cli.md"
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def shown(commands: list[str], folder: Path) -> tuple[str, Path]:
    """A block with these commands and what each prints, and the folder after them."""
    told = []
    for command in commands:
        told.append(f"$ {command}")
        if command.startswith("cd "):
            folder = folder / command.removeprefix("cd ")
            continue
        done = subprocess.run(
            ["bash", "-c", f'thena() {{ "{sys.executable}" -m thena_cli "$@"; }}; {command}'],
            cwd=folder,
            env={**environment(), "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=LONGEST_WAIT,
            check=False,
        )
        printed = timeless(done.stdout).replace("<t>", "12ms").replace(str(folder), "/home/ada/my-app")
        told += printed.rstrip("\n").split("\n")
    return "".join(f"{line}\n" for line in told), folder


def lasting(block: str) -> list[str]:
    """The lines of a block that don't depend on how fast a run is: when a row is written is a matter of time."""
    return sorted(line for line in timeless(block).splitlines() if "▸" not in line)


def test_the_page_shows_what_is_printed(tmp_path: Path) -> None:
    """All commands of the page, one after the other in a new folder, print what stands below them."""
    page, folder, blocks = PAGE.read_text(encoding="utf-8"), tmp_path, []
    for block in _BLOCK.findall(page):
        commands = [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]
        printed, folder = shown(commands, folder)
        blocks.append((block, printed))
    if os.environ.get("THENA_REWRITE") == "1":
        for block, printed in blocks:
            page = page.replace(f"```console\n{block}```", f"```console\n{printed}```")
        PAGE.write_text(page, encoding="utf-8")
        return
    assert [] != blocks
    assert [lasting(block) for block, _ in blocks] == [lasting(printed) for _, printed in blocks]
