import functools

from bases import Answers, Strips
from thena_runtime import Agent, AgentHooks, Context, Prompt, ScriptedProvider, Workflow

MODEL = ScriptedProvider(["done"])


@Agent(provider=MODEL, prompt=Prompt("Write."))
class CallsItsHook:
    async def run(self, input: str, ctx: Context) -> str:
        return self.after_response((await ctx.chat()).content)

    def after_response(self, response: str) -> str:
        return response.strip()

    def before_prompt(self, prompt: str) -> str:  # error: THN502
        return prompt


@Agent(provider=MODEL, prompt=Prompt("Write."))
class CallsThatOfItsBase(Strips):
    async def run(self, input: str, ctx: Context) -> str:
        return self.after_response((await ctx.chat()).content)


@Agent(provider=MODEL, prompt=Prompt("Write."))
class CallsAboveAlone(AgentHooks, Strips):
    async def run(self, input: str, ctx: Context) -> str:
        return input

    def after_response(self, response: str, ctx: Context, /) -> str:  # error: THN502
        return super().after_response(response, ctx) or response


@Agent(provider=MODEL, prompt=Prompt("Write."))
class HandsItOn:
    async def run(self, input: str, ctx: Context) -> str:
        try:
            return await self.answer(ctx)
        except ValueError as error:
            return self.on_error(error)

    async def answer(self, ctx: Context) -> str:
        def done() -> list[str]:
            return [after(word) for after in (self.after_response,) for word in ("a", "b")]

        return " ".join(done())

    def on_error(self, error: Exception) -> str:
        return str(error)

    def after_response(self, response: str) -> str:
        return response


@Agent(provider=MODEL, prompt=Prompt("Write."))
class ByName:
    async def run(self, input: str, ctx: Context) -> str:
        return str(getattr(self, "after_response")(input)) + listening(on_error=self.note)

    def note(self) -> str:
        return "noted"

    def on_error(self, error: Exception) -> str:
        return str(error)

    def after_response(self, response: str) -> str:
        return response

    def after_tool(self, result: object) -> None:  # error: THN502
        """Named by a text alone that says more than after_tool."""


@Agent(provider=MODEL, prompt=Prompt("Write."))
class CallsOneLikeAHook:
    def after_response(self, response: str) -> str:
        return self.before_promt(response)

    def before_promt(self, response: str) -> str:
        return response

    def on_eror(self, error: Exception) -> str:  # error: THN503
        return str(error)


@Agent(provider=MODEL, prompt=Prompt("Write."))
class IsCalledByItsBase(Answers):
    def onError(self, why: str) -> str:
        return why


@Agent(provider=MODEL, prompt=Prompt("Write."))
class CallsAnother:
    def __init__(self) -> None:
        self.onErrors = functools.partial(self.on_eror, "fine")

    def on_eror(self, why: str, error: Exception) -> str:
        return why

    def onError(self, error: Exception) -> str:  # error: THN503
        return self.onErrors(error)


def listening(on_error: object) -> str:
    return ""


@Workflow(
    steps=[
        CallsItsHook,
        CallsThatOfItsBase,
        CallsAboveAlone,
        HandsItOn,
        ByName,
        CallsOneLikeAHook,
        IsCalledByItsBase,
        CallsAnother,
    ]
)
class Flow:
    pass
