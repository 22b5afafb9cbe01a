"""What an app gives to each of its runs, and a run to those nested in it."""

from dataclasses import dataclass, field

from thena_runtime.run.model_call import ChatChain
from thena_runtime.run.stores import Stores
from thena_runtime.run.tool_execution import ToolChain
from thena_runtime.run.workflows import Workflows


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """The chains of an app, as they were when a run began, and what all its runs share.

    A chain is `None` where nothing is registered. `workflows` are those that tools have started.
    """

    chat: ChatChain | None = None
    tool: ToolChain | None = None
    workflows: Workflows = field(default_factory=Workflows)
    stores: Stores = field(default_factory=Stores)
