"""What tokens cost, as a provider is told; pure.

There is no table of prices here, on purpose: it would be wrong by the time it is read.
"""

import math
from dataclasses import dataclass, replace

from thena_runtime.messages import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """US dollars for a million tokens of the prompt and of the answer.

    Without `cached_input` the part of a prompt that the provider had in its cache costs as much as the rest.
    """

    input: float
    output: float
    cached_input: float | None = None

    def __post_init__(self) -> None:
        for name in ("input", "output", "cached_input"):
            value = getattr(self, name)
            if value is None and name == "cached_input":
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not (0 <= value < math.inf):
                raise ValueError(f"`Prices` got `{name}={value!r}`. Give US dollars for a million tokens.")

    def applied_to(self, usage: Usage) -> Usage:
        """Say what a usage costs."""
        cached = 0 if self.cached_input is None else min(usage.cached_tokens, usage.prompt_tokens)
        cost = (
            (usage.prompt_tokens - cached) * self.input
            + cached * (self.cached_input or 0.0)
            + usage.completion_tokens * self.output
        )
        return replace(usage, cost_usd=cost / 1_000_000)
