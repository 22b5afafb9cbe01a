"""The one verdict: both readers hand their assemblies to `judge`, and nothing else decides a fault."""

from collections.abc import Iterable

from thena_contract.assembly import Assembly
from thena_contract.fault import Finding
from thena_contract.rules import RULES


def judge(assemblies: Iterable[Assembly]) -> tuple[Finding, ...]:
    """Every finding in these assemblies, once, in an order that doesn't depend on theirs."""
    found = {finding for assembly in assemblies for rule in RULES for finding in rule(assembly)}
    return tuple(sorted(found, key=lambda finding: finding.sort_key))
