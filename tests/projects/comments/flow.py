"""Comments that silence something, nothing, and what doesn't exist."""

from thena_runtime import Agent, Prompt, ScriptedProvider, State, Thena, Workflow, loop, until_answered

MODEL = ScriptedProvider(["fine"])


class Draft:
    approved = False


@Agent(provider=MODEL, prompt=Prompt("Review."))
class Reviewer:
    notes: list[str] = []  # thena: ignore[THN807]
    more: list[str] = []  # thena: ignore

    def __init__(self, s: State[Draft]) -> None:  # thena: ignore[THN201]  # error: THN902
        self.s = s

    def after_response(self, response: str, ctx) -> None:
        self.notes.append(response)
        self.more.append(response)
        self.s.aproved = True  # thena: ignore[THN602, THN801]  # error: THN902
        ctx.turn = 1  # thena: ignore[THN804]  # error: THN805, THN902
        ctx.state.append(  # thena: ignore[THN804]
            "memos",
            response,
        )
        ctx.data = 1  # thena: ignore[THN805, THN902]
        ctx.seen = 1  # thena: ignore[THN602, THN902]
        self.s.approved = "# thena: ignore[THN201]" in response


@Workflow(
    state=Draft,
    steps=[
        loop([Reviewer], until=lambda ctx: True),  # thena: ignore[THN308]
        loop([Reviewer], until=until_answered),  # thena: ignore  # error: THN902
        loop([Reviewer], until=until_answered),  # thena: ignore[]  # error: THN902
        loop([Reviewer], until=until_answered),  # thena: ignore[THN000]  # error: THN903
        loop([Reviewer], until=until_answered),  # thena: ignore[thn201, until-arity]  # error: THN903, THN903
        loop([Reviewer], until=until_answered),  # thena: ignore[THN803] since hints are off
    ],
)
class Flow:
    pass


app = Thena(Flow)
