import sys

from bureau.desk import German
from bureau.document import Document
from thena_runtime import Thena, Workflow, loop


def delivered(language: str):
    """The loop ends when a translation into this language is there."""

    def until(ctx, doc) -> bool:
        return language in doc.translations

    return until


@Workflow(state=Document, steps=[loop([German], until=delivered(German.language))])
class Bureau: ...


def main(text: str = "bee") -> None:
    thena = Thena(Bureau)
    print(thena.run_sync(text, data={"suffix": "!"}))


if __name__ == "__main__":
    main(*sys.argv[1:])
