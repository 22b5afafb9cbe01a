"""THN809: a run is started, and nobody keeps its handle."""

from collections.abc import Iterator

from thena_contract.source_faults.handle_dropped import HandleDropped
from thena_lint.bodies.acts import Act
from thena_lint.bodies.memory import BodyIndex
from thena_lint.bodies.spotted import Spotted
from thena_lint.summary.body import Chain

_RUN = "run"


def check(index: BodyIndex, act: Act) -> Iterator[Spotted]:
    """Report every `app.run(...)` that stands alone, where no test says that it fails."""
    for number, use in act.body.uses():
        *before, method = use.chain.attributes or ("",)
        if (
            use.is_dropped
            and not use.may_fail
            and method == _RUN
            and act.is_app(index, Chain(use.chain.root, tuple(before)))
        ):
            app = use.chain.root.replace("()", "(...)")
            call = f"{'.'.join((app, *use.chain.attributes))}(...)"
            yield Spotted(HandleDropped(subject=act.subject, call=call), act.site.doing(number))
