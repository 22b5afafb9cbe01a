"""Workspaces that are large, closed or gone, and files that are: what can be read is judged, and the editor served."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.lsp import Client

AGENT: Final = """\
from thena_runtime import Agent, Prompt, ScriptedProvider, State


class Draft:
    pass


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Write."))
class Writer:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s
"""

FLOW: Final = """\
from agent import Writer
from thena_runtime import Workflow


@Workflow(steps=[Writer])
class Flow:
    pass
"""

AS_NOBODY: Final = """
import contextlib, io, os, sys
from thena_lint.cli import main
from thena_lsp import analysis
from thena_lsp.process import end, take_over_streams
from thena_lsp.server import make_server, serve

with contextlib.redirect_stdout(io.StringIO()):
    main([sys.argv[1]])
server = make_server()
if os.geteuid() == 0:
    os.setegid(65534), os.seteuid(65534)
end(serve(server, *take_over_streams()))
"""
"""The server as somebody who isn't root, who may read anything: once around for its imports, then as nobody."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose workflow declares no state."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "agent.py").write_text(AGENT)
    (folder / "flow.py").write_text(FLOW)
    return folder


def test_ten_thousand_files(project: Path) -> None:
    """In a large workspace an open file is answered while the rest is read, and then all of it is judged."""
    for number in range(10_000):
        path = project / f"part_{number % 100}" / f"module_{number}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"import os\n\n\ndef work_{number}(x):\n    return os.sep + x\n")
    last = project / "part_99" / "z"
    last.mkdir()
    (last / "agent.py").write_text(AGENT)
    (last / "flow.py").write_text(FLOW)
    with Client(project, capabilities={"window": {"workDoneProgress": True}}) as client:
        client.initialize()
        client.open(project / "flow.py")
        client.codes(project / "agent.py", ["THN201"])
        assert client.hover(project / "flow.py", 5, 7) is not None
        client.codes(last / "agent.py", ["THN201"])
        client.replace(project / "flow.py", FLOW.replace("[Writer]", "[]"))
        client.codes(project / "agent.py", [])
        assert 0 == client.stop()
    assert "" == client.stderr


def test_how_far_the_reading_is(project: Path) -> None:
    """A client that shows progress is told of it from the beginning to the end, under a token that it has agreed to."""
    for number in range(1000):
        (project / f"module_{number}.py").write_text("")
    with Client(project, capabilities={"window": {"workDoneProgress": True}}) as client:
        client.initialize()
        client.wait_for("the end", lambda _: ends(client) or None)
        (created,) = client.messages("window/workDoneProgress/create")
        progress = client.messages("$/progress")
        assert {created["token"]} == {one["token"] for one in progress}
        kinds = [one["value"]["kind"] for one in progress]
        assert ["begin", *["report"] * (len(kinds) - 2), "end"] == kinds
        first, percentages = progress[0]["value"], [one["value"]["percentage"] for one in progress[:-1]]
        assert ("Thena", "982 files to read", 0) == (first["title"], first["message"], first["percentage"])
        assert len(percentages) > 10
        assert sorted(set(percentages)) == percentages
        client.codes(project / "agent.py", ["THN201"])
        assert 0 == client.stop()
    assert "" == client.stderr


def test_what_is_asked_at_once_is_answered_as_later(project: Path) -> None:
    """What is asked before the folders are read waits for that, also about files that aren't open; or is cancelled."""
    for number in range(300):
        (project / f"module_{number}.py").write_text(f"x = {number}\n" * 300)
    (project / "z.py").write_text(FLOW.replace("Flow", "Another") + "\n\nx = 1  # thena: ignore[THN201]\n")
    literal = {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}}
    with Client(project, capabilities={"textDocument": literal}) as client:
        client.initialize()
        place = {"textDocument": {"uri": (project / "agent.py").as_uri()}, "position": {"line": 8, "character": 8}}
        given_up, hover = client.ask("textDocument/hover", place), client.ask("textDocument/hover", place)
        context = {"diagnostics": [], "only": ["source.fixAll"]}
        start = {"line": 0, "character": 0}
        document = {"uri": (project / "z.py").as_uri()}
        params = {"textDocument": document, "range": {"start": start, "end": start}, "context": context}
        actions = client.ask("textDocument/codeAction", params)
        client.notify("$/cancelRequest", {"id": given_up})
        assert -32800 == client.wait_answer(given_up)["error"]["code"]
        told = client.wait_answer(hover)["result"]["contents"]["value"]
        assert "`Flow`" in told
        assert "`Another`" in told
        assert ["Apply all safe Thena fixes in this file"] == [
            one["title"] for one in client.wait_answer(actions)["result"]
        ]
        client.codes(project / "agent.py", ["THN201", "THN201"])
        assert told == client.hover(project / "agent.py", 8, 8)
        assert 0 == client.stop()
    assert "" == client.stderr


def ends(client: Client) -> list[str]:
    """The tokens of what has come to its end."""
    return [one["token"] for one in client.messages("$/progress") if one["value"]["kind"] == "end"]


@pytest.mark.parametrize("shows", [True, False])
def test_nothing_is_shown_of_what_takes_no_time(project: Path, shows: bool) -> None:
    """A small workspace is read before anybody could look, and some clients show nothing anyway."""
    for number in range(0 if shows else 1000):
        (project / f"module_{number}.py").write_text("")
    with Client(project, capabilities={"window": {"workDoneProgress": shows}}) as client:
        client.initialize()
        client.codes(project / "agent.py", ["THN201"])
        assert 0 == client.stop()
        assert [] == client.messages("window/workDoneProgress/create")


def test_a_file_of_a_megabyte(project: Path) -> None:
    """A very long file that is open is judged as any other, at its end too, and edited there."""
    filler = '\n\nTEXT = """\n' + "What a model is to know about everything.\n" * 23_500 + '"""\n\n\n'
    text = AGENT + filler + FLOW.replace("from agent import Writer\n", "")
    assert 950_000 < len(text) < 1_000_000
    long = project / "long.py"
    with Client(project) as client:
        client.initialize()
        client.open(project / "flow.py", "")
        client.open(long, text)
        assert [10] == [one["range"]["start"]["line"] + 1 for one in client.codes(long, ["THN201"])]
        line = text.count("\n") - 4
        spot = {"line": line + 1, "character": 0}
        version = client.change(long, {"range": {"start": spot, "end": spot}, "text": "# a comment\n"})
        client.codes(long, ["THN201"], version)
        version = client.replace(long, text + filler)
        client.codes(long, ["THN201"], version)
        assert 0 == client.stop()
    assert "" == client.stderr


@pytest.fixture
def partly_closed() -> Iterator[Path]:
    """A project with a folder and a file that only root can read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "agent.py").write_text(AGENT)
        (folder / "closed").mkdir()
        for path in ("flow.py", "secret.py", "closed/flow.py"):
            (folder / path).write_text(FLOW)
        (folder / "secret.py").chmod(0)
        (folder / "closed").chmod(0)
        yield folder
        (folder / "closed").chmod(0o700)


def test_a_folder_and_a_file_that_cannot_be_read(partly_closed: Path) -> None:
    """What is closed to the server is passed over; the rest is judged, and what is open counts all the same."""
    project, closed = partly_closed, partly_closed / "closed"
    command = [sys.executable, "-c", AS_NOBODY, __file__]
    with Client(project, folders=[project, closed, closed / "inside"], command=command) as client:
        client.initialize()
        client.codes(project / "agent.py", ["THN201"])
        client.codes(project / "secret.py", ["THN905"])
        client.open(project / "secret.py", "import thena_runtime\n\ndef (:\n")
        client.codes(project / "secret.py", ["THN901"])
        client.open(closed / "flow.py", "import thena_runtime\n\ndef (:\n")
        client.codes(closed / "flow.py", ["THN901"])
        client.changed_on_disk({closed / "flow.py": 2})
        client.replace(closed / "flow.py", "import thena_runtime\n")
        client.codes(closed / "flow.py", [])
        assert 0 == client.stop()
    assert "" == client.stderr


def test_a_workspace_that_goes_away(project: Path) -> None:
    """When the folder itself is deleted, its faults are cleared and what is open is still judged."""
    with Client(None, folders=[project, project / "never", project / "flow.py"]) as client:
        client.initialize()
        client.open(project / "flow.py")
        client.codes(project / "agent.py", ["THN201"])
        shutil.rmtree(project)
        client.changed_on_disk({project / "agent.py": 3, project / "flow.py": 3})
        client.codes(project / "agent.py", [])
        client.replace(project / "flow.py", "import thena_runtime\n\ndef (:\n")
        client.codes(project / "flow.py", ["THN901"])
        assert 0 == client.stop()
    assert "" == client.stderr


def test_what_only_looks_like_a_file(project: Path) -> None:
    """Links into nothing and in circles, pipes, and folders with a file's name hold nobody up."""
    (project / "nowhere.py").symlink_to(project / "gone.py")
    (project / "circle.py").symlink_to(project / "circle.py")
    (project / "loop").symlink_to(project)
    (project / "folder.py").mkdir()
    os.mkfifo(project / "pipe.py")
    with Client(project) as client:
        client.initialize()
        client.codes(project / "agent.py", ["THN201"])
        client.changed_on_disk({project / name: 2 for name in ("nowhere.py", "circle.py", "folder.py", "pipe.py")})
        client.open(project / "flow.py", FLOW.replace("[Writer]", "[]"))
        client.codes(project / "agent.py", [])
        assert 0 == client.stop()
    assert "" == client.stderr
