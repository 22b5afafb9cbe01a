from thena_runtime import Workflow

from .init.agents import Lonely


@Workflow(steps=[Lonely])
class Flow:
    pass
