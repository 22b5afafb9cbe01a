class Incident:
    service = "checkout"
    severity: int = 3
    timeline: list[tuple[str, str]] = []

    def note(self, who: str, what: str) -> None:
        self.timeline.append((who, what))
