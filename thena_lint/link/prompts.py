"""The files that agents take their prompts from, whether they exist or not."""

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from thena_contract.declarations import PromptFile
from thena_lint.link.assemblies import Linked


def prompt_files(linked: Iterable[Linked], files: Collection[Path]) -> Iterator[tuple[Path, Path]]:
    """The prompts of the agents that are declared in these files, as far as they can be seen, each with its file."""
    for one in linked:
        for agent, _ in one.assembly.all_agents():
            home = one.homes.get(agent.ref)
            if home is not None and home.file in files and isinstance(agent.prompt, PromptFile):
                yield Path(os.path.normpath(home.file.parent / agent.prompt.literal)), home.file
