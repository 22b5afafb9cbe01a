"""The pages of the faults, as they are in `docs/faults`: shipped with the package, shown by both command lines."""

from pathlib import Path
from typing import Final

from thena_contract.codes import NAMES
from thena_contract.spelling import nearest

# In an installation the pages lie beside the code; in a checkout they are where the docs are.
_FOLDERS: Final = (Path(__file__).parent / "pages", Path(__file__).parents[1] / "docs" / "faults")


class PageError(Exception):
    """There is no page for what was asked; the text names what may have been meant."""


def explained(asked: str) -> str:
    """The page of a fault by its code or its name, or a list of those that begin so, as Markdown. Case doesn't count.

    Raises:
        PageError: where no fault is called so or begins so.
    """
    text = asked.lower()
    exact = [code for code, name in NAMES.items() if text in (code.lower(), name)]
    begun = [code for code, name in NAMES.items() if code.lower().startswith(text) or name.startswith(text)]
    match exact or begun:
        case []:
            raise _no_page(asked)
        case [code]:
            return page_of(code)
        case several:
            lines = "".join(f"- {code} {NAMES[code]}\n" for code in several)
            return f"{len(several)} faults begin with `{asked}`:\n\n{lines}"


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
    page = _pages().get(code.upper())
    if page is None:
        raise _no_page(code)
    return page


def _pages() -> dict[str, Path]:
    return {path.stem: path for folder in _FOLDERS for path in sorted(folder.glob("THN*.md"))}


def _no_page(asked: str) -> PageError:
    near = nearest(asked.upper(), NAMES, likeness=0.8) or nearest(asked.lower(), NAMES.values(), likeness=0.7)
    meant = "" if near is None else f" Did you mean {near}?"
    return PageError(f"there is no page for `{asked}`.{meant} `thena-lint rules` lists all codes.")
