"""Git repositories of a test, and pre-commit in them, apart from what this machine and a surrounding git have set."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

_IDENTITY: Final = ("-c", "user.name=test", "-c", "user.email=test@example.invalid")
_LONGEST_INSTALLATION: Final = 600.0


def clean_environment() -> dict[str, str]:
    """The environment without what a surrounding git, whose hook may run these tests, has put there."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


def git(folder: Path, *arguments: str) -> str:
    """Run git with an identity of its own and none of the machine's settings."""
    environment = {**clean_environment(), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(
        ["git", *_IDENTITY, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def committed(folder: Path) -> str:
    """Make a folder a git repository with one commit of all that is in it; return the commit's id."""
    git(folder, "init", "--quiet")
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--message", "all")
    return git(folder, "rev-parse", "HEAD")


def pre_commit(*arguments: str, cwd: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of the real pre-commit in a repository; its hooks' environments are kept in the cache."""
    return _hooked([sys.executable, "-P", "-m", "pre_commit", *arguments], cwd, cache)


def commit(project: Path, *, cache: Path) -> subprocess.CompletedProcess[str]:
    """Commit what is staged, with the hooks that `pre-commit install` has put into the repository."""
    return _hooked(["git", *_IDENTITY, "commit", "--quiet", "--message", "next"], project, cache)


def _hooked(command: list[str], cwd: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as in this Python's environment, activated."""
    environment = clean_environment()
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    environment |= {"PRE_COMMIT_HOME": str(cache), "PRE_COMMIT_COLOR": "never"}
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=_LONGEST_INSTALLATION, check=False
    )
