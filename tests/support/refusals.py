"""Workflows to be refused when an app is made, and the one problem that is told of each."""

import pytest

from thena_runtime import Agent, Prompt, ScriptedProvider, Thena, Workflow
from thena_runtime.errors import Problem, StartUpError


def only_problem(workflow: object) -> Problem:
    """The one problem that making the app shows."""
    with pytest.raises(StartUpError, match=r"^\n\[thena\] ") as caught:
        Thena(workflow)  # type: ignore[arg-type]
    assert 1 == len(caught.value.problems), str(caught.value)
    return caught.value.problems[0]


def problem(workflow: object) -> str:
    """The text of the one problem that making the app shows."""
    return only_problem(workflow).text


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
