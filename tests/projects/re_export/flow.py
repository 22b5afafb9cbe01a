import team as people
from team import Critic
from thena_runtime import Thena, Workflow


@Workflow(steps=[people.Writer, Critic, people.Reader])
class Flow:
    pass


app = Thena(Flow)
