from agents import Asker, ByName, ByPosition, Digger, Untyped
from thena_runtime import Workflow


@Workflow(steps=[ByPosition])
class Inner:
    pass


@Workflow(steps=[Inner, ByName, Untyped])
class Outer:
    pass


@Workflow(steps=[Digger])
class Cellars:
    pass


@Workflow(steps=[Asker])
class Asking:
    pass
