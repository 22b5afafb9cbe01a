"""Workflows to be refused when an app is made, and the one thing that is told of each."""

import pytest

from thena_runtime import Agent, Prompt, ScriptedProvider, Thena, ThenaConfig, Workflow
from thena_runtime.errors import ContractError, Problem, StartUpError


def only_problem(workflow: object, config: ThenaConfig | None = None) -> Problem:
    """The one thing that making the app tells: a problem, or a finding with its code at the start of the text."""
    with pytest.raises((StartUpError, ContractError), match=r"^\n\[thena\] ") as caught:
        Thena(workflow, config)  # type: ignore[arg-type]
    told = [*_findings(caught.value), *caught.value.problems]
    assert 1 == len(told), str(caught.value)
    return told[0]


def _findings(error: StartUpError | ContractError) -> list[Problem]:
    if isinstance(error, StartUpError):
        return []
    return [
        Problem(f"{finding.fault.code} {finding.fault.message}", error.places.get(finding.anchor))
        for finding in error.findings
    ]


def problem(workflow: object, config: ThenaConfig | None = None) -> str:
    """The text of the one thing that making the app tells."""
    return only_problem(workflow, config).text


def with_agent(**options: object) -> type:
    """A workflow of one agent `A` that has these options."""
    options = {"provider": ScriptedProvider(["ok"]), "prompt": Prompt("p"), **options}
    return flow(Agent(**options)(type("A", (), {})))  # type: ignore[call-overload]


def flow(*steps: object, **options: object) -> type:
    """A workflow `Flow` of these steps."""

    @Workflow(steps=list(steps), **options)  # type: ignore[call-overload]
    class Flow:
        pass

    return Flow
