"""A tool that can be executed: its plan, and the object that does its work."""

from dataclasses import dataclass
from typing import Any

from thena_runtime.build.plan import ToolNode


@dataclass(frozen=True, slots=True)
class LiveTool:
    """A tool with the callable that does its work."""

    node: ToolNode
    execute: Any  # of whatever signature the tool declares
