from libs.common.agents import Counting
from thena_runtime import Agent, Prompt, ScriptedProvider

__all__ = ["Clean", "Enrich"]
__all__ += ["Validate"]


@Agent(provider=ScriptedProvider(["clean"]), prompt=Prompt("Clean."))
class Clean(Counting):
    pass


@Agent(provider=ScriptedProvider(["rich"]), prompt=Prompt("Enrich."))
class Enrich(Counting):
    def after_response(self, response: str) -> None:
        super().after_response(response)
        self.job.rows -= 1


@Agent(provider=ScriptedProvider(["valid"]), prompt=Prompt("Validate."))
class Validate: ...


@Agent(provider=ScriptedProvider(["hidden"]), prompt=Prompt("Not exported."))
class _Hidden: ...
