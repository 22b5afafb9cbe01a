"""THN801: a call that blocks the event loop in an async hook, tool, `run`, `until` or callback."""

from collections.abc import Iterator, Mapping
from typing import Final

from thena_contract.source_faults.blocking_call import BlockingCall
from thena_lint.bodies.acts import Act
from thena_lint.bodies.memory import BodyIndex
from thena_lint.bodies.spotted import Spotted
from thena_lint.index.resolve import External
from thena_lint.summary.body import Use
from thena_lint.summary.expressions import Constant

_METHODS: Final = ("get", "post", "put", "patch", "delete", "head", "options", "request")
_CLIENT: Final = "`httpx.AsyncClient`, or `await asyncio.to_thread(...)`"
_PROCESS: Final = "`await asyncio.create_subprocess_exec(...)`, or `await asyncio.to_thread(...)`"
_THREAD: Final = "`await asyncio.to_thread(...)`"

_BLOCKING: Final[Mapping[str, str]] = {
    "time.sleep": "`await asyncio.sleep(...)`",
    **{f"requests.{name}": _CLIENT for name in _METHODS},
    **{f"httpx.{name}": _CLIENT for name in (*_METHODS, "stream")},
    **{f"urllib.request.{name}": _CLIENT for name in ("urlopen", "urlretrieve")},
    **{
        f"subprocess.{name}": _PROCESS
        for name in ("run", "call", "check_call", "check_output", "getoutput", "getstatusoutput")
    },
    "os.system": _PROCESS,
    **dict.fromkeys(("os.wait", "os.waitpid", "builtins.input"), _THREAD),
    **dict.fromkeys(("socket.create_connection", "socket.getaddrinfo", "socket.gethostbyname"), _THREAD),
}
"""What blocks, and what to use instead."""


def check(index: BodyIndex, act: Act) -> Iterator[Spotted]:
    """Report every call that certainly blocks where the runtime itself awaits the body."""
    if act.role == "other" or not act.is_async:
        return
    for number, use in act.body.uses():
        if use.how == "called" and not use.is_nested and not use.is_awaited and not _is_over_at_once(use):
            match act.resolve(index, use.chain):
                case External(dotted=dotted) if dotted in _BLOCKING:
                    call = dotted.removeprefix("builtins.")
                    fault = BlockingCall(subject=act.subject, call=call, instead=_BLOCKING[dotted])
                    yield Spotted(fault, act.site.doing(number))


def _is_over_at_once(use: Use) -> bool:
    """Say whether it is `time.sleep(0)`."""
    return use.positional[:1] == (Constant("int", 0),)
