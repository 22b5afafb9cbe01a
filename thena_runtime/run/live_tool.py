"""A tool that can be executed: its plan, and the object that does its work."""

from dataclasses import dataclass
from typing import Any

from thena_runtime.build.plan import ToolNode
from thena_runtime.memory.vector import VectorMemory


@dataclass(slots=True)
class LiveTool:
    """A tool with the callable that does its work, and the memories that it may ask for."""

    node: ToolNode
    execute: Any  # of whatever signature the tool declares
    memories: tuple[VectorMemory, ...] = ()
