import asyncio

from drafter import Attach, DraftMail, Drafter, Mail
from thena_runtime import Agent, Prompt, State, Thena, Workflow
from thena_runtime.testing import ScriptedProvider, record


def test_attaches_and_answers(model: ScriptedProvider) -> None:
    run = asyncio.run(record(DraftMail, "Send it.", data={"model": model}))
    assert run.output == "Dear Ann"
    assert run.root.only("tool", "attach").status == "ok"


def test_drafter_in_another_workflow(model: ScriptedProvider) -> None:
    seen: list[str] = []

    @Agent(provider=ScriptedProvider(["sent"]), prompt=Prompt("Send it."), tools=[Attach])
    class Sender:
        def __init__(self, mail: State[Mail]) -> None:
            seen.append(mail.body)

    @Workflow(state=Mail, steps=[Drafter, Sender])
    class DraftAndSend: ...

    assert Thena(DraftAndSend).findings == ()
