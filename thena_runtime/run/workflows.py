"""The workflows that tools of an app start: each is judged once, when it is first started."""

from collections.abc import Iterator

from thena_runtime.build.compile import compile_workflow
from thena_runtime.build.describe_app import NO_PARTS, AppParts
from thena_runtime.build.plan import Plan


class Workflows:
    """Plans by workflow class. Owned by the app, and grows while it lives."""

    def __init__(self, app: AppParts = NO_PARTS) -> None:
        self._app = app
        self._plans: dict[object, Plan] = {}

    def plan(self, workflow: object) -> Plan:
        """Judge and plan a workflow. Raises like the making of an app."""
        if workflow not in self._plans:
            self._plans[workflow] = compile_workflow(workflow, self._app).plan
        return self._plans[workflow]

    def __iter__(self) -> Iterator[Plan]:
        return iter(self._plans.values())
