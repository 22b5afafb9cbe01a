from dataclasses import dataclass, field
from enum import StrEnum


class Env(StrEnum):
    STAGING = "staging"
    PRODUCTION = "production"


@dataclass(slots=True)
class Deployment:
    env: Env = Env.STAGING
    done: list[str] = field(default_factory=list)
    approved_by: str | None = None
