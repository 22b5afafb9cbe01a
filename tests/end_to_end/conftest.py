"""What tests of the server as a process share; each module has a `project` of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.lsp import Client


@pytest.fixture
def client(project: Path) -> Iterator[Client]:
    """A server that has begun with that project."""
    with Client(project) as client:
        client.initialize()
        yield client
