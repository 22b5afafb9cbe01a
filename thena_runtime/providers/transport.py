"""One JSON request to a model's server: clients, attempts, and what went wrong as a `ProviderError`.

There is one HTTP client for each event loop, because connections belong to the loop that opened them. A request has no
time limit but the one it is given. What the JSON means is left to the wire formats.
"""

import asyncio
import json
import random
import ssl
from asyncio import AbstractEventLoop
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Final
from weakref import WeakKeyDictionary

import httpx

from thena_runtime.clock import SYSTEM_CLOCK, Clock, deadline
from thena_runtime.providers.guard import require_allowed
from thena_runtime.providers.provider import ProviderError
from thena_runtime.providers.retry import RetryPolicy, is_retryable_status, read_retry_after

_LONGEST_BODY: Final = 2000
_LONGEST_EXCERPT: Final = 300


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
        # A lone surrogate, which Python's strings may hold, has no UTF-8 form; it becomes a question mark.
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        attempt = 1
        while True:
            outcome = await self._attempt(content, attempt)
            if isinstance(outcome, Reply):
                return outcome
            if not (outcome.is_retryable and self._retry.allows(attempt)):
                break
            chance = random.random()
            await self._clock.sleep(self._retry.delay(attempt, chance=chance, retry_after=outcome.retry_after))
            attempt += 1
        # Raised outside of any `except`: an error of the client would bring the request along, and the key in it.
        raise self._error(outcome, attempt)

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
            detail = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            return _Failure(
                fact=f"got no whole answer ({detail})",
                repair="Check that the server runs and that `base_url=` is right.",
                is_retryable=not isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError),
            )
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
