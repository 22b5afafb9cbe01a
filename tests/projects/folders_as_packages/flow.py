import agents.deep.critic
from agents.writer import Writer
from parts import tools
from thena_runtime import Thena, Workflow


@Workflow(steps=[Writer, agents.deep.critic.Critic, tools.Toolsmith])
class Flow:
    pass


app = Thena(Flow)
