"""The language server: an editor's view of what the linter knows. Only the version lives here."""

from typing import Final

VERSION: Final = "0.1.0"
