import asyncio

from onboarding_state import OnboardingState
from steps.accounts import Accounts
from steps.hardware import Hardware

from thena_runtime import (
    Agent,
    Prompt,
    ScriptedProvider,
    State,
    Thena,
    Tool,
    Workflow,
    WorkflowRuntime,
    loop,
    parallel,
    tool_call,
    until_answered,
)

CHECKLISTS = {"accounts": Accounts, "hardware": Hardware}


@Tool(name="run_checklist", description="Work through a checklist: accounts or hardware.")
class RunChecklist:
    def __init__(self, runtime: WorkflowRuntime) -> None:
        self.runtime = runtime

    async def execute(self, name: str, s: State[OnboardingState]) -> str:
        output = await self.runtime.run(CHECKLISTS[name], f"Work through {name}.")
        s.done.append(name)
        return str(output)


@Agent(
    provider=ScriptedProvider([tool_call("run_checklist", name="hardware"), "Welcome aboard."]),
    prompt=Prompt("You coordinate the onboarding."),
    tools=[RunChecklist],
)
class Coordinator:
    def __init__(self, s: State[OnboardingState]) -> None:
        self.s = s

    def after_response(self, response: str) -> None:
        self.s.welcome = response


@Workflow(state=OnboardingState, steps=[parallel([Accounts, Hardware]), loop([Coordinator], until=until_answered)])
class Onboarding: ...


onboarding = Thena(Onboarding)


async def main() -> None:
    async with onboarding.run("Welcome Ms. Doe.") as handle:
        print(await handle, handle.stopped_by)


if __name__ == "__main__":
    asyncio.run(main())
