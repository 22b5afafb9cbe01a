"""The server as a process: its streams, its end, and that whoever asks is answered, whatever happens."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import pytest

from tests.support.lsp import PATIENCE, Client, Json

AGENT: Final = """\
from thena_runtime import Agent, Prompt, ScriptedProvider, State, Workflow


class Draft:
    pass


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Write."))
class Writer:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s


@Workflow(steps=[Writer])
class Flow:
    pass
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of one file, which has a fault."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "flow.py").write_text(AGENT)
    return folder


def error_of(client: Client, method: str, params: Json) -> tuple[int, str]:
    """The code and message with which a request is refused."""
    error = client.wait_answer(client.ask(method, params))["error"]
    return error["code"], error["message"]


# -- streams

NOISE: Final = """
import os, pathlib, subprocess, sys, threading, time

def make_noise():
    while not pathlib.Path({begin!r}).exists():
        time.sleep(0.01)
    for number in range(100):
        print("printed", end="")
        os.write(1, b"written")
    subprocess.run(["echo", "echoed"])
    print("read", repr(sys.stdin.read()))
    pathlib.Path({end!r}).touch()

threading.Thread(target=make_noise, daemon=True).start()
"""


def test_what_is_printed_breaks_no_message(project: Path, tmp_path: Path) -> None:
    """Prints, writes and processes of any module of the server go to stderr, and who reads stdin gets nothing."""
    begin, end, site = tmp_path / "begin", tmp_path / "end", tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(NOISE.format(begin=str(begin), end=str(end)))
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    with Client(project, environment={"PYTHONPATH": path}) as client:
        client.initialize()
        client.codes(project / "flow.py", ["THN201"])
        begin.touch()
        while not end.exists():
            assert client.hover(project / "flow.py", 8, 8) is not None
        client.codes(project / "flow.py", ["THN201"])
        assert 0 == client.stop()
    assert (100, 100, 1, 1) == tuple(client.stderr.count(word) for word in ("printed", "written", "echoed", "read ''"))


# -- the end


def test_the_server_ends_with_its_parent(project: Path) -> None:
    """When the process that the client named is gone, so is the server, though its input is still open."""
    parent = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with Client(project, process_id=parent.pid) as client:
        client.initialize()
        client.codes(project / "flow.py", ["THN201"])
        parent.communicate(b"\n")
        assert 1 == client.process.wait(PATIENCE)


def test_a_parent_that_cannot_be_seen_is_none(project: Path) -> None:
    """An editor outside of the server's container names a process that isn't there, and is served all the same."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    with Client(project, process_id=gone.pid) as client:
        client.initialize()
        client.codes(project / "flow.py", ["THN201"])
        time.sleep(3)
        assert client.hover(project / "flow.py", 8, 8) is not None
        assert 0 == client.stop()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_without_a_traceback(client: Client, project: Path, number: signal.Signals) -> None:
    """Ctrl-C in a terminal that an editor shares, or a service that stops, ends the server quietly."""
    client.codes(project / "flow.py", ["THN201"])
    client.process.send_signal(number)
    assert -number == client.process.wait(PATIENCE)
    assert "" == client.stderr


def test_it_ends_while_it_analyses(tmp_path: Path) -> None:
    """An exit in the middle of the first index is a clean one, and nothing is left on stderr."""
    for number in range(400):
        (tmp_path / f"flow_{number}.py").write_text(AGENT)
    for _ in range(3):
        with Client(tmp_path) as client:
            client.initialize()
            assert 0 == client.stop()
        assert "" == client.stderr


# -- what isn't wanted any more

SLOW: Final = """
import threading
from pathlib import Path
from thena_lsp.process import end, take_over_streams
from thena_lsp.server import make_server, serve

server = make_server()
begun, stopped = [], []

@server.feature("test/slow")
async def slow(ls, params):
    def work(session, check):
        begun.append(params.number)
        Path("begun").touch()
        try:
            while True:
                check()
        except BaseException:
            stopped.append(params.number)
            raise
    await ls.read(work)

@server.feature("test/told")
async def told(ls, params):
    return await ls.read(lambda session, check: {"begun": begun, "stopped": stopped})

end(serve(server, *take_over_streams()))
"""


def test_what_is_cancelled_is_answered_and_stopped(project: Path) -> None:
    """Of ten cancelled requests the one that runs is stopped, the others are never begun, and all are answered."""
    with Client(project, command=[sys.executable, "-c", SLOW]) as client:
        client.initialize()
        requests = [client.ask("test/slow", {"number": number}) for number in range(10)]
        while not (project / "begun").exists():
            time.sleep(0.01)
        for request in reversed(requests):
            client.notify("$/cancelRequest", {"id": request})
        assert {-32800} == {client.wait_answer(request)["error"]["code"] for request in requests}
        assert {"begun": [0], "stopped": [0]} == client.request("test/told", {})
        client.codes(project / "flow.py", ["THN201"])
        assert 0 == client.stop()
    assert "" == client.stderr


def test_what_was_answered_cannot_be_cancelled(client: Client, project: Path) -> None:
    """A cancellation that comes too late, or for a request that never was, is no matter, not even for the log."""
    client.codes(project / "flow.py", ["THN201"])
    assert client.hover(project / "flow.py", 8, 8) is not None
    for request in (2, 77, "a word"):
        client.notify("$/cancelRequest", {"id": request})
    assert client.hover(project / "flow.py", 8, 8) is not None
    assert 0 == client.stop()
    assert "" == client.stderr


# -- whoever asks is answered


def test_nothing_is_served_before_the_beginning(project: Path) -> None:
    """A request before `initialize` is refused, a notification ignored, and the beginning still possible."""
    with Client(project) as client:
        where = {"textDocument": {"uri": (project / "flow.py").as_uri()}, "position": {"line": 8, "character": 8}}
        client.open(project / "flow.py", "x = 1\n")
        assert (-32002, "The server isn't initialized. Send `initialize` first.") == error_of(
            client, "textDocument/hover", where
        )
        client.initialize()
        client.codes(project / "flow.py", ["THN201"])
        assert 0 == client.stop()
    assert "" == client.stderr


def test_nobody_begins_twice(client: Client) -> None:
    """A second `initialize` is refused, and the first holds."""
    refused = error_of(client, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    assert (-32600, "The server is initialized already.") == refused
    assert 0 == client.stop()


def test_nothing_is_served_after_the_end(client: Client, project: Path) -> None:
    """After `shutdown` a request is refused, and only `exit` is left."""
    client.request("shutdown", None)
    refused = error_of(client, "shutdown", None)
    assert (-32600, "The server is shutting down. Send `exit`.") == refused
    client.notify("exit", None)
    assert 0 == client.process.wait(PATIENCE)
    assert "" == client.stderr


FAILING: Final = """
from lsprotocol import types as lsp
from thena_lsp.process import end, take_over_streams
from thena_lsp.server import make_server, serve

def make_failing_server():
    server = make_server()

    @server.feature("test/fails")
    def fails(params):
        raise RuntimeError("a defect")

    @server.feature("test/failsLater")
    async def fails_later(params):
        raise RuntimeError("a later defect")

    @server.feature("test/failsInTheSession")
    async def fails_in_the_session(ls, params):
        await ls.read(lambda session, check: 1 / 0)

    return server

end(serve(make_failing_server(), *take_over_streams()))
"""


def test_a_failure_is_logged_and_answered_and_the_server_lives(project: Path) -> None:
    """A handler that raises gives an error to who asked, a traceback to the log, nothing to the user, and no end."""
    with Client(project, command=[sys.executable, "-c", FAILING]) as client:
        client.initialize()
        client.notify("test/fails", None)
        client.notify("test/failsLater", None)
        asked = ["test/fails", "test/failsLater", "test/failsInTheSession"]
        assert [(-32603, f"`{method}` failed in the server. Its log says why.") for method in asked] == [
            error_of(client, method, None) for method in asked
        ]
        client.codes(project / "flow.py", ["THN201"])
        assert [] == client.messages("window/showMessage")
        assert 0 == client.stop()
    told = ["RuntimeError: a defect", "RuntimeError: a later defect", "ZeroDivisionError: division by zero"]
    assert [2, 2, 1] == [client.stderr.count(error) for error in told]


def test_an_unknown_request_is_refused_quietly(client: Client) -> None:
    """What the server doesn't know is answered so, and is no matter for the log."""
    refused = error_of(client, "textDocument/none", {})
    assert (-32601, "Method Not Found: textDocument/none") == refused
    client.send({"jsonrpc": "2.0", "id": "without", "method": "textDocument/none"})
    answer = client.wait_for(
        "the refusal", lambda told: next((one for one in told if one.get("id") == "without"), None)
    )
    assert -32601 == answer["error"]["code"]
    client.notify("textDocument/nothing", {})
    assert 0 == client.stop()
    assert "" == client.stderr


BAD_PARAMS: Final[dict[str, Json]] = {
    "nothing": None,
    "a number": 7,
    "a list": [1, 2],
    "no document": {"position": {"line": 0, "character": 0}},
    "a document of another shape": {"textDocument": "flow.py", "position": {"line": 0, "character": 0}},
    "a position of words": {
        "textDocument": {"uri": "file:///flow.py"},
        "position": {"line": "one", "character": "two"},
    },
    "a uri that is none": {"textDocument": {"uri": "://["}, "position": {"line": 0, "character": 0}},
    "a negative position": {"textDocument": {"uri": "file:///flow.py"}, "position": {"line": -1, "character": -1}},
    "an endless position": {
        "textDocument": {"uri": "file:///flow.py"},
        "position": {"line": 2**40, "character": 2**40},
    },
}


@pytest.mark.parametrize("method", ["textDocument/hover", "textDocument/codeAction", "codeAction/resolve"])
def test_parameters_that_make_no_sense_are_answered(client: Client, project: Path, method: str) -> None:
    """Every request is answered, with an error or with nothing, and the next one is served."""
    answers = {name: client.wait_answer(client.ask(method, params)) for name, params in BAD_PARAMS.items()}
    assert [] == [name for name, answer in answers.items() if "error" not in answer and answer["result"]]
    client.codes(project / "flow.py", ["THN201"])
    assert client.hover(project / "flow.py", 8, 8) is not None
    assert [] == client.messages("window/showMessage")
