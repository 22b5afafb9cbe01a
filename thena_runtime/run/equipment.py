"""What an app gives to each of its runs, and a run to those nested in it."""

from dataclasses import dataclass

from thena_runtime.run.model_call import ChatChain
from thena_runtime.run.tool_execution import ToolChain


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """The chains of an app, as they were when a run began. A chain is `None` where nothing is registered."""

    chat: ChatChain | None = None
    tool: ToolChain | None = None
