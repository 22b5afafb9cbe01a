"""Whether this process may send requests to models: a test can forbid it (`thena_runtime.testing.forbid_requests`).

Every transport of this package asks here before it sends. A provider of a user's own that sends in its own way isn't
reached.
"""

import threading
from typing import Final

_FORBIDDING: Final[list["Guard"]] = []
# A test may run an app in another thread, so that what is forbidden is forbidden in the whole process.
_LOCK: Final = threading.Lock()


class RequestForbiddenError(AssertionError):
    """A request was about to be sent where `forbid_requests()` holds."""


class Guard:
    """One `forbid_requests()`, and what was attempted while it held."""

    def __init__(self) -> None:
        self.attempts: list[RequestForbiddenError] = []

    def enter(self) -> None:
        """Forbid requests from now on."""
        with _LOCK:
            _FORBIDDING.append(self)

    def leave(self) -> None:
        """Allow them again, unless another guard forbids them."""
        with _LOCK:
            _FORBIDDING.remove(self)


def require_allowed(sender: str, address: str) -> None:
    """Raise if a request of this sender is forbidden; nothing has been sent then."""
    if not _FORBIDDING:
        return
    error = RequestForbiddenError(
        f"{sender} was about to send a request to {address}, which `forbid_requests()` forbids. "
        "Give the agent a `ScriptedProvider(...)` in this test, or take the guard off it."
    )
    _FORBIDDING[-1].attempts.append(error)
    raise error
