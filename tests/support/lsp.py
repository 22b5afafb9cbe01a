"""A small language client over stdio: starts the real server and keeps whatever it says."""

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

# Messages of the protocol are JSON of any shape: `Any` is the wire.
Json = Any

PATIENCE: Final = 30.0


class Client:
    """One server process and the conversation with it. Use it as a context manager: it never outlives the block."""

    def __init__(
        self,
        root: Path | None,
        *,
        encodings: Sequence[str] | None = ("utf-16",),
        watches: bool = True,
        folders: Sequence[Path] | None = None,
        capabilities: Mapping[str, Json] | None = None,
        command: Sequence[str] = (sys.executable, "-m", "thena_lsp", "--stdio"),
        environment: Mapping[str, str] | None = None,
        process_id: int | None = None,
    ) -> None:
        self.root = root
        self.registered: list[Json] = []
        self.errors: list[Json] = []
        self.is_silent = False
        """Whether what the server asks isn't answered, until `answer` is called."""

        self._asked_of_us: list[int | str] = []
        self._folders = [root] if folders is None and root is not None else list(folders or ())
        self._encodings = encodings
        self._watches = watches
        self._capabilities = capabilities or {}
        self._process_id = process_id
        self._versions: dict[str, int] = {}
        self._messages: list[Json] = []
        self._arrived = threading.Condition()
        self._ended = False
        self._last_id = 0
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=root,
            env=None if environment is None else {**os.environ, **environment},
        )
        self._stderr: list[bytes] = []
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_stderr, daemon=True).start()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    @property
    def stderr(self) -> str:
        """What the server has logged so far."""
        return b"".join(self._stderr).decode()

    # -- the wire

    def send(self, message: Json) -> None:
        """Send one message as it is."""
        self.send_bytes(json.dumps(message).encode())

    def send_bytes(self, body: bytes, header: bytes = b"Content-Length: %d\r\n\r\n") -> None:
        """Send a body that may be no JSON at all, framed as it should be, or as this says."""
        assert self.process.stdin is not None
        self.process.stdin.write(header.replace(b"%d", str(len(body)).encode()) + body)
        self.process.stdin.flush()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while (length := self._header(stream)) is not None:
            message = json.loads(stream.read(length))
            if "method" in message and "id" in message:
                if message["method"] == "client/registerCapability":
                    self.registered += message["params"]["registrations"]
                self._asked_of_us.append(message["id"])
                if not self.is_silent:
                    self.answer()
            with self._arrived:
                self._messages.append(message)
                self._arrived.notify_all()
        with self._arrived:
            self._ended = True
            self._arrived.notify_all()

    def answer(self) -> None:
        """Answer what the server has asked."""
        with contextlib.suppress(ValueError, OSError):  # the test may have closed the pipe meanwhile
            while self._asked_of_us:
                self.send({"jsonrpc": "2.0", "id": self._asked_of_us.pop(), "result": None})

    @staticmethod
    def _header(stream: Any) -> int | None:
        length = None
        while line := stream.readline():
            if not line.strip():
                return length
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return None

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._stderr.append(line)

    def wait_for(self, what: str, wanted: Callable[[list[Json]], Json | None], timeout: float = PATIENCE) -> Json:
        """Wait until `wanted`, asked with all messages so far, gives something."""
        with self._arrived:
            found = None

            def is_there() -> bool:
                nonlocal found
                found = wanted(self._messages)
                return found is not None or self._ended

            self._arrived.wait_for(is_there, timeout)
        if found is None:
            raise AssertionError(f"never came: {what}; the server said on stderr:\n{self.stderr}")
        return found

    def messages(self, method: str) -> list[Json]:
        """The parameters of every message with this method so far."""
        with self._arrived:
            return [message["params"] for message in self._messages if message.get("method") == method]

    # -- the protocol

    def request(self, method: str, params: Json) -> Json:
        """Ask, wait, and return the result; an error answer fails the test."""
        answer = self.wait_answer(self.ask(method, params))
        assert "error" not in answer, answer
        return answer["result"]

    def ask(self, method: str, params: Json) -> int:
        """Ask and return the request's id."""
        self._last_id += 1
        self.send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        return self._last_id

    def wait_answer(self, request: int) -> Json:
        """Wait for the whole answer to this request."""
        return self.wait_for(
            f"the answer to request {request}",
            lambda messages: next((m for m in messages if m.get("id") == request and "method" not in m), None),
        )

    def notify(self, method: str, params: Json) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def initialize(self) -> Json:
        """Shake hands and return what the server can do."""
        capabilities: dict[str, Json] = {
            "workspace": {
                "workspaceFolders": True,
                "didChangeWatchedFiles": {"dynamicRegistration": self._watches},
            },
            "textDocument": {
                "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
                "hover": {"contentFormat": ["markdown", "plaintext"]},
            },
        }
        for section, more in self._capabilities.items():
            capabilities.setdefault(section, {}).update(more)
        if self._encodings is not None:
            capabilities["general"] = {"positionEncodings": list(self._encodings)}
        result = self.request(
            "initialize",
            {
                "processId": self._process_id,
                "rootUri": self.root.as_uri() if self.root else None,
                "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name} for folder in self._folders],
                "capabilities": capabilities,
            },
        )
        self.notify("initialized", {})
        return result

    def open(self, path: Path, text: str | None = None, *, language: str = "python") -> int:
        """Open a document, with the file's text if none is given, and return its version."""
        uri = path.as_uri()
        self._versions[uri] = version = self._versions.get(uri, 0) + 1
        content = path.read_text(encoding="utf-8") if text is None else text
        item = {"uri": uri, "languageId": language, "version": version, "text": content}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return version

    def change(self, path: Path, *changes: Json) -> int:
        """Report changes of an open document and return its new version."""
        uri = path.as_uri()
        self._versions[uri] = version = self._versions.get(uri, 0) + 1
        self.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)},
        )
        return version

    def replace(self, path: Path, text: str) -> int:
        """Replace the whole text of an open document and return its new version."""
        return self.change(path, {"text": text})

    def save(self, path: Path) -> None:
        """Say that the document was saved."""
        self.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})

    def close(self, path: Path) -> None:
        """Close the document."""
        self.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})

    def changed_on_disk(self, changes: Mapping[Path, int]) -> None:
        """Report files that were created (1), changed (2) or deleted (3)."""
        self.notify(
            "workspace/didChangeWatchedFiles",
            {"changes": [{"uri": path.as_uri(), "type": kind} for path, kind in changes.items()]},
        )

    def published(self, path: Path, version: int | None) -> list[Json]:
        """Wait for the diagnostics of this file at this version (`None`: without one), and return the last."""

        def last(messages: list[Json]) -> Json | None:
            for message in reversed(messages):
                if message.get("method") != _PUBLISH or message["params"]["uri"] != path.as_uri():
                    continue
                if message["params"].get("version") == version:
                    return message["params"]["diagnostics"]
            return None

        found: list[Json] = self.wait_for(f"diagnostics of {path.name} at version {version}", last)
        return found

    def codes(
        self, path: Path, expected: Sequence[str], version: int | None = None, *, timeout: float = PATIENCE
    ) -> list[Json]:
        """Wait until the last diagnostics of this file (of this version) have exactly these codes; return them."""
        said: list[Json] = []

        def last(messages: list[Json]) -> Json | None:
            for message in reversed(messages):
                if message.get("method") != _PUBLISH or message["params"]["uri"] != path.as_uri():
                    continue
                if version is not None and message["params"].get("version") != version:
                    continue
                said[:] = [one["code"] for one in message["params"]["diagnostics"]]
                return message["params"]["diagnostics"] if said == list(expected) else None
            return None

        try:
            found: list[Json] = self.wait_for(f"{list(expected)} in {path.name}", last, timeout)
        except AssertionError as error:
            raise AssertionError(f"{error}\nthe last diagnostics were {said}") from None
        return found

    def hover(self, path: Path, line: int, character: int) -> str | None:
        """The Markdown shown at this position (from 0), or `None`."""
        position = {"line": line, "character": character}
        result = self.request("textDocument/hover", {"textDocument": {"uri": path.as_uri()}, "position": position})
        return None if result is None else str(result["contents"]["value"])

    def pulled(self, path: Path, previous: str | None = None) -> Json:
        """Ask for the diagnostics of a file, unless they are still the result that has this name."""
        params: dict[str, Json] = {"textDocument": {"uri": path.as_uri()}, "identifier": "thena"}
        if previous is not None:
            params["previousResultId"] = previous
        return self.request("textDocument/diagnostic", params)

    @staticmethod
    def asked_of_us(messages: Sequence[Json], method: str) -> Json | None:
        """The last request of the server with this method."""
        return next((one for one in reversed(messages) if one.get("method") == method and "id" in one), None)

    def actions(self, path: Path, found: Sequence[Json], only: Sequence[str] | None = None) -> list[Json]:
        """The code actions for these diagnostics."""
        where = found[0]["range"] if found else {"start": _START, "end": _START}
        context = {"diagnostics": list(found), **({} if only is None else {"only": list(only)})}
        return list(
            self.request(
                "textDocument/codeAction",
                {"textDocument": {"uri": path.as_uri()}, "range": where, "context": context},
            )
            or []
        )

    def stop(self) -> int:
        """Shut down as the protocol asks, and return the exit code."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(PATIENCE)


_START: Final = {"line": 0, "character": 0}
_PUBLISH: Final = "textDocument/publishDiagnostics"
