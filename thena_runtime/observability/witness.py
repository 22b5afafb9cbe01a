"""What a run tells beside its events to whoever keeps its contents: what was sent, answered, called and raised.

Each is about the node that is open where it is told. Left out on purpose: keeping it (`thena_runtime.report`). A run
that nobody keeps has no witness, and tells nothing.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from thena_runtime.messages import FunctionCall, Message, ToolOutput
from thena_runtime.providers.provider import CompletionRequest


class Witness(Protocol):
    """Whoever keeps what a run is about. None of its methods raises, whatever it is told."""

    def sent(self, provider: object, request: CompletionRequest) -> None:
        """A model is asked."""
        ...

    def answered(self, answer: Message) -> None:
        """The model, or a middleware in its place, has answered."""
        ...

    def called(self, call: FunctionCall) -> None:
        """A tool is called for."""
        ...

    def returned(self, call: FunctionCall, args: Mapping[str, Any], output: ToolOutput) -> None:
        """The tool was called with these arguments, of whatever types it declares, and the model is told this."""
        ...

    def raised(self, error: BaseException) -> None:
        """An error came up, or was made an observation."""
        ...
