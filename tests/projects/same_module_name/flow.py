from a.ag import A, Both
from b.ag import A as OtherA
from b.ag import Both as OtherBoth
from thena_runtime import Thena, Workflow


@Workflow(steps=[OtherA, A, Both, OtherBoth])
class Flow:
    pass


app = Thena(Flow)
