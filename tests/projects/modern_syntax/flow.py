from typing import Annotated

from thena_runtime import Agent, Prompt, ScriptedProvider, State, Workflow, state


class Draft[T]:
    approved = False


type DraftState = Annotated[Draft[int], state()]
type Injected[T] = Annotated[T, state]
type Plain[T] = list[T]


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt(f"{"nested"} quotes"))
class Worker[T]:
    def __init__(
        self,
        a: DraftState,  # error: THN201
        b: Injected[Draft[int]],  # error: THN201
        c: Plain[int] = [],
        d: T = None,
        e: "State[Draft[T]]" = None,
    ) -> None:
        self.a = a


@Workflow(steps=[Worker])
class Flow:
    pass
