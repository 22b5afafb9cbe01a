"""What the runs of a session are told, one after the other."""

from pathlib import Path

from thena_cli.dev.child import Order
from thena_cli.dev.messages import Cancelled, Died, Finished
from thena_cli.dev.orders import Orders

ORDER = Order(module="flow", name=None, guess=None, file=Path("flow.py"), root=Path(), folder=Path(), prompt="first")
ROW = {"key": "asked", "answer": "told"}


def test_a_run_is_told_what_earlier_ones_were_answered() -> None:
    """Anew it is told nothing, and the run after it everything again; without replay no answers are kept."""
    orders = Orders(ORDER, is_replaying=True)
    assert [] == orders.next().answers
    orders.keep(ROW)
    assert [ROW] == orders.next().answers
    orders.change(prompt=None, is_anew=True)
    assert [[], [ROW]] == [orders.next().answers, orders.next().answers]

    silent = Orders(ORDER, is_replaying=False)
    silent.keep(ROW)
    assert silent.next().answers is None


def test_the_prompt_of_a_run_that_failed_is_kept_until_it_goes_well() -> None:
    """Another prompt that goes well says nothing of it, and nor does a run that was stopped."""
    orders = Orders(ORDER, is_replaying=True)
    orders.end(Died(1))
    assert "first" == orders.failed_prompt
    orders.change(prompt="second", is_anew=False)
    assert "second" == orders.next().prompt
    orders.end(Finished("well", None))
    orders.change(prompt=orders.failed_prompt, is_anew=False)
    orders.end(Cancelled(None))
    assert ("first", "first") == (orders.failed_prompt, orders.prompt)
    orders.end(Finished("well", None))
    assert orders.failed_prompt is None
