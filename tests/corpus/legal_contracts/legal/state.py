class Contract:
    clauses: dict[str, str | None] = {}

    @property
    def has_high_risk(self) -> bool:
        return "high" in self.clauses.values()


class FullContract(Contract):
    """The same, with room for advice."""

    advice: str = ""
