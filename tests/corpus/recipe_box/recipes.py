"""Tools with every kind of parameter that a model may fill in."""

import datetime as dt
import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, List, Literal, NamedTuple, Optional, Union

from thena_runtime import Agent, Context, Prompt, ScriptedProvider, State, Thena, Tool, Workflow, loop, tool_call, until_answered


class Ingredient(NamedTuple):
    name: str
    grams: int


@dataclass
class Recipe:
    name: str
    ingredients: list[Ingredient]
    course: Literal["starter", "main", "dessert"] = "main"


class Box:
    recipes: dict[str, Recipe] = {}
    eaten: dict[dt.date, str] = {}


@Tool(name="add_recipe", description="Put a recipe into the box.")
class AddRecipe:
    def execute(self, recipe: Recipe, box: State[Box]) -> str:
        box.recipes[recipe.name] = recipe
        return str(uuid.uuid5(uuid.NAMESPACE_URL, recipe.name))


@Tool(name="find", description="Find recipes.")
class Find:
    def execute(
        self,
        words: List[str],
        box: State[Box],
        course: Optional[Literal["starter", "main", "dessert"]] = None,
        max_price: Union[int, Decimal, None] = None,
        before: dt.date = dt.date(2030, 1, 1),
        *,
        tags: tuple[str, ...] = (),
        extra: dict[str, Any] | None = None,
    ) -> list[str]:
        """Find recipes.

        Args:
            words: All of these must occur.
            course: Only of this course.
            max_price: In euros.
            before: Only what was eaten before.
            tags: Any of these.
            extra: Whatever else.
        """
        return [name for name, recipe in box.recipes.items() if course in (None, recipe.course)]


@Agent(
    provider=ScriptedProvider(
        [
            tool_call("add_recipe", name="Soup", ingredients=[["water", 500]], course="starter"),
            tool_call("find", words=["soup"], course="starter", max_price=3.5, tags=["hot"]),
            "Soup.",
        ]
    ),
    prompt=Prompt("Keep the recipes."),
    tools=[AddRecipe, Find],
)
class Cook:
    def __init__(self, s: State[Box], /) -> None:
        self.s = s

    def before_prompt(self, prompt: str, ctx: Context) -> str:
        return prompt + f" It is {dt.date(2026, 1, 1):%A}."


@Workflow(state=Box, steps=[loop([Cook], until=until_answered)])
class RecipeBox: ...


if __name__ == "__main__":
    print(Thena(RecipeBox).run_sync("What shall I cook?"))
