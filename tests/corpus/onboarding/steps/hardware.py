from thena_runtime import Agent, Prompt, ScriptedProvider, Workflow

@Agent(provider=ScriptedProvider(["A laptop was ordered."]), prompt=Prompt("Order what is needed."))
class Buyer: ...

@Workflow(steps=[Buyer])
class Hardware: ...
