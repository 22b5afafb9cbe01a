from seo.agents import Titler, Writer
from seo.page import Page
from thena_runtime import Thena, Workflow, loop, until_answered

STEPS = [loop([Writer], until=until_answered), Titler]


@Workflow(state=Page, steps=STEPS)
class WithPage: ...


@Workflow(steps=[*STEPS])
class WithoutPage: ...


def main() -> None:
    for flow in (WithPage, WithoutPage):
        print(Thena(flow).run_sync("bees"))


if __name__ == "__main__":
    main()
