from game.moves import D6, D20, Walk
from game.world import World
from thena_runtime import Agent, Context, Prompt, ScriptedProvider, State, Thena, Workflow, loop, tool_call, until_answered


class Conditions:
    """Ways in which a game ends."""

    @staticmethod
    def over(ctx: Context, world: World) -> bool:
        return not world.alive or len(world.bag) > 1

    @classmethod
    def turn_over(cls, ctx: Context) -> bool:
        return until_answered(ctx)


@Agent(
    provider=ScriptedProvider([tool_call("walk", direction="north"), tool_call("d6", times=2), "You found gold."]),
    prompt=Prompt("You play a hero."),
    tools=[Walk, D6, D20],
)
class Hero:
    def __init__(self, world: State[World]) -> None:
        self.world = world

    def after_response(self, response: str, ctx: Context) -> None:
        if "gold" in response:
            self.world.bag.append("gold")


@Agent(provider=ScriptedProvider(["The rat bites."]), prompt=Prompt("You are the master of the game."))
class Master:
    def __init__(self, world: State[World]) -> None:
        self.world = world

    def after_response(self, response: str) -> None:
        self.world.health -= 1


@Workflow(
    state=World,
    steps=[loop([loop([Hero], until=Conditions.turn_over), Master], until=Conditions.over, max_iterations=3)],
)
class Game: ...


if __name__ == "__main__":
    print(Thena(Game).run_sync("Let's play."))
