"""What the server makes of bytes: whatever spells a message is served, what is none is refused, and nobody hangs."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.lsp import PATIENCE, Client, Json

SPELLINGS: Final = {
    "lower case": b"content-length: %d\r\n\r\n",
    "upper case": b"CONTENT-LENGTH: %d\r\n\r\n",
    "no space": b"Content-Length:%d\r\n\r\n",
    "much space": b"Content-Length :\t  %d  \r\n\r\n",
    "a type after it": b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
    "a type before it": b"content-type: application/vscode-jsonrpc; charset=utf8\r\ncontent-length: %d\r\n\r\n",
    "another header": b"X-Header: a: b\r\nContent-Length: %d\r\n\r\n",
    "zeros": b"Content-Length: 000%d\r\n\r\n",
    "line feeds": b"Content-Length: %d\n\n",
    "empty lines before it": b"\r\n\r\nContent-Length: %d\r\n\r\n",
}

NO_JSON: Final = {
    "words": b"{ this is no JSON",
    "nothing": b"",
    "two messages": b"{} {}",
    "no UTF-8": b'{"jsonrpc": "2.0", "id": 1, "method": "\xff"}',
    "endless depth": b"[" * 100_000,
}

NO_MESSAGES: Final = {
    "a batch": '[{"jsonrpc": "2.0", "id": "one", "method": "shutdown"}]',
    "an empty batch": "[]",
    "a string": '"shutdown"',
    "a number": "7",
    "null": "null",
    "an empty object": "{}",
    "neither method nor id": '{"jsonrpc": "2.0"}',
    "a method that is none": '{"jsonrpc": "2.0", "method": 7}',
    "a notification of no version": '{"method": "exit"}',
    "an id that is null": '{"jsonrpc": "2.0", "id": null, "method": "shutdown"}',
    "an id that is true": '{"jsonrpc": "2.0", "id": true, "method": "shutdown"}',
    "an id that is a list": '{"jsonrpc": "2.0", "id": [1], "method": "shutdown"}',
    "an answer to a list": '{"jsonrpc": "2.0", "id": [1], "result": null}',
}

UNFRAMED: Final = {
    "no number": (b"Content-Length: many\r\n\r\n{}", "The `Content-Length` of a message is `many`."),
    "a negative one": (b"Content-Length: -2\r\n\r\n{}", "The `Content-Length` of a message is `-2`."),
    "a fraction": (b"Content-Length: 2.0\r\n\r\n{}", "The `Content-Length` of a message is `2.0`."),
    "an empty one": (b"Content-Length:\r\n\r\n{}", "The `Content-Length` of a message is ``."),
    "a monstrous one": (
        b"Content-Length: 99999999999\r\n\r\n{}",
        "The `Content-Length` of a message is `99999999999`.",
    ),
    "none at all": (b"Content-Type: json\r\n\r\n{}", "A message has no `Content-Length`."),
    "a message alone": (b'{"id": 1}\n', '`{"id": 1}` is no header.'),
    "odd bytes": (b"\x00\x1b[2J\xff\r\n", "`\\x00\\x1b[2J\\xff` is no header."),
    "an endless header": (b"x" * 9_000, f"`{'x' * 60}` is no header."),
}


HOVER: Final = {"textDocument": {"uri": "untitled:1"}, "position": {"line": 0, "character": 0}}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """One server for all that it must survive."""
    with Client(tmp_path_factory.mktemp("wire")) as client:
        client.initialize()
        yield client


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_header_may_be_spelt_otherwise(served: Client, spelling: str) -> None:
    """Headers are read as those of HTTP: whatever their case and spacing, and whatever else stands beside them."""
    body = json.dumps({"jsonrpc": "2.0", "id": spelling, "method": "textDocument/hover", "params": HOVER})
    served.send_bytes(body.encode(), SPELLINGS[spelling])
    answer = served.wait_for("the answer", lambda told: next((one for one in told if one.get("id") == spelling), None))
    assert None is answer["result"]


def refusal(client: Client, body: bytes) -> Json:
    """The error that this body is answered with, which can't say whom it is for."""

    def refusals(told: list[Json]) -> list[Json]:
        return [one["error"] for one in told if "error" in one and one["id"] is None]

    before = client.wait_for("the errors so far", lambda told: (refusals(told),))[0]
    client.send_bytes(body)
    (error,) = client.wait_for("the refusal", lambda told: refusals(told)[len(before) :] or None)
    return error


@pytest.mark.parametrize("name", NO_JSON)
def test_what_is_no_json_is_refused(served: Client, name: str) -> None:
    """A body that can't be read is a parse error, and the next request is served."""
    error = refusal(served, NO_JSON[name])
    assert (-32700, "The message isn't JSON that can be read") == (error["code"], error["message"].partition(":")[0])
    assert None is served.request("textDocument/hover", HOVER)


@pytest.mark.parametrize("name", NO_MESSAGES)
def test_what_is_no_message_is_refused(served: Client, name: str) -> None:
    """JSON that is no message is an invalid request, and the next one is served."""
    assert -32600 == refusal(served, NO_MESSAGES[name].encode())["code"]
    assert None is served.request("textDocument/hover", HOVER)


def test_a_request_of_another_version_is_refused_by_its_id(served: Client) -> None:
    """Who asks without the protocol's version learns so, though the message is none."""
    served.send({"id": "old", "method": "textDocument/hover", "params": HOVER})
    answer = served.wait_for("the answer", lambda told: next((one for one in told if one.get("id") == "old"), None))
    assert {"code": -32600, "message": 'A message has no `"jsonrpc": "2.0"`.'} == answer["error"]


def test_what_parameters_hold_is_no_message(tmp_path: Path) -> None:
    """A client may hand over options of any names, also those of a message's own parts."""
    with Client(tmp_path) as client:
        options = {"jsonrpc": "2.0", "id": 7, "method": "exit"}
        params = {"processId": None, "rootUri": None, "capabilities": {}, "initializationOptions": options}
        assert "thena-lsp" == client.request("initialize", params)["serverInfo"]["name"]


@pytest.mark.parametrize("name", UNFRAMED)
def test_a_message_without_an_end_is_the_end(tmp_path: Path, name: str) -> None:
    """Where nobody can tell what is next, the client and the log are told why, and the server ends with an error."""
    sent, fact = UNFRAMED[name]
    with Client(tmp_path) as client:
        client.initialize()
        client.send_bytes(b"", sent)
        assert 1 == client.process.wait(PATIENCE)
        told = f"{fact} Send each message after `Content-Length: <bytes>` and an empty line."
        error = client.wait_for("the error", lambda said: next((one for one in said if one.get("id", 0) is None), None))
        assert {"code": -32700, "message": told} == error["error"]
        client.process.wait()
        assert f"thena-lsp: ERROR: {told}\n" == client.stderr


@pytest.mark.parametrize("sent", [b"", b"Content-Length: 10\r\n", b"Content-Length: 10\r\n\r\n{"])
def test_a_client_that_goes_in_the_middle_is_gone(tmp_path: Path, sent: bytes) -> None:
    """The end of the input ends the server wherever it comes, and there is nothing to say about it."""
    with Client(tmp_path) as client:
        client.initialize()
        client.send_bytes(b"", sent)
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert 1 == client.process.wait(PATIENCE)
        assert "" == client.stderr
