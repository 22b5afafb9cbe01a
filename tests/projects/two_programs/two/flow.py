from agents import Worker
from thena_runtime import Workflow


@Workflow(state=dict, steps=[Worker])
class Flow:
    pass
