from dataclasses import dataclass


@dataclass(frozen=True)
class Session:
    """What a run is started with."""

    user: str
    level: int = 1
