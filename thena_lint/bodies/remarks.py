"""What is wrong with a comment, and where it stands."""

from thena_contract.fault import Fault
from thena_contract.frozen import frozen


@frozen
class Remark:
    """A fault in a comment: its line, its column (both from 1), and how long it is."""

    fault: Fault
    line: int
    column: int
    length: int
