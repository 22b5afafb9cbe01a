"""What a tool starts other workflows with: it asks for a `WorkflowRuntime` in its constructor.

Left out on purpose: how a nested run goes (`thena_runtime.run.nested`), which this reaches through the run's scope.
"""

from typing import Any, Never

from thena_runtime.budget.limits import Budget
from thena_runtime.errors import FatalToolError
from thena_runtime.run_context import current_context, facts_of
from thena_runtime.scope import Seed


class WorkflowRuntime:
    """Starts workflows inside the run that goes on. Tools ask for it in their constructor: `runtime: WorkflowRuntime`.

    A nested run has a conversation and a workflow state of its own. It shares everything else with the run that
    starts it: id, data, events, middlewares, stop and abort. What it spends counts in both. It never outlives that run:
    one that goes on in a task which nobody awaits is cancelled when that run ends.
    """

    __slots__ = ()

    async def run(
        self,
        workflow: type,
        prompt: str,
        *,
        state: Seed | None = None,
        budget: Budget | None = None,
        **refused: Never,
    ) -> Any:  # text, or what the last step's agent declares or returns
        """Run a workflow to its end and return its output.

        A workflow that can't be run ends the whole run: no model is told of a fault in the wiring.

        Args:
            workflow: A class decorated with `@Workflow`. It is judged when it is first started.
            prompt: What the user says in the nested run.
            state: What its conversation begins with: `{"memory": [...], "tasks": [...], "history": [...]}`.
            budget: What the nested run may spend, within what is left to the run that starts it.

        Raises:
            RunStoppedError: It was stopped, or its budget was spent, before it gave an output.
            RuntimeError: The run that starts it is over.
        """
        for name in refused:
            raise FatalToolError(
                f"`WorkflowRuntime.run` was given `{name}`, which a nested run shares with the run that "
                "starts it. Take it out; a nested run has only `prompt`, `state` and `budget` of its own."
            )
        start = facts_of(current_context()).scope.start_nested
        return await start(workflow, prompt, state, budget)
