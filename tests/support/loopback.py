"""A real HTTP server on loopback that answers as a test tells it to, and keeps what it was asked."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One HTTP answer, after `delay` seconds.

    `cut` loses the connection in the middle of the body, `silent` never answers at all. With `chunks` the body comes in
    these pieces, `pause` seconds apart, and after the last one it ends, is cut, or stalls.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: object = ""
    cut: bool = False
    silent: bool = False
    delay: float = 0.0
    chunks: Sequence[str | bytes] | None = None
    pause: float = 0.0
    then: Literal["end", "cut", "stall"] = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request that arrived; header names are in lower case."""

    line: str
    headers: Mapping[str, str]
    body: object


class LoopbackServer:
    """Gives its answers in order, the last one for ever. It lives inside `serving(...)`."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self._answers = answers
        self.url = ""
        self.asked: list[Asked] = []
        self.connections = 0
        self.abandoned = asyncio.Event()
        """Set when a client goes away while it waits for a silent answer, or for more of one that stalls."""
        self._arrived = asyncio.Condition()
        self._open: dict[asyncio.Task[object] | None, asyncio.StreamWriter] = {}

    async def wait_for(self, count: int) -> None:
        """Wait until this many requests have arrived."""
        async with asyncio.timeout(30), self._arrived:
            await self._arrived.wait_for(lambda: len(self.asked) >= count)

    async def close(self) -> None:
        """Close every connection and wait until nothing of them is left."""
        tasks = [task for task in self._open if task is not None]
        for writer in self._open.values():
            writer.close()
        await asyncio.gather(*tasks)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        self.connections += 1
        self._open[asyncio.current_task()] = writer
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client has closed the connection
        finally:
            writer.close()
            del self._open[asyncio.current_task()]

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
        content = await reader.readexactly(int(headers.get("content-length", "0")))
        answer = self._answers[min(len(self.asked), len(self._answers) - 1)]
        self.asked.append(Asked(line=head[0], headers=headers, body=json.loads(content) if content else None))
        async with self._arrived:
            self._arrived.notify_all()
        if answer.silent:
            await reader.read()
            self.abandoned.set()
            return False
        await asyncio.sleep(answer.delay)
        if answer.chunks is not None:
            return await self._send_chunks(answer, answer.chunks, reader, writer)
        body = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
        data = body.encode()
        lines = [f"HTTP/1.1 {answer.status} Status", f"content-length: {len(data)}"]
        lines += [f"{name}: {value}" for name, value in answer.headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        writer.write(data[: len(data) // 2] if answer.cut else data)
        await writer.drain()
        return not answer.cut

    async def _send_chunks(
        self, answer: Answer, chunks: Sequence[str | bytes], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        headers = {"content-type": "text/event-stream", **answer.headers}
        lines = [f"HTTP/1.1 {answer.status} Status", "transfer-encoding: chunked"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        for chunk in chunks:
            data = chunk.encode() if isinstance(chunk, str) else chunk
            writer.write(b"%x\r\n%b\r\n" % (len(data), data))
            await writer.drain()
            await asyncio.sleep(answer.pause)
        if answer.then == "stall":
            await reader.read()
            self.abandoned.set()
            return False
        if answer.then == "end":
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        return answer.then == "end"


@asynccontextmanager
async def serving(*answers: Answer) -> AsyncIterator[LoopbackServer]:
    """Run a server on a free port of loopback for as long as the block lasts."""
    server = LoopbackServer(answers)
    listener = await asyncio.start_server(server.handle, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1"
    try:
        yield server
    finally:
        listener.close()
        await server.close()
