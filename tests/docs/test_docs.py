"""The documents: their examples run, their links lead somewhere, and they name no place that only one machine knows."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from thena_lint.analyze import diagnose
from thena_lint.index.project import ProjectIndex

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    path
    for path in [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("examples/*/*.md"),
        *ROOT.glob("editors/*/*.md"),
    ]
    if ".agent." not in path.name
)
BLOCK = re.compile(r'^```python title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def test_the_readme_example_is_clean_and_runs(tmp_path: Path) -> None:
    """The program in the README has no fault, and prints the model's last answer."""
    [(title, text)] = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    file = tmp_path / Path(title).name
    file.write_text(text, encoding="utf-8")

    assert {} == dict(diagnose(ProjectIndex.load([tmp_path])))
    run = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=60, check=False)
    assert ("APPROVED\n", "", 0) == (run.stdout, run.stderr, run.returncode)


def test_the_readme_shows_the_message_that_the_linter_gives(tmp_path: Path) -> None:
    """The README's first example of a finding is word for word what `thena-lint` says."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"THN301 (.*?)\n```", readme, flags=re.DOTALL)
    assert shown is not None
    (tmp_path / "workflow.py").write_text(
        "from thena_runtime import Agent, Prompt, ScriptedProvider, Workflow, loop\n\n\n"
        "@Agent(provider=ScriptedProvider(['x']), prompt=Prompt('x'))\nclass Reviewer: ...\n\n\n"
        "@Workflow(steps=[loop([Reviewer], until=lambda ctx, s: s.approved)])\nclass Review: ...\n",
        encoding="utf-8",
    )

    [found] = [found for file in diagnose(ProjectIndex.load([tmp_path])).values() for found in file]

    assert " ".join(shown[1].split()) == found.message


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_to_files(document: Path) -> None:
    """Every relative link of a document names a file or folder of the repository."""
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text(encoding="utf-8"))
    local = [link for link in links if not re.match(r"[a-z]+:", link)]

    assert [] == [link for link in local if not (document.parent / link).exists()]


def test_the_configurations_of_editors_are_whole() -> None:
    """Each block of docs/editors.md that no test starts an editor with can be read, and names the server."""
    page = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
    read = {"json": json.loads, "toml": tomllib.loads}
    blocks = re.findall(r'^```(json|toml) title="([^"]+)"\n(.*?)^```$', page, re.MULTILINE | re.DOTALL)

    assert ["settings.json", "languages.toml", "settings.json", "LSP.sublime-settings"] == [one[1] for one in blocks]
    assert [] == [title for language, title, text in blocks if "thena" not in str(read[language](text))]
