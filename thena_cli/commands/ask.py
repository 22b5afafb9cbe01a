"""A question to a child that imports a workflow and runs nothing."""

from typing import NamedTuple, TextIO

from thena_cli.dev.child import Child, Order
from thena_cli.dev.messages import Died, Outcome, Printed, Told
from thena_cli.dev.screen import Screen
from thena_cli.dev.single import follow_once


class Answer(NamedTuple):
    """What came of it, and what the command answers its shell."""

    outcome: Outcome
    code: int


async def ask(order: Order, screen: Screen, *, output: TextIO | None) -> Answer:
    """Get the child's answer and show it on the screen, or write it as its line of JSON where there is an `output`."""
    outcomes: list[Outcome] = []

    def say(message: Told | Printed) -> None:
        if isinstance(message, Printed) and output is None:
            screen.printed(message.text)

    def hear(line: str) -> None:
        if output is not None:
            print(line, file=output, flush=True)

    def end(outcome: Outcome) -> None:
        outcomes.append(outcome)
        if output is None or isinstance(outcome, Died):
            screen.ended(outcome)

    code = await follow_once(Child.running(order), screen, say=say, known=end, heard=hear)
    return Answer(outcomes[0], code)
