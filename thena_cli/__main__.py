"""`python -m thena_cli`: the `thena` command where its script is not on PATH."""

import sys

from thena_cli.main import main

if __name__ == "__main__":
    sys.exit(main())
