from agents import Worker
from thena_runtime import Workflow


@Workflow(steps=[Worker])
class Flow:
    pass
