"""The `thena` command: which commands there are, and what its exit codes mean.

0: it did what was asked. 1: faults were found, the run failed, or whoever read the output has left. 2: the command line
is wrong, the output can't be written, or thena itself failed. 130: Ctrl-C. 129: the terminal is gone. 143: SIGTERM.
Left out on purpose: what a command does, which its module in `commands/` imports when it is run.

Nothing but `sys` is imported before `main` has begun, so that Ctrl-C is answered as early as Python allows.
"""

import sys

INTERRUPTED = 130


def main(argv: list[str] | None = None) -> int:
    """Run the command that `argv` names; return the exit code."""
    try:
        from thena_cli.commands.streams import answer_to_lost_output, is_output_closed, outlive_terminal

        if is_output_closed():
            return 2
        outlive_terminal()
        try:
            arguments = sys.argv[1:] if argv is None else argv
            if arguments in (["--help"], ["-h"]):
                from thena_cli.commands.overview import overview

                print(overview(), flush=True)
                return 0
            from thena_cli.commands.line import run_command

            return run_command(arguments)
        except Exception as error:
            code = answer_to_lost_output(error)
            if code is not None:
                return code
            # Mistakes of users are answered by the commands. What arrives here is ours, and a report of it needs the
            # trace.
            import traceback

            traceback.print_exc()
            print("thena: this is a fault of thena itself, not of your code.", file=sys.stderr)
            return 2
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
