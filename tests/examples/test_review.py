"""The review example on real input: the shipped sample, and a folder that the test writes."""

import os
import subprocess
import sys
from pathlib import Path

from thena_lint.analyze import diagnose
from thena_lint.index.project import ProjectIndex

EXAMPLES = Path(__file__).parents[2] / "examples"


def review(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the example as its README says."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("THENA_", "OPENAI_"))}
    return subprocess.run(
        [sys.executable, "-m", "review", *arguments],
        cwd=EXAMPLES,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_example_is_clean() -> None:
    """The linter finds nothing in the example."""
    assert {} == dict(diagnose(ProjectIndex.load([EXAMPLES])))


def test_the_sample_is_reviewed() -> None:
    """Every file of the sample is read, and each of its known problems is in the report."""
    run = review()

    assert ("", 0) == (run.stderr, run.returncode)
    assert run.stdout == (
        "5 problems in 3 files.\n"
        "\n"
        "shop/cart.py\n"
        "  line 7: a mutable default argument is shared by all calls\n"
        "  line 12: compare with `is None`\n"
        "\n"
        "shop/discounts.py\n"
        "  line 7: `eval` runs whatever it is given\n"
        "  line 8: a bare `except:` hides every error, Ctrl-C included\n"
        "\n"
        "shop/receipt.py\n"
        "  line 6: something is left to do\n"
    )


def test_another_folder_is_reviewed(tmp_path: Path) -> None:
    """The folder on the command line is what is read."""
    (tmp_path / "one.py").write_text("value = eval(input())\n", encoding="utf-8")
    (tmp_path / "two.py").write_text("fine = True\n", encoding="utf-8")

    run = review(str(tmp_path))

    assert "1 problem in 1 file.\n\none.py\n  line 1: `eval` runs whatever it is given\n" == run.stdout


def test_a_file_that_is_no_text_is_still_reviewed(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 don't end the review."""
    (tmp_path / "odd.py").write_bytes(b"name = '\xff'  # TODO\n")

    run = review(str(tmp_path))

    assert "1 problem in 1 file.\n\nodd.py\n  line 1: something is left to do\n" == run.stdout
