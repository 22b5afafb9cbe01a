import os
from functools import lru_cache

from pydantic import BaseModel

from thena_runtime import Budget


class Settings(BaseModel):
    max_tokens: int = 10_000
    max_rounds: int = 4
    verbose: bool = False

    def budget(self) -> Budget:
        return Budget(max_tokens=self.max_tokens, max_tool_calls=50, mode="stop")


@lru_cache
def settings() -> Settings:
    return Settings(max_rounds=int(os.environ.get("HUNTER_ROUNDS", "4")))
