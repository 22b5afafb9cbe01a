"""An answer that was kept and still stands. All that is imported for it is light: see `disk`."""

import time

from thena_lint.cache.answer import Answer
from thena_lint.cache.place import place_of_answer
from thena_lint.cache.shelf import put, take
from thena_lint.cache.stands import stands
from thena_lint.source.disk import NO_SIGNATURE, oldest_young


def recall(arguments: list[str], now: int | None = None) -> Answer | None:
    """What was answered to these arguments here, if it still stands; `None` if it must be found out.

    Args:
        now: the time in nanoseconds, if it isn't that of the system.
    """
    place = place_of_answer(arguments)
    answer = None if place is None else take(place)
    if place is None or answer is None:
        return None
    before = {path: folder.looked_at for path, folder in answer.folders.items()}
    if not stands(answer, oldest_young(time.time_ns() if now is None else now)):
        return None
    if any(_is_better(before[path], folder.looked_at) for path, folder in answer.folders.items()):
        put(place, answer)
    return answer


def _is_better(before: dict[str, tuple[int, int, int, int]], now: dict[str, tuple[int, int, int, int]]) -> bool:
    return before != now and any(now[name] not in (signature, NO_SIGNATURE) for name, signature in before.items())
