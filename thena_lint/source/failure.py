"""When the linter itself fails: what is left of the exception, so that the rest can go on and nothing is silent."""

import traceback
from pathlib import Path
from typing import Final

from thena_contract.frozen import frozen

_OURS: Final = str(Path(__file__).parents[1])
_LONGEST: Final = 200


@frozen
class Failure:
    """What the linter failed with at one file or declaration, in one line."""

    error: str

    @staticmethod
    def of(error: Exception) -> "Failure":
        """The error, and the line of ours that it comes from."""
        ours = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(_OURS)]
        where = f" in {Path(ours[-1].filename).name}, line {ours[-1].lineno}" if ours else ""
        return Failure(" ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST] + where)
