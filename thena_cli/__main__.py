"""`python -m thena_cli`: the `thena` command where its script is not on PATH."""

import sys

if __name__ == "__main__":
    try:
        from thena_cli.main import main

        sys.exit(main())
    except KeyboardInterrupt:
        # Before or after `main` could answer it.
        sys.exit(130)
