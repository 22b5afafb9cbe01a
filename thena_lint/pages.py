"""The pages of the faults, as they are in `docs/faults`: shipped with the package, shown by both command lines."""

from pathlib import Path
from typing import Final

from thena_contract.spelling import nearest

# In an installation the pages lie beside the code; in a checkout they are where the docs are.
_FOLDERS: Final = (Path(__file__).parent / "pages", Path(__file__).parents[1] / "docs" / "faults")


class PageError(Exception):
    """There is no page for what was asked; the text names what may have been meant."""


def codes() -> tuple[str, ...]:
    """Every code that has a page, in order."""
    return tuple(_pages())


def page_of(code: str) -> str:
    """The page of a fault, in whichever case its code is written.

    Raises:
        PageError: where no fault has this code.
    """
    return page_file(code).read_text(encoding="utf-8")


def page_file(code: str) -> Path:
    """Where the page of a fault is.

    Raises:
        PageError: where no fault has this code.
    """
    pages = _pages()
    page = pages.get(code.upper())
    if page is None:
        near = nearest(code.upper(), pages, likeness=0.8)
        meant = "" if near is None else f" Did you mean {near}?"
        raise PageError(f"there is no page for `{code}`.{meant} `thena-lint rules` lists all codes.")
    return page


def _pages() -> dict[str, Path]:
    return {path.stem: path for folder in _FOLDERS for path in sorted(folder.glob("THN*.md"))}
