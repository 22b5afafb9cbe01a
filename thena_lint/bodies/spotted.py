"""What a rule of the linter's own finds: a fault, and where in the source it stands."""

from thena_contract.fault import Fault
from thena_contract.frozen import frozen
from thena_lint.summary.spans import Site


@frozen
class Spotted:
    """A fault in the source, with other places that explain it: what is to be said of each, and where it is."""

    fault: Fault
    site: Site
    related: tuple[tuple[str, Site], ...] = ()
