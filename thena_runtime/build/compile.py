"""A workflow class in, its plan out; or every fault at once.

The contract judges what it has rules for (`ContractError`). What it has none for yet is a problem found here while
planning: one `StartUpError` that names each class and its repair. Nothing of the user's is run, and no provider is
made.
"""

import warnings
from collections.abc import Sequence

from thena_contract import vocabulary
from thena_contract.fault import Finding, Severity
from thena_contract.frozen import frozen
from thena_contract.judge import judge
from thena_runtime.build.describe import Description, describe, describe_no_workflow
from thena_runtime.build.describe_app import NO_PARTS, AppParts
from thena_runtime.build.draft import Draft, what
from thena_runtime.build.locate import locate
from thena_runtime.build.plan import Plan
from thena_runtime.build.plan_steps import plan_workflow
from thena_runtime.build.things import declared_as
from thena_runtime.errors import ContractError, Problem, StartUpError, ThenaWarning


@frozen
class Compiled:
    """A plan, and the findings that are no errors."""

    plan: Plan
    findings: tuple[Finding, ...]


def compile_workflow(cls: object, app: AppParts = NO_PARTS) -> Compiled:
    """Judge a workflow class and plan it. Raises `ContractError`, or `StartUpError` for what has no rule yet."""
    if not isinstance(cls, type) or declared_as(cls) != vocabulary.WORKFLOW:
        _refuse(judge((nothing := describe_no_workflow(cls)).assemblies), nothing)
        raise TypeError(f"[thena] {what(cls)} is no workflow. Give `Thena` a class decorated with `@Workflow(...)`.")
    description = describe(cls, app)
    findings = judge(description.assemblies)
    errors = [finding for finding in findings if finding.fault.severity is Severity.ERROR]
    draft = Draft(description, frozenset(error.anchor for error in errors))
    plan = plan_workflow(draft, cls, ())
    places = locate((anchor for _, anchor in draft.problems), description.objects)
    problems = [Problem(text, places.get(anchor)) for text, anchor in dict.fromkeys(draft.problems)]
    _refuse(findings, description, problems)
    if problems:
        raise StartUpError(problems)
    _warn(findings)
    return Compiled(plan, findings)


def _refuse(findings: Sequence[Finding], description: Description, problems: Sequence[Problem] = ()) -> None:
    errors = [finding for finding in findings if finding.fault.severity is Severity.ERROR]
    if errors:
        raise ContractError(errors, locate((finding.anchor for finding in errors), description.objects), problems)


def _warn(findings: Sequence[Finding]) -> None:
    for finding in findings:
        if finding.fault.severity is Severity.WARNING:
            warnings.warn(finding.fault.render(), ThenaWarning, stacklevel=4)
