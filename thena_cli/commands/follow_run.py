"""One run on its way to standard output, to the screen and to a log."""

from typing import TextIO

from thena_cli.commands.command_error import CommandError
from thena_cli.dev import lines
from thena_cli.dev.child import Child
from thena_cli.dev.messages import Asks, Died, Finished, Noted, Outcome, Printed, Reported, Spoken, Told
from thena_cli.dev.screen import Screen
from thena_cli.dev.single import follow_once
from thena_cli.dev.speech import Speech
from thena_runtime.observability.console import ConsoleLog


def open_log(path: str) -> TextIO:
    """The file of a log, emptied. Raises `CommandError` where it can't be written."""
    try:
        return open(path, "w", encoding="utf-8")  # noqa: PTH123 - the caller closes it
    except OSError as error:
        raise CommandError(
            f"the log `{path}` can't be written: {error.strerror}. Name a file in a folder that is there."
        ) from None


async def follow_run(
    child: Child, screen: Screen, output: TextIO, *, log: TextIO | None, streams: bool, is_json: bool
) -> int:
    """Write the result, all that is said or all events to `output`, the rest to the screen; return the exit code."""
    speech = Speech(output) if streams and not is_json else None
    note = None if log is None else ConsoleLog(log, verbose=True)

    def say(message: Told | Printed) -> None:
        # Until something happens again, a line is typed.
        screen.hold(isinstance(message, Asks))
        if isinstance(message, Spoken):
            if speech is not None:
                speech.hear(message)
            return
        if isinstance(message, Printed):
            if speech is not None:
                speech.break_line()
            screen.printed(message.text)
            return
        if isinstance(message, Reported) and not is_json:
            screen.reported(message.page)
        if not isinstance(message, Noted):
            return
        if speech is not None:
            speech.note(message.event)
            if not speech.is_shared:
                speech.break_line()
        if note is not None:
            note(message.event)
        if not is_json:
            screen.noted(message.event)

    def hear(line: str) -> None:
        if is_json:
            print(line, file=output, flush=True)

    def end(outcome: Outcome) -> None:
        if speech is not None:
            speech.break_line()
        if not is_json or isinstance(outcome, Died):
            screen.ended(outcome)
        if isinstance(outcome, Finished) and not is_json:
            if speech is not None:
                speech.end(outcome.output)
            else:
                for text in lines.output_lines(outcome.output):
                    print(text, file=output)
            output.flush()

    screen.started()
    return await follow_once(child, screen, say=say, known=end, heard=hear, is_ticking=not streams)
