"""`thena-lint`, and `python -m thena_lint`: the door to `cli.py`, whose import takes long enough to be interrupted.

What the system refuses is answered here in a line: an output that is closed or full, a current folder that is gone.
"""

import gc
import os
import sys


def run() -> None:
    """Run `thena-lint` as this process.

    It ends at once: the system takes back at a stroke what Python would take apart in a tenth of the time.
    """
    code = main()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            # A stream that is closed has nothing left to say.
            continue
    os._exit(code)


def main() -> int:
    """Run `thena-lint` and return its exit code."""
    try:
        if sys.stdout is None:
            print("thena-lint: standard output is closed. Send it to a terminal, a file or a pipe.", file=sys.stderr)
            return 2
        from thena_lint.cache.recall import recall

        told = recall(sys.argv[1:])
        if told is not None:
            from thena_lint.streams import write

            write(told.text)
            return told.code
        # Nothing of what is imported or read is garbage, and looking for some takes a tenth of the time.
        gc.disable()
        from thena_lint import cli

        return cli.main()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read the output has seen enough. The interpreter must not write the rest when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except FileNotFoundError as error:
        print(f"thena-lint: the current folder can't be read: {error.strerror}. Go to one that can.", file=sys.stderr)
        return 2
    except OSError as error:
        # What is still in the buffer goes nowhere: Python would complain once more when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        print(f"thena-lint: the output can't be written: {error.strerror}.", file=sys.stderr)
        return 2


def _leave_the_current_folder() -> None:
    """Take the folder that `python -m` puts first on the path off it, unless the linter itself is in there.

    What is linted may have modules that are called like those that the linter imports.
    """
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib isn't loaded yet
    if not sys.flags.safe_path and sys.path and sys.path[0] != ours:
        del sys.path[0]


if __name__ == "__main__":
    _leave_the_current_folder()
    run()
