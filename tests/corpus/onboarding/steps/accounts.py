from thena_runtime import Agent, Prompt, ScriptedProvider, State, Tool, Workflow, loop, tool_call, until_answered

from onboarding_state import AccountState


@Tool(name="create_account", description="Create an account in a system.")
class CreateAccount:
    def execute(self, system: str, state: State[AccountState]) -> str:
        state.created.add(system)
        return "created"


@Agent(
    provider=ScriptedProvider([tool_call("create_account", system="mail"), "All accounts are there."]),
    prompt=Prompt("Create the accounts of the new colleague."),
    tools=[CreateAccount],
)
class AccountClerk: ...


@Workflow(state=AccountState, steps=[loop([AccountClerk], until=until_answered)])
class Accounts: ...
