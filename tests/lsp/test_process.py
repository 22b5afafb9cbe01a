"""The process around the server, apart from what the server says in it."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from thena_lsp.process import collect_from_now_on


class Knot:
    """Something that refers to itself, so that nothing but the garbage collector takes it away."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def uncollected() -> Iterator[None]:
    """A process in which garbage isn't collected, as the server begins."""
    thresholds = gc.get_threshold()
    gc.disable()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)
    gc.enable()


@pytest.mark.usefixtures("uncollected")
def test_garbage_is_collected_once_the_start_is_over() -> None:
    """What is garbage by then goes, what is there stays and isn't looked at again, and what comes is looked at."""
    knot = weakref.ref(Knot())

    collect_from_now_on()

    assert (None, True) == (knot(), gc.isenabled())
    assert gc.get_freeze_count() > len(gc.get_objects())


@pytest.mark.usefixtures("uncollected")
def test_the_start_is_over_once() -> None:
    """When a folder is read later, nothing is looked through again."""
    collect_from_now_on()
    frozen = gc.get_freeze_count()
    kept = [Knot()]

    collect_from_now_on()

    assert frozen == gc.get_freeze_count(), kept
