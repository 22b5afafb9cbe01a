from audit.mixins import Logged, Patient, Strict, Trail
from thena_runtime import Agent, Prompt, ScriptedProvider, State, Tool, tool_call


@Tool(name="check", description="Check a control.")
class Check:
    def execute(self, control: str) -> str:
        return "violation: no second factor" if control == "A.9" else "fine"


class Auditor(Logged, Strict, Patient):
    def __init__(self, trail: State[Trail]) -> None:
        self.trail = trail


@Agent(
    provider=ScriptedProvider([tool_call("check", control="A.9"), "Done."]),
    prompt=Prompt("Audit access."),
    tools=[Check],
)
class AccessAuditor(Auditor): ...


@Agent(provider=ScriptedProvider([RuntimeError("model down")]), prompt=Prompt("Audit backups."))
class BackupAuditor(Auditor): ...
