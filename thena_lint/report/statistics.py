"""How many faults of each code there are, and how many parts of each kind couldn't be seen."""

from collections import Counter
from collections.abc import Iterable, Mapping

from thena_contract.frozen import frozen
from thena_lint.diagnostic import Diagnostic
from thena_lint.unseen.part import Unseen


@frozen(kw_only=True)
class Statistics:
    """Counts by code and name (`THN201 state-not-declared`) and by kind, the largest first."""

    faults: Mapping[str, int]
    unknown: Mapping[str, int]

    @staticmethod
    def of(diagnostics: Iterable[Diagnostic], unseen: Iterable[Unseen]) -> "Statistics":
        """Count."""
        return Statistics(
            faults=_counted(f"{one.code} {one.name}" for one in diagnostics),
            unknown=_counted(one.kind for one in unseen),
        )


def _counted(names: Iterable[str]) -> Mapping[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda one: (-one[1], one[0])))


def render_statistics(statistics: Statistics) -> str:
    """Two lists, one below the other; nothing of one that is empty."""
    text = ""
    for title, counts in (("Faults", statistics.faults), ("Not seen", statistics.unknown)):
        width = max((len(str(count)) for count in counts.values()), default=0)
        rows = "".join(f"  {count:>{width}} {name}\n" for name, count in counts.items())
        text += f"\n{title}:\n{rows}" if rows else ""
    return text
