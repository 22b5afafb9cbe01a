import a.ag
import b.ag
from thena_runtime import Workflow


@Workflow(steps=[a.ag.Writer, b.ag.Writer])
#                     ^ hover      ^ hover
class Flow:
    pass
