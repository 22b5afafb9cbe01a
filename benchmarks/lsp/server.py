"""A language server in a process of its own, spoken to over its pipes. Its diagnostics are asked for, or just come."""

import itertools
import json
import os
import subprocess
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any

# The wire: messages of the protocol are JSON of any shape.
Json = Any

PATIENCE = 60.0
QUIET = 2.0
"""Seconds without a message after which a server is taken to have settled."""

_ASKED_AGAIN = 0.02
"""Seconds after which a server is asked again that wasn't done yet."""

_PUBLISH = "textDocument/publishDiagnostics"
_PULL = "textDocument/diagnostic"


class Server:
    """One server and the conversation with it. Use it as a context manager: it never outlives the block."""

    def __init__(self, command: list[str], root: Path, options: Json, settings: Json) -> None:
        self._began = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=root,
            # Python keeps its bytecode, as it does where a tool is installed.
            env={name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
        )
        self._root, self._options, self._settings = root, options, settings
        self._ids, self._versions = itertools.count(1), itertools.count(2)
        self._answers: dict[int, Json] = {}
        self._published: dict[str, tuple[int | None, str]] = {}
        self._pulls = False
        self._arrived = threading.Condition()
        self._writing = threading.Lock()
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> "Server":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()

    def initialize(self) -> float:
        """Shake hands; the seconds since the process was started."""
        uri = self._root.as_uri()
        answer = self._request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": uri,
                "workspaceFolders": [{"uri": uri, "name": self._root.name}],
                "initializationOptions": self._options,
                "capabilities": _CAPABILITIES,
            },
        )
        taken = time.perf_counter() - self._began
        self._pulls = bool(answer["capabilities"].get("diagnosticProvider"))
        self._notify("initialized", {})
        if self._settings is not None:
            self._notify("workspace/didChangeConfiguration", {"settings": self._settings})
        return taken

    def open(self, path: Path, text: str) -> None:
        """Open a document."""
        document = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": text}
        self._notify("textDocument/didOpen", {"textDocument": document})

    def change_whole(self, path: Path, text: str) -> None:
        """Replace the whole text of an open document."""
        document = {"uri": path.as_uri(), "version": next(self._versions)}
        self._notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def wait_named(self, path: Path, name: str, patience: float) -> float | None:
        """Wait until the diagnostics of a file name something; when that was, or `None` if it never came to be."""
        uri, end = path.as_uri(), time.perf_counter() + patience
        while time.perf_counter() < end:
            if self._pulls and name in json.dumps(self._request(_PULL, {"textDocument": {"uri": uri}})):
                return time.perf_counter()
            with self._arrived:
                if name in self._published.get(uri, (None, ""))[1]:
                    return time.perf_counter()
                self._arrived.wait(_ASKED_AGAIN if self._pulls else end - time.perf_counter())
        return None

    def change_and_wait(self, path: Path, change: Json, told: Path, name: str | None, patience: float) -> float | None:
        """Report a change, and wait for the diagnostics of a file to name something; the seconds that it took.

        Without a name, wait for diagnostics of the version that the change makes.
        """
        began, version = time.perf_counter(), next(self._versions)
        document = {"uri": path.as_uri(), "version": version}
        self._notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        if name is not None:
            there = self.wait_named(told, name, patience)
        else:
            with self._arrived:
                uri = told.as_uri()
                is_told = self._arrived.wait_for(lambda: self._published.get(uri, (0, ""))[0] == version, patience)
            there = time.perf_counter() if is_told else None
        return None if there is None else there - began

    def hover(self, path: Path, line: int, character: int) -> float:
        """Ask what stands at a position; the seconds that it took."""
        began = time.perf_counter()
        position = {"line": line, "character": character + 1}
        self._request("textDocument/hover", {"textDocument": {"uri": path.as_uri()}, "position": position})
        return time.perf_counter() - began

    def settle(self) -> None:
        """Wait until the server has said nothing, and done nothing, for a while."""
        used = -1.0
        while used != (used := self.cpu()):
            time.sleep(QUIET)

    def memory(self) -> float:
        """What the server and its children hold, in megabytes."""
        pages = sum(int(_of_process(one, "statm").split()[1]) for one in self._processes())
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def cpu(self) -> float:
        """The seconds of CPU time that the server and its children have used."""
        ticks = (_of_process(one, "stat").rsplit(")", 1)[1].split()[11:13] for one in self._processes())
        return sum(int(each) for one in ticks for each in one) / os.sysconf("SC_CLK_TCK")

    def _processes(self) -> list[int]:
        found, waiting = [], [self._process.pid]
        while waiting:
            one = waiting.pop()
            found.append(one)
            for task in Path(f"/proc/{one}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
        return found

    # -- the wire

    def _request(self, method: str, params: Json) -> Json:
        number = next(self._ids)
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        with self._arrived:
            if not self._arrived.wait_for(lambda: number in self._answers, PATIENCE):
                raise SystemExit(f"`{method}` was never answered by {self._process.args}.")
            return self._answers.pop(number).get("result")

    def _notify(self, method: str, params: Json) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def _send(self, message: Json) -> None:
        body = json.dumps(message).encode()
        assert self._process.stdin is not None
        with self._writing:
            self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self._process.stdin.flush()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while header := stream.readline():
            length = 0
            while header.strip():
                key, _, value = header.partition(b":")
                length = int(value) if key.lower() == b"content-length" else length
                header = stream.readline()
            self._take(json.loads(stream.read(length)))

    def _take(self, message: Json) -> None:
        if "method" in message and "id" in message:
            self._send({"jsonrpc": "2.0", "id": message["id"], "result": self._answer(message)})
            return
        with self._arrived:
            if "id" in message:
                self._answers[message["id"]] = message
            elif message["method"] == _PUBLISH:
                told = message["params"]
                self._published[told["uri"]] = told.get("version"), json.dumps(told["diagnostics"])
            self._arrived.notify_all()

    def _answer(self, message: Json) -> Json:
        if message["method"] != "workspace/configuration":
            return None
        return [self._section(item.get("section", "")) for item in message["params"]["items"]]

    def _section(self, name: str) -> Json:
        found = self._settings
        for key in filter(None, name.split(".")):
            found = found.get(key) if isinstance(found, dict) else None
        return found


def _of_process(number: int, name: str) -> str:
    return Path(f"/proc/{number}/{name}").read_text()


_CAPABILITIES: Json = {
    "general": {"positionEncodings": ["utf-8", "utf-16"]},
    "workspace": {"configuration": True, "workspaceFolders": True, "didChangeConfiguration": {}},
    "textDocument": {
        "synchronization": {"didSave": True},
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
        "diagnostic": {},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
    },
}
