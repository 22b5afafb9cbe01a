"""A model that is paid by the token, for tests of budgets: it keeps account of what was really spent."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from thena_runtime import Completion, CompletionRequest, FunctionCall, Usage
from thena_runtime.clock import SYSTEM_CLOCK, Clock
from thena_runtime.providers.scripted import ScriptedCall


@dataclass(kw_only=True)
class Paying:
    """Answers with its turns, the last one again and again, and bills each answer.

    `tokens` is what a call takes, or what each takes in turn; `worst` is what the model says that a call may take, or
    `None` where it can't say. `reports` says whether answers tell their usage.
    """

    turns: Sequence[object] = ("ok",)
    tokens: int | Sequence[int] = 100
    worst: int | None = None
    usd_per_token: float | None = None
    reports: bool = True
    delay: float = 0.0
    clock: Clock = SYSTEM_CLOCK
    begun: int = 0
    billed: int = 0
    at_once: int = 0
    most_at_once: int = 0
    requests: list[CompletionRequest] = field(default_factory=list)

    async def complete(self, request: CompletionRequest) -> Completion:
        """Play the next turn."""
        number = self.begun
        self.begun += 1
        self.requests.append(request)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await (self.clock.sleep(self.delay) if self.delay else asyncio.sleep(0))
        finally:
            self.at_once -= 1
        tokens = self.tokens if isinstance(self.tokens, int) else self.tokens[min(number, len(self.tokens) - 1)]
        self.billed += tokens
        turn = self.turns[min(number, len(self.turns) - 1)]
        if isinstance(turn, BaseException):
            raise turn.with_traceback(None)
        usage = self._usage(tokens) if self.reports else None
        if isinstance(turn, ScriptedCall):
            return Completion(
                content="", tool_calls=(FunctionCall(name=turn.name, arguments=turn.arguments),), usage=usage
            )
        return Completion(content=str(turn), usage=usage)

    def worst_case(self, request: CompletionRequest) -> Usage | None:
        """Say what a call may take at most."""
        return None if self.worst is None else self._usage(self.worst)

    def _usage(self, tokens: int) -> Usage:
        usd = None if self.usd_per_token is None else tokens * self.usd_per_token
        return Usage(prompt_tokens=tokens - tokens // 3, completion_tokens=tokens // 3, cost_usd=usd)

    async def close(self) -> None:
        """Do nothing."""
