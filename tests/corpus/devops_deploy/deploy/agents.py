from deploy.plan import Deployment
from deploy.tools import Deploy, Health
from thena_runtime import Agent, Context, Prompt, ScriptedProvider, State, ToolCall, tool_call

SCRIPT = [
    tool_call("deploy", version="1.2"),
    tool_call("health"),
    tool_call("health"),
    "Deployed.",
]


class Forbidden(PermissionError):
    """Raised by `before_tool`."""


@Agent(provider=ScriptedProvider(SCRIPT), prompt=Prompt("Deploy the newest version."), tools=[Deploy, Health])
class Deployer:
    allowed: tuple[str, ...] = ("deploy", "health")

    def __init__(self, deployment: State[Deployment]) -> None:
        self._deployment = deployment

    async def before_tool(self, call: ToolCall, ctx: Context) -> None:
        if call.name not in self.allowed:
            raise Forbidden(call.name)

    async def on_error(self, error: Exception) -> str | None:
        return "Not allowed." if isinstance(error, Forbidden) else None
