from thena_runtime import *  # noqa: F403

from .models import *  # noqa: F403


@Tool(name="merge", description="Merge two contacts.")
class Merge:
    def execute(self, email: str, other: str, s: State[SyncState]) -> str:
        s.contacts.append(Contact(email))
        s.conflicts += other != email
        return "merged"


@Agent(
    provider=ScriptedProvider([tool_call("merge", email="a@x", other="A@x"), "In sync."]),
    prompt=Prompt("Sync the contacts."),
    tools=[Merge],
)
class Syncer:
    def __init__(self, s: State[SyncState]) -> None:
        self.s = s


@Workflow(state=SyncState, steps=[loop([Syncer], until=until_answered)])
class Sync: ...
