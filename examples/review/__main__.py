"""`python -m review [FOLDER]`: review a folder and print the report."""

import sys
from pathlib import Path

from review.tools import SAMPLE
from review.workflow import app


def main() -> None:
    """Run the review over the folder named on the command line, or over the sample."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE
    if not folder.is_dir():
        sys.exit(f"{folder} is no folder")
    print(app.run_sync(prompt="Review the folder.", data={"folder": str(folder)}))


if __name__ == "__main__":
    main()
