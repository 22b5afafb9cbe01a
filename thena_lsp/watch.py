"""Files that change on disk, for a client that doesn't tell of them: one thread that waits for the system to say so.

What a change means, and whether it means anything, is decided elsewhere.
"""

import logging
import threading
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final

from thena_lint.source.disk import FOLDER, kind_of

_STEP: Final = 20
_DEBOUNCE: Final = 100
"""Milliseconds: changes are told of when there was none for a step, at the latest after the debounce."""

_log: Final = logging.getLogger(__name__)


class Watch:
    """The watch over some folders until it is ended. Owned by the server; lives at most as long.

    `begun` is called once nothing is missed any more, `tell` with what changes; both in the watch's own thread.
    """

    def __init__(
        self, folders: Collection[Path], begun: Callable[[], None], tell: Callable[[Collection[Path]], None]
    ) -> None:
        self._ended = threading.Event()
        self._begun: Callable[[], None] | None = begun
        self._tell = tell
        existing = [folder for folder in folders if kind_of(folder) == FOLDER]
        if existing:
            threading.Thread(target=self._watch, args=(existing,), name="watch", daemon=True).start()

    def end(self) -> None:
        """Tell of nothing any more."""
        self._ended.set()

    def is_set(self) -> bool:
        """Say whether it is ended. Whoever asks is watching."""
        begun, self._begun = self._begun, None
        if begun is not None:
            begun()
        return self._ended.is_set()

    def _watch(self, folders: Collection[Path]) -> None:
        # Here, since few clients need it, and starting is what they wait for.
        from watchfiles import DefaultFilter, watch

        try:
            for changes in watch(
                *folders,
                watch_filter=DefaultFilter(),
                step=_STEP,
                debounce=_DEBOUNCE,
                stop_event=self,
                raise_interrupt=False,
                ignore_permission_denied=True,
            ):
                if not self._ended.is_set():
                    self._tell([Path(path) for _, path in changes])
        except Exception as error:
            # The system may allow no more watches. What is edited and saved in the editor is seen all the same.
            _log.warning("files that change on disk aren't seen: %s", error)
