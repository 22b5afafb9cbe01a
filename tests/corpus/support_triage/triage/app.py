from thena_runtime import Thena, ThenaConfig, Workflow, loop, until_answered

from .agents import Classifier, Responder
from .state import TicketState


@Workflow(
    state=TicketState,
    steps=[
        loop([Classifier], until=until_answered, max_iterations=6),
        loop([Responder], until=until_answered, max_iterations=4),
    ],
)
class Triage:
    """Classify, then answer."""


app = Thena(Triage, ThenaConfig(log=False))
