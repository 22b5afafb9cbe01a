from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from thena_runtime import AgentHooks, Context, State, VectorMemory, WorkflowRuntime


class Draft:
    approved = False


class Logged:
    log: list[str] = []

    async def before_prompt(self, prompt: str, ctx: Context) -> None:
        self.note(prompt)

    def note(self, text: str, *parts: str, ctx: Context | None = None) -> None:
        self.log.append(text)

    @staticmethod
    def plain(text: str) -> str:
        return text

    @classmethod
    def made(cls) -> "Logged":
        return cls()


class Checked(AgentHooks, Logged):
    async def before_tool(self, call, ctx, strict, /) -> None:  # error: THN501
        raise PermissionError

    def on_error(self, ctx: Context) -> Iterator[str]:  # error: THN504, THN505
        yield "again"


class Remembering(ABC):
    s: State[Draft]  # error: THN206
    memory: VectorMemory | None = None

    @abstractmethod
    def remember(self, text: str, s: State[Draft]) -> None:
        ...

    @property
    def size(self) -> int:
        return 0

    @size.setter
    def size(self, value: int) -> None:
        pass


@dataclass
class Fields:
    kept: State[Draft]
    shared: ClassVar[int] = 0
    limit: int = 3


class Lines:
    async def execute(self, path: str) -> Iterator[str]:  # error: THN405
        yield path


class Starting:
    def __init__(self, runtime: WorkflowRuntime) -> None:
        self.runtime = runtime

    def start(self, s: State[Draft]) -> None:  # error: THN206
        pass
