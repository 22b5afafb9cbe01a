from shop.agents import Seller
from thena_runtime import Workflow


@Workflow(steps=[Seller])
class Flow:
    pass
