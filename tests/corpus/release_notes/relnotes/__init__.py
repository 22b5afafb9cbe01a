"""Release notes from a git log."""

from __future__ import annotations

__version__ = "0.3.1"
