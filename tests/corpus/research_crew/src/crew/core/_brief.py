class Brief:
    """What the crew knows so far."""

    sources: dict[str, str] = {}
    outline: list[str] = []
    article: str | None = None

    @property
    def is_outlined(self) -> bool:
        return len(self.outline) >= 2
