"""What the steps of one review share."""


class ReviewState:
    """The field initialisers are the initial values; every run gets its own copies."""

    files_found: list[str] = []
    files_read: list[str] = []
    report = ""

    def unread(self) -> list[str]:
        """The files that were found and not read yet."""
        return [path for path in self.files_found if path not in self.files_read]
