from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    language: str = "en"
    chapters: int = 2
    out: Path = Path("out")
    log: bool = False
