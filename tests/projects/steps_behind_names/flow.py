import steps
from steps import FIRST, NEVER, TEXT
from thena_runtime import Agent, Prompt, ScriptedProvider, Thena, Tool, Workflow, parallel


@Tool(name="tool", description="No step.")
class Hammer:
    async def execute(self) -> str:
        return ""


def function(ctx) -> None:
    return None


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("For classes."))
def decorated(ctx) -> None:  # error: THN113
    return None


@Workflow(
    steps=[
        *FIRST,
        *list(steps.REST),
        NEVER,
        steps.OPEN,
        parallel(
            [
                steps.Writer,
                Hammer,  # error: THN101
                parallel(steps=(function,)),  # error: THN101
            ]
        ),
    ]
    + [
        TEXT,  # error: THN101
        steps.Helper(),  # error: THN101
        lambda ctx: None,  # error: THN101
        3,  # error: THN101
        None,  # error: THN101
        [steps.Writer],  # error: THN101
        str,  # error: THN101
        decorated,
    ]
)
class Flow:
    pass


app = Thena(Flow)
