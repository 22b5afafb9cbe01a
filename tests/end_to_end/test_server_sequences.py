"""The sequences of tests/lsp/test_sequences.py, through a real process and its pipes."""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Final

from hypothesis import HealthCheck, settings
from hypothesis.stateful import initialize, invariant
from lsprotocol import types as lsp

from tests.lsp.test_sequences import AGENT, FLOW, SEQUENCES, STATE, Row, Sequences, file_of
from tests.support.lsp import Client, Json

STEPS: Final = 12
_PUBLISH: Final = "textDocument/publishDiagnostics"


class Remote:
    """A session behind pipes: what is told to it is sent."""

    def __init__(self, folder: Path) -> None:
        self.client = Client(folder)
        self.client.initialize()

    def open(self, uri: str, version: int, text: str) -> None:
        """Open a text."""
        item = {"uri": uri, "languageId": "python", "version": version, "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, uri: str, version: int, changes: Sequence[lsp.TextDocumentContentChangeWholeDocument]) -> None:
        """Replace a text."""
        self.client.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": uri, "version": version},
                "contentChanges": [{"text": one.text} for one in changes],
            },
        )

    def close(self, uri: str) -> None:
        """Close a text."""
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def touch(self, uris: Iterable[str]) -> None:
        """Tell of changes on disk."""
        changes = [{"uri": uri, "type": 2} for uri in uris]
        self.client.notify("workspace/didChangeWatchedFiles", {"changes": changes})


class Sent:
    """An editor that shows what comes through the pipe."""

    def touched(self, session: Remote, path: Path) -> None:
        """Wait."""

    def closing(self, session: Remote, path: Path) -> None:
        """Wait."""

    def settle(self, session: Remote, opened: Collection[Path]) -> None:
        """Wait."""


class SentSequences(Sequences):
    """One server, one folder."""

    remote: Remote

    @initialize()
    def begin(self) -> None:  # type: ignore[override]
        """A project that is right, and a server that has begun with it."""
        for name, text in (("agent.py", AGENT), ("state.py", STATE), ("flow.py", FLOW), ("kit.py", "")):
            self.put(name, text)
        self.remote = Remote(self.folder)
        # The rules tell it what they would tell a session.
        self.session = self.remote  # type: ignore[assignment]
        self.editor = Sent()  # type: ignore[assignment]

    def teardown(self) -> None:
        """End the server, which has had nothing to complain of."""
        stderr = ""
        if hasattr(self, "remote"):
            assert 0 == self.remote.client.stop()
            stderr = self.remote.client.stderr
            self.remote.client.__exit__()
        super().teardown()
        assert "" == stderr

    @invariant()
    def what_is_shown_is_what_a_fresh_run_finds(self) -> None:
        """What has been sent becomes what the command line finds, and stays so."""
        if not hasattr(self, "remote") or not self.is_comparable:
            return
        expected = self.found_afresh(self.linted)

        def shown(messages: list[Json]) -> dict[Path, Sequence[Row]] | None:
            last = {
                one["params"]["uri"]: one["params"]["diagnostics"] for one in messages if one.get("method") == _PUBLISH
            }
            every = {file_of(uri): [_row(each) for each in found] for uri, found in last.items() if found}
            return every if expected == self.without_unlinted(every) else None

        self.remote.client.wait_for(f"{expected}", shown)


def _row(one: Json) -> Row:
    start = one["range"]["start"]
    return one["code"], start["line"], start["character"], one["message"]


SentSequences.TestCase.settings = settings(
    max_examples=max(2, SEQUENCES // 10),
    stateful_step_count=STEPS,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=False,
)
TestSentSequences = SentSequences.TestCase
