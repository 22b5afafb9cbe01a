from pydantic.dataclasses import dataclass


@dataclass
class Page:
    title: str = ""
    keywords: tuple[str, ...] = ("bee", "honey")
    body: str = ""
