"""The browser of whoever sits at the terminal, if there is one to be seen."""

import os
import sys
import threading
import webbrowser
from pathlib import Path


def can_be_seen() -> bool:
    """Whether a browser would have a window: without a display, one that is found would take the terminal instead."""
    return sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )


def show(page: Path) -> None:
    """Have a page shown, without waiting for a browser that takes its time to start."""
    threading.Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()
