"""`thena-lint`, and `python -m thena_lint`: the door to `cli.py`, whose import takes long enough to be interrupted."""

import sys


def main() -> int:
    """Run `thena-lint` and return its exit code."""
    try:
        from thena_lint import cli

        return cli.main()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
