from thena_runtime import Agent, Context, Prompt, Provider, ScriptedProvider, State, Thena, Tool, Workflow, current_context
from thena_runtime import loop, tool_call, until_answered


class Mail:
    to: str | None = None
    body = ""
    attachments: tuple[str, ...] = ()


def model() -> Provider:
    return current_context().data["model"]


@Tool(name="attach", description="Attach a file.")
class Attach:
    def execute(self, path: str, mail: State[Mail]) -> None:
        mail.attachments += (path,)


@Agent(provider=model, prompt=Prompt("Draft a mail."), tools=[Attach])
class Drafter:
    def __init__(self, mail: State[Mail]) -> None:
        self.mail = mail

    def after_response(self, response: str, ctx: Context) -> None:
        self.mail.body = response


@Workflow(state=Mail, steps=[loop([Drafter], until=until_answered)])
class DraftMail: ...


if __name__ == "__main__":
    demo = ScriptedProvider([tool_call("attach", path="a.pdf"), "Dear Ann, see attachment."])
    print(Thena(DraftMail).run_sync("Send Ann the contract.", data={"model": demo}))
