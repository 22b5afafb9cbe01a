"""The text that the server has is the one on the screen, after any edits."""

import os
import random
from pathlib import Path
from typing import Any, Final

import pytest
from lsprotocol import types as lsp

from tests.support.texts import EditorText
from thena_lsp.convert import Encoding, TextLines
from thena_lsp.session import Session

EDITS: Final = int(os.environ.get("THENA_EDITS", "3000"))
"""How many edits are made in all; 100,000 take two minutes."""

LONGEST: Final = 400


def event(change: dict[str, Any]) -> lsp.TextDocumentContentChangePartial:
    """A change as the protocol's types have it."""
    start, end = (lsp.Position(**change["range"][end]) for end in ("start", "end"))
    return lsp.TextDocumentContentChangePartial(lsp.Range(start, end), change["text"])


@pytest.mark.parametrize("encoding", Encoding, ids=str)
def test_after_any_edits_the_text_is_the_editors(tmp_path: Path, encoding: Encoding) -> None:
    """Random edits with odd characters, several in a notification, leave the same text on both sides."""
    path = tmp_path / "odd.py"
    session = Session(encoding)
    for seed in range(max(EDITS // len(Encoding) // 200, 1)):
        chance = random.Random(f"{seed} {encoding}")
        editor = EditorText("", str(encoding), chance)
        session.open(path.as_uri(), 0, editor.text)
        made, version = 0, 0
        while made < 200:
            changes = [event(editor.edit()) for _ in range(chance.randint(1, 5))]
            made, version = made + len(changes), version + 1
            session.change(path.as_uri(), version, changes)
            if len(editor.text) > LONGEST:
                editor.text = editor.text[:20]
                session.change(path.as_uri(), version, [lsp.TextDocumentContentChangeWholeDocument(editor.text)])
        assert (TextLines.of(editor.text), version) == text_of(session, path), f"with seed {seed}"


def text_of(session: Session, path: Path) -> tuple[TextLines, int | None]:
    """The text of an open file with its lines, and its version."""
    document = session.snapshot().documents[path]
    return document.lines, document.version
