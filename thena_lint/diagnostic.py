"""A finding at a place: what reports, editors and hooks show. How it is shown is theirs."""

from thena_contract.anchor import Place
from thena_contract.fault import Fault, Finding, Severity
from thena_contract.frozen import frozen
from thena_lint.edit import Applicability


@frozen(kw_only=True)
class RelatedPlace:
    """Another place that explains a diagnostic."""

    message: str
    place: Place


@frozen(kw_only=True)
class Diagnostic:
    """One fault in one file. `finding` is `None` where the linter alone can see it, such as a syntax error.

    `fault` is what it tells of; `None` where that comes from elsewhere. `fixable` says whether a fix is at hand, and
    who may decide that it is applied; `None` where there is none, or nobody has asked.
    """

    code: str
    name: str
    severity: Severity
    message: str
    place: Place
    related: tuple[RelatedPlace, ...] = ()
    finding: Finding | None = None
    fault: Fault | None = None
    fixable: Applicability | None = None

    @property
    def sort_key(self) -> tuple[str, int, int, int, str, str]:
        """By place, then by code, then by text."""
        return (self.place.path, self.place.cell or 0, self.place.line, self.place.column, self.code, self.message)


def diagnostic(
    fault: Fault, place: Place, related: tuple[RelatedPlace, ...] = (), finding: Finding | None = None
) -> Diagnostic:
    """Put a fault at a place."""
    return Diagnostic(
        code=fault.code,
        name=fault.name,
        severity=fault.severity,
        message=fault.message,
        place=place,
        related=related,
        finding=finding,
        fault=fault,
    )
