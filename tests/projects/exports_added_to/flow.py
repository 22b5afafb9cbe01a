from others import Helper, Writer
from team import *
from thena_runtime import Thena, Workflow


@Workflow(steps=[Reader, Writer, Critic, Editor, Helper])
class Flow:
    pass


app = Thena(Flow)
