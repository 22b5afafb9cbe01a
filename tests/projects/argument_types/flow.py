from collections.abc import Callable
from typing import Annotated, Literal, Optional, Union

from pydantic import Field, SkipValidation
from types_used import (
    Allowing,
    Asked,
    Below,
    ByName,
    Called,
    Checking,
    Color,
    Held,
    Made,
    Model,
    Named,
    Overriding,
    Pair,
    Plain,
    PlainId,
    PlainPair,
    Replacing,
    Size,
    UserId,
    Words,
)

from thena_runtime import Agent, Input, Prompt, ScriptedProvider, Tool, Workflow


@Tool(name="right", description="All of them can be told.")
class Right:
    async def execute(
        self,
        color: Color,
        size: Size,
        asked: Asked,
        pair: Pair,
        model: Model,
        words: Words,
        user: UserId,
        named: Named,
        overriding: Overriding,
        checking: Checking,
        replacing: Replacing,
        either: Union[Color, Literal["any"]],
        key_or_text: Callable[[str], int] | str,
        called_or_text: Called | str,
        described: Annotated[str, Field(description="What it is.")],
        above_nothing: Annotated[int, Field(gt=0)],
    ) -> str:
        return ""


@Tool(name="wrong", description="None of them can.")
class Wrong:
    async def execute(
        self,
        held: Held,  # error: THN403
        pair: PlainPair,  # error: THN403
        allowing: Allowing,  # error: THN403
        below: Below,  # error: THN403
        called: Called,  # error: THN403
        made: Made,  # error: THN403
        plain_id: PlainId,  # error: THN403
        either: Plain | str,  # error: THN403
        other: Union[int, Plain],  # error: THN403
        maybe: Optional[Held],  # error: THN403
        words_or_plain: Words | Plain,  # error: THN403
        pairs: list[PlainPair],  # error: THN403
        described: Annotated[Plain, Field(description="What it is.")],  # error: THN403
        # Only start-up tells these.
        by_name: ByName,
        skipped: Annotated[Plain, SkipValidation],
    ) -> str:
        return ""


@Tool(name="whole", description="An object's type.")
class Whole:
    async def execute(self, asked: Input[Asked]) -> str:
        return ""


@Tool(name="model", description="A model that can't be told.")
class OfModel:
    async def execute(self, given: Input[Allowing]) -> str:  # error: THN401
        return ""


@Tool(name="color", description="A value and no object.")
class OfColor:
    async def execute(self, given: Input[Color]) -> str:  # error: THN401
        return ""


@Tool(name="pair", description="A list and no object.")
class OfPair:
    async def execute(self, given: Input[Pair]) -> str:  # error: THN401
        return ""


@Tool(name="numbers", description="A list of numbers and no object.")
class OfNumbers:
    async def execute(self, given: Input[list[int]]) -> str:  # error: THN401
        return ""


@Tool(name="names", description="Names of what they are, which is an object.")
class OfNames:
    async def execute(self, given: Input[dict[str, int]]) -> str:
        return ""


@Agent(
    provider=ScriptedProvider(["done"]),
    prompt=Prompt("Use them."),
    tools=[Right, Wrong, Whole, OfModel, OfColor, OfPair, OfNumbers, OfNames],
)
class User:
    pass


@Workflow(steps=[User])
class Flow:
    pass
