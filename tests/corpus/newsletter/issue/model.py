import attrs


@attrs.define
class Issue:
    """One issue of the newsletter. An attrs class: every field has a default."""

    title: str = "Untitled"
    sections: dict[str, str] = attrs.field(factory=dict)
    words: int = 0

    def put(self, name: str, text: str) -> None:
        self.sections[name] = text
        self.words += len(text.split())
