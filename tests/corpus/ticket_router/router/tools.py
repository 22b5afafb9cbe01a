from router import queues
from thena_runtime import Tool, WorkflowRuntime

QUEUES = {"billing": queues.billing, "shipping": queues.shipping}


@Tool(name="route", description="Give the ticket to a queue.")
class Route:
    def __init__(self, runtime: WorkflowRuntime):
        self._runtime = runtime
        self.routed = []

    async def execute(self, queue: str, ticket: str) -> str:
        self.routed.append(queue)
        return await self._runtime.run(QUEUES[queue], ticket)
