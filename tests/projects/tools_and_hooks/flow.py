from thena_runtime import Thena
from wiring import Flow

app = Thena(Flow)
