from hunter.agents import Hunt, Hunter, give_up, tell_failure
from hunter.settings import settings
from thena_runtime import Context, Thena, ThenaConfig, Workflow, loop


async def found(ctx: Context, hunt: Hunt) -> bool:
    return hunt.culprit is not None


@Workflow(
    state=Hunt,
    steps=[
        loop(
            [Hunter],
            until=found,
            max_iterations=settings().max_rounds,
            max_fails=2,
            max_repeats=3,
            on_exhausted=give_up,
            on_fail=tell_failure,
        )
    ],
)
class BugHunt: ...


def make_app() -> Thena:
    config = settings()
    return Thena(BugHunt, ThenaConfig(budget=config.budget(), log="verbose" if config.verbose else False))


if __name__ == "__main__":
    print(make_app().run_sync("The build is red."))
