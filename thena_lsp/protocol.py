"""pygls' protocol where it forgets somebody who waits: every message is answered that wants to be, whatever is wrong.

What features find is no business of this module. A failure of ours is logged with its traceback and answered with an
error; nothing is shown to the user, who can't help it.
"""

import json
import logging
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any, Final

from lsprotocol import types as lsp
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol

_log: Final = logging.getLogger(__name__)

_method: ContextVar[str | None] = ContextVar("method", default=None)
"""What the message is about that is being served, for whoever fails at it."""


class Protocol(LanguageServerProtocol):
    """The conversation with one client."""

    _is_over = False

    def receive(self, body: bytes) -> None:
        """Serve what the client has sent; what is no message is refused, and the next one served."""
        try:
            data = json.loads(body)
        except (ValueError, RecursionError) as error:
            self.refuse(JsonRpcParseError(f"The message isn't JSON that can be read: {error}"))
            return
        fact = _what_is_wrong(data)
        if fact is not None:
            self.refuse(JsonRpcInvalidRequest(fact), _asker(data))
            return
        try:
            self.handle_message(self.structure_message(data))
        except JsonRpcException as error:
            _log.warning("a message was refused: %s", error)
        except Exception:
            _log.exception("a message could not be served")

    def refuse(self, error: JsonRpcException, request: int | str | None = None) -> None:
        """Answer a request with an error; `None` is one whose id nobody could read."""
        # pygls leaves an id of `None` out, which the protocol wants to be told.
        self._send_data({"jsonrpc": self.VERSION, "id": request, "error": error.to_response_error()})

    def end(self) -> None:
        """Send nothing any more: the client has gone, and what is being worked out is nobody's."""
        self._is_over = True

    # The wire: what json.loads has made, which is a message by its looks.
    def structure_message(self, data: dict[str, Any]) -> Any:
        """Make a message of this, or tell the asker that it is none."""
        if "method" in data and self.get_message_type(data["method"]) is None:
            # pygls takes no message that it doesn't know and that has none.
            data.setdefault("params", None)
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "method" in data and "id" in data:
                self.refuse(error, data["id"])
            raise

    # The wire: any message.
    def handle_message(self, message: Any) -> None:
        """Serve a message, or refuse it where the conversation hasn't begun or has ended."""
        method, request = getattr(message, "method", None), getattr(message, "id", None)
        if method is None and self._shutdown:
            return
        error = None if method is None else self._refusal(method)
        if error is None:
            self._is_over = method == lsp.EXIT
            _method.set(method)
            super().handle_message(message)
        elif request is not None:
            self.refuse(error, request)

    # The wire: any message.
    def _send_data(self, data: Any) -> None:
        """Send a message, unless the conversation is over."""
        if not self._is_over:
            super()._send_data(data)

    def _refusal(self, method: str) -> JsonRpcException | None:
        """Why a message of this method can't be served now; `None` where it can."""
        if method == lsp.EXIT:
            return None
        if self._shutdown:
            return JsonRpcInvalidRequest("The server is shutting down. Send `exit`.")
        if self._workspace is None and method != lsp.INITIALIZE:
            return JsonRpcServerNotInitialized("The server isn't initialized. Send `initialize` first.")
        if self._workspace is not None and method == lsp.INITIALIZE:
            return JsonRpcInvalidRequest("The server is initialized already.")
        if method != lsp.CANCEL_REQUEST and method not in self.fm.builtin_features | self.fm.features:
            return JsonRpcMethodNotFound(f"Method Not Found: {method}")
        return None

    # The wire: the answer of any handler.
    def _send_handler_result(self, future: Future[Any], *, msg_id: int | str) -> None:
        """Answer a request whose handler is done."""
        error = None if future.cancelled() else future.exception()
        if error is None:
            super()._send_handler_result(future, msg_id=msg_id)
            return
        self._request_futures.pop(msg_id, None)
        if not isinstance(error, JsonRpcException):
            _log.error("%s failed", _method.get(), exc_info=error)
            error = JsonRpcInternalError(f"`{_method.get()}` failed in the server. Its log says why.")
        self.refuse(error, msg_id)

    # The wire: what a handler of notifications gives, which is nothing.
    def _check_handler_result(self, future: Future[Any]) -> None:
        """Log the failure of a notification; there is nobody to be told."""
        error = None if future.cancelled() else future.exception()
        if error is not None:
            _log.error("%s failed", _method.get(), exc_info=error)

    # The wire: the answer of any handler.
    def _run_generator(self, future: Future[Any] | None, *, gen: Any, result_future: Future[Any]) -> None:
        """Go on with a message of which a part is done; not where that was cancelled, as all is at the end."""
        if future is None or not future.cancelled():
            super()._run_generator(future, gen=gen, result_future=result_future)

    def _handle_cancel_notification(self, msg_id: int | str) -> None:
        """Cancel a request; one that was answered meanwhile needs nothing."""
        if msg_id in self._request_futures:
            super()._handle_cancel_notification(msg_id)


# The wire: any JSON.
def _what_is_wrong(data: Any) -> str | None:
    """Why this is no message; `None` where it is one by its looks."""
    if not isinstance(data, dict):
        return "A message is an object. Send each one by itself: the protocol has no batches."
    if data.get("jsonrpc") != LanguageServerProtocol.VERSION:
        return 'A message has no `"jsonrpc": "2.0"`.'
    if "method" not in data and "id" not in data:
        return "A message has neither a `method` nor an `id`."
    if not isinstance(data.get("method", ""), str):
        return "The `method` of a message is no string."
    if "id" in data and _asker(data) is None and ("method" in data or data["id"] is not None):
        return "The `id` of a message is neither an integer nor a string."
    return None


# The wire: any JSON.
def _asker(data: Any) -> int | str | None:
    """The id of a message, where that can be read."""
    found = data.get("id") if isinstance(data, dict) else None
    return found if isinstance(found, int | str) and not isinstance(found, bool) else None
