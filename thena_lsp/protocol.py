"""pygls' protocol where it forgets somebody who waits: every request is answered, whatever is wrong with it.

What features find is no business of this module. A failure of ours is logged with its traceback and answered with an
error; nothing is shown to the user, who can't help it.
"""

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
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol

_log: Final = logging.getLogger(__name__)

_method: ContextVar[str | None] = ContextVar("method", default=None)
"""What the message is about that is being served, for whoever fails at it."""


class Protocol(LanguageServerProtocol):
    """The conversation with one client."""

    _is_over = False

    # The wire: what json.loads has made, before it is known to be a message.
    def structure_message(self, data: dict[str, Any]) -> Any:
        """Make a message of this, or tell the asker that it is none."""
        if "jsonrpc" in data and isinstance(data.get("method"), str) and self.get_message_type(data["method"]) is None:
            # pygls takes no message that it doesn't know and that has none.
            data.setdefault("params", None)
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "method" in data and isinstance(data.get("id"), int | str):
                self._send_response(data["id"], error=error.to_response_error())
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
            self._send_response(request, error=error.to_response_error())

    # The wire: any message.
    def _send_data(self, data: Any) -> None:
        """Send a message, unless the client has gone: what was being worked out then is nobody's."""
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
        self._send_response(msg_id, error=error.to_response_error())

    # The wire: what a handler of notifications gives, which is nothing.
    def _check_handler_result(self, future: Future[Any]) -> None:
        """Log the failure of a notification; there is nobody to be told."""
        error = None if future.cancelled() else future.exception()
        if error is not None:
            _log.error("%s failed", _method.get(), exc_info=error)

    def _handle_cancel_notification(self, msg_id: int | str) -> None:
        """Cancel a request; one that was answered meanwhile needs nothing."""
        if msg_id in self._request_futures:
            super()._handle_cancel_notification(msg_id)
