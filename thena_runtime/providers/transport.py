"""One JSON request to a model's server: clients, attempts, and what went wrong as a `ProviderError`.

There is one HTTP client for each event loop, because connections belong to the loop that opened them. A request has no
time limit but the one it is given. What the JSON means is left to the wire formats.
"""

import asyncio
import json
import random
import ssl
from asyncio import AbstractEventLoop
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from typing import Final, Protocol, TypeVar
from weakref import WeakKeyDictionary

import httpx

from thena_runtime.clock import SYSTEM_CLOCK, Clock, deadline
from thena_runtime.providers.guard import require_allowed
from thena_runtime.providers.provider import ProviderError
from thena_runtime.providers.retry import FailedAttempt, RetryPolicy, is_retryable_status, read_retry_after

_LONGEST_BODY: Final = 2000
_LONGEST_EXCERPT: Final = 300
_LAST_WAIT: Final = 0.1
"""How long the end of a body is waited for whose last event has come: a connection read to its end is used again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a provider's requests go, and the words its errors are told in.

    `sender` is the subject of every error, such as ``OpenAIProvider `gpt-4o-mini` ``. `key_repair` says how to give
    another key. `secrets` are taken out of everything that a server says.
    """

    sender: str
    url: httpx.URL
    headers: Mapping[str, str]
    secrets: tuple[str, ...]
    key_repair: str

    @property
    def address(self) -> str:
        """The URL as errors may show it: without its query, which may hold a key."""
        return str(self.url.copy_with(query=None))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a server answered in the end, and the number of attempts that it took."""

    value: object
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failure:
    """An attempt that failed: the fact, the repair, and whether and when another may succeed."""

    fact: str
    repair: str
    is_retryable: bool
    status: int | None = None
    body: str | None = None
    retry_after: float | None = None


class UnreadableError(Exception):
    """What comes in is no answer of the wire format. The transport makes a `ProviderError` of it."""

    def __init__(self, fact: str, repair: str, *, is_retryable: bool, body: str | None = None) -> None:
        super().__init__(fact)
        self.fact = fact
        self.repair = repair
        self.is_retryable = is_retryable
        self.body = body


class Incoming(Protocol):
    """Reads one attempt's answer as it comes in; each method may raise `UnreadableError`."""

    @property
    def has_spoken(self) -> bool:
        """Whether anything of the answer was passed on."""
        ...

    @property
    def is_over(self) -> bool:
        """Whether the server has said that nothing more comes."""
        ...

    def feed(self, chunk: bytes) -> None:
        """Take what has come."""
        ...

    def whole(self, body: bytes) -> None:
        """Take an answer that came whole, from a server that knows no streams."""
        ...

    def end(self) -> None:
        """The connection ended in good order before the server said that nothing more comes."""
        ...


I = TypeVar("I", bound=Incoming)  # noqa: E741 - what reads an answer


class Transport:
    """Sends one provider's requests. It lives as long as its provider, and opens its clients when they are needed."""

    def __init__(
        self, endpoint: Endpoint, *, retry: RetryPolicy, timeout: float | None, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        self._endpoint = endpoint
        self._retry = retry
        self._timeout = timeout
        self._clock = clock
        self._clients: WeakKeyDictionary[AbstractEventLoop, httpx.AsyncClient] = WeakKeyDictionary()

    async def post(self, body: Mapping[str, object]) -> Reply:
        """Send `body` until a whole JSON answer comes or the policy gives up. Raises `ProviderError`."""
        content = written(body)
        attempt = 1
        while True:
            outcome = await self._attempt(content, attempt)
            if isinstance(outcome, Reply):
                return outcome
            if not await self._may_repeat(outcome, attempt):
                break
            attempt += 1
        # Raised outside of any `except`: an error of the client would bring the request along, and the key in it.
        raise self._error(outcome, attempt)

    async def stream(self, body: Mapping[str, object], begin: Callable[[], I]) -> tuple[I, int]:
        """Send `body` and read the answer as it comes; return what read it to its end, and the number of attempts.

        `begin` makes what reads one attempt. Once that has spoken there is no other attempt: nobody could be told to
        forget what was said. Raises `ProviderError`.
        """
        content = written(body)
        attempt = 1
        while True:
            incoming = begin()
            failure = await self._stream_attempt(content, incoming)
            if failure is None:
                return incoming, attempt
            if incoming.has_spoken:
                failure = replace(failure, is_retryable=False)
                break
            if not await self._may_repeat(failure, attempt):
                break
            attempt += 1
        raise self._error(failure, attempt)

    async def _may_repeat(self, failure: "_Failure", attempt: int) -> bool:
        """Say whether another attempt is to be made, and wait until it is time for it."""
        policy = self._retry
        if not policy.allows(attempt):
            return False
        told = FailedAttempt(
            attempt=attempt,
            max_attempts=policy.max_attempts,
            status=failure.status,
            fact=self._without_secrets(failure.fact),
        )
        if not policy.repeats(told, usually=failure.is_retryable):
            return False
        delay = policy.delay(attempt, chance=random.random(), retry_after=failure.retry_after)
        if policy.on_retry is not None:
            policy.on_retry(told, delay)
        await self._clock.sleep(delay)
        return True

    async def close(self) -> None:
        """Close every client whose loop is still alive; the next request opens another."""
        here = asyncio.get_running_loop()
        clients = list(self._clients.items())
        self._clients.clear()
        for loop, client in clients:
            if loop is here:
                await client.aclose()
            elif loop.is_running():
                await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(client.aclose(), loop))

    def refusal(self, fact: str, repair: str, *, body: object, attempts: int) -> ProviderError:
        """Make the error for an answer that came whole but isn't what the wire format asks for."""
        text = self._without_secrets(json.dumps(body, ensure_ascii=False))
        return self._error(
            _Failure(fact=fact, repair=repair, is_retryable=False, status=200, body=text[:_LONGEST_BODY]), attempts
        )

    async def _stream_attempt(self, content: bytes, incoming: "Incoming") -> _Failure | None:
        endpoint = self._endpoint
        headers = {**endpoint.headers, "accept": "text/event-stream, application/json"}
        request = self._client().build_request("POST", endpoint.url, content=content, headers=headers)
        response: httpx.Response | None = None
        try:
            async with deadline(self._clock, self._timeout):
                response = await self._client().send(request, stream=True)
                if not response.is_success:
                    await response.aread()
                    return self._failed_status(response)
            await self._read_stream(response, incoming)
        except UnreadableError as error:
            body = None if error.body is None else self._without_secrets(error.body)[:_LONGEST_BODY]
            return _Failure(
                fact=error.fact, repair=error.repair, is_retryable=error.is_retryable, status=200, body=body
            )
        except TimeoutError:
            return _Failure(
                fact=f"sent nothing for `timeout={self._timeout}` seconds",
                repair="Raise `timeout=`, or see why the server is slow.",
                is_retryable=True,
            )
        except (httpx.HTTPError, OSError) as error:
            return _unreached(error)
        finally:
            if response is not None:
                await response.aclose()
        return None

    async def _read_stream(self, response: httpx.Response, incoming: "Incoming") -> None:
        if response.headers.get("content-type", "").startswith("application/json"):
            # A server that knows no streams answers whole.
            async with deadline(self._clock, self._timeout):
                incoming.whole(await response.aread())
            return
        chunks = response.aiter_bytes()
        # The limit is for each wait: an answer may take as long as it goes on.
        while not incoming.is_over:
            async with deadline(self._clock, self._timeout):
                chunk = await anext(chunks, None)
            if chunk is None:
                incoming.end()
                return
            incoming.feed(chunk)
        with suppress(TimeoutError, httpx.HTTPError, OSError):
            async with asyncio.timeout(_LAST_WAIT):
                async for _ in chunks:
                    pass

    async def _attempt(self, content: bytes, attempt: int) -> Reply | _Failure:
        endpoint = self._endpoint
        try:
            async with deadline(self._clock, self._timeout):
                response = await self._client().post(endpoint.url, content=content, headers=dict(endpoint.headers))
        except TimeoutError:
            return _Failure(
                fact=f"got no whole answer within `timeout={self._timeout}` seconds",
                repair="Raise `timeout=`, or see why the server is slow.",
                is_retryable=True,
            )
        except (httpx.HTTPError, OSError) as error:
            return _unreached(error)
        if not response.is_success:
            return self._failed_status(response)
        try:
            value: object = json.loads(response.content)
        except (ValueError, RecursionError):
            # Cut off without a length, or no JSON at all: the first is worth another attempt, and looks the same.
            body = self._without_secrets(response.text)
            return _Failure(
                fact=f"got an answer that is no JSON: {_excerpt(body)!r}",
                repair="Check that `base_url=` is the address of the API, which often ends in `/v1`.",
                is_retryable=True,
                status=response.status_code,
                body=body[:_LONGEST_BODY],
            )
        return Reply(value=value, attempts=attempt)

    def _failed_status(self, response: httpx.Response) -> _Failure:
        body = self._without_secrets(response.text)
        said = _excerpt(_told(body))
        return _Failure(
            fact=f"was answered with status {response.status_code}" + (f": {said}" if said else ""),
            repair=self._repair(response.status_code),
            is_retryable=is_retryable_status(response.status_code),
            status=response.status_code,
            body=body[:_LONGEST_BODY],
            retry_after=read_retry_after(
                response.headers.get("retry-after"), now=datetime.fromtimestamp(self._clock.time(), UTC)
            ),
        )

    def _repair(self, status: int) -> str:
        match status:
            case 401 | 403:
                return self._endpoint.key_repair
            case 404 | 405:
                return "Check `base_url=` and `model=`."
            case 413:
                return "Send less: the conversation or a tool's result is too long for this server."
            case 429:
                return "Wait, send fewer requests at once, or ask the provider for a higher limit."
            case status if status >= 500 or is_retryable_status(status):
                return "Try again later, or allow more attempts with `retry=RetryPolicy(max_attempts=...)`."
            case status if status < 400:
                return "Give the address that it points to as `base_url=`."
            case _:
                return "Change what the answer names: the model, its sampling, or a tool's parameters."

    def _error(self, failure: _Failure, attempts: int) -> ProviderError:
        tries = f" after {attempts} attempts" if attempts > 1 else ""
        text = f"{self._endpoint.sender} at {self._endpoint.address} {failure.fact}{tries}."
        return ProviderError(
            self._without_secrets(f"{text} {failure.repair}"),
            status=failure.status,
            body=failure.body,
            retryable=failure.is_retryable,
        )

    def _without_secrets(self, text: str) -> str:
        for secret in self._endpoint.secrets:
            text = text.replace(secret, "***")
        return text

    def _client(self) -> httpx.AsyncClient:
        require_allowed(self._endpoint.sender, self._endpoint.address)
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            # The limit on connections is taken off too: it would be a queue that nobody asked for.
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=100, keepalive_expiry=30.0)
            client = httpx.AsyncClient(timeout=None, limits=limits, verify=_certificates())
            self._clients[loop] = client
        return client


@cache
def _certificates() -> ssl.SSLContext:
    # Reading the certificates takes tens of milliseconds: once in a process is enough.
    return httpx.create_ssl_context()


def written(body: Mapping[str, object]) -> bytes:
    """Write a request's body."""
    # A lone surrogate, which Python's strings may hold, has no UTF-8 form; it becomes a question mark.
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


def _unreached(error: Exception) -> _Failure:
    detail = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return _Failure(
        fact=f"got no whole answer ({detail})",
        repair="Check that the server runs and that `base_url=` is right.",
        is_retryable=not isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError),
    )


def _told(body: str) -> str:
    """Find the sentence that a server explains itself with, or give the body back."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return body
    told = value.get("error", value) if isinstance(value, dict) else value
    if isinstance(told, dict):
        told = told.get("message", told)
    return told if isinstance(told, str) else body


def _excerpt(text: str) -> str:
    flat = " ".join(text.split())
    return flat.rstrip(".") if len(flat) <= _LONGEST_EXCERPT else flat[:_LONGEST_EXCERPT] + "…"
