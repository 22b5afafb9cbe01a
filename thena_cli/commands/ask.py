"""A question to a child that imports a workflow and runs nothing."""

from typing import TextIO

from thena_cli.dev.child import Child, Order
from thena_cli.dev.messages import Died, Printed, Told
from thena_cli.dev.screen import Screen
from thena_cli.dev.single import Ending, follow_once


async def ask(order: Order, screen: Screen, *, output: TextIO | None) -> Ending:
    """Get the child's answer and show it on the screen, or write it as its line of JSON where there is an `output`."""

    def say(message: Told | Printed) -> None:
        if isinstance(message, Printed) and output is None:
            screen.printed(message.text)

    def hear(line: str) -> None:
        if output is not None:
            print(line, file=output, flush=True)

    answer = await follow_once(Child.running(order), screen, say=say, heard=hear)
    if output is None or isinstance(answer.outcome, Died):
        screen.ended(answer.outcome)
    return answer
