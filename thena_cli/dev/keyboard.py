"""What each key of a session does, and who is given the line that somebody types.

Left out on purpose: the terminal (`keys.py`), and doing what is asked for, which is the session's.
"""

from pathlib import Path
from typing import Protocol

from thena_cli.dev import browser
from thena_cli.dev.child import Child
from thena_cli.dev.keys import Keys
from thena_cli.dev.lines import Line, key_lines, said_line

HELP = (
    ("r", "run again"),
    ("a", "run again and ask models anew: nothing is replayed"),
    ("f", "run the prompt again whose run failed last"),
    ("i", "type another prompt"),
    ("l", "lint again, and show every fault"),
    ("o", "open the report of the last run"),
    ("c", "clear the screen"),
    ("p", "pause: saves wait until it is pressed again"),
    ("q", "leave, as Ctrl-C does"),
)
"""Every key and what it does."""


class Commanded(Protocol):
    """What keys ask of a session."""

    @property
    def prompt(self) -> str:
        """What runs are asked to do."""

    @property
    def failed_prompt(self) -> str | None:
        """The prompt whose run failed last."""

    @property
    def is_linting(self) -> bool:
        """Whether there is a linter."""

    @property
    def report(self) -> Path | None:
        """The page about the last run that has one."""

    def run_again(self, *, prompt: str | None = None, is_anew: bool = False) -> None:
        """Run what is on disk; anew, so that nothing is replayed."""

    def lint(self) -> None:
        """Lint and run nothing."""

    def pause(self) -> bool:
        """Let saves wait, or count again; return whether they wait."""

    def leave(self) -> None:
        """End the session."""

    def tell(self, *rows: Line) -> None:
        """Show an answer."""

    def hold(self, is_held: bool, *, is_prompt: bool = False) -> None:
        """Redraw nothing while a line is typed; while it is a prompt, let saves wait too."""

    def clear(self) -> None:
        """Clear the screen."""


class Keyboard:
    """The keys of one session; owned by it, which must `close` it."""

    def __init__(self, session: Commanded) -> None:
        self._session = session
        self._keys = Keys(pressed=self._press, typed=self._type)
        # A line that is typed is a prompt, or it is for the program of a run, which waits until no prompt is typed.
        self._is_prompting = False
        self._reader: Child | None = None

    def ask_for(self, reader: Child) -> None:
        """Have a line typed for the program of a run."""
        self._reader = reader
        if not self._is_prompting:
            self._ask("type a line for the run")

    def forget(self, reader: Child) -> None:
        """Nobody needs to type for this run any more."""
        if self._reader is not reader:
            return
        self._reader = None
        if self._is_prompting:
            return
        is_begun = self._keys.stop_asking()
        self._session.hold(False)
        if is_begun:
            told = "the run that asked is over; what is typed up to Enter is dropped"
            self._session.tell((), said_line(told))

    def give_up(self) -> bool:
        """Forget the prompt that is being typed; return whether there was one."""
        if not self._is_prompting:
            return False
        self._keys.stop_asking()
        self._type(None)
        return True

    def close(self) -> None:
        """Give the terminal back."""
        self._keys.close()

    def _press(self, key: str) -> None:
        session = self._session
        match key:
            case "r":
                session.run_again()
            case "a":
                session.run_again(is_anew=True)
            case "f" if session.failed_prompt is None:
                self._say("no run has failed")
            case "f":
                session.run_again(prompt=session.failed_prompt)
            case "i":
                self._say(f"the prompt is: {session.prompt}" if session.prompt else "there is no prompt")
                self._is_prompting = True
                self._ask("type a prompt; an empty line or Ctrl-C keeps it as it is")
            case "l" if not session.is_linting:
                self._say("nothing is linted, because of --lint=off")
            case "l":
                session.lint()
            case "o":
                self._open(session.report)
            case "c":
                session.clear()
            case "p":
                is_paused = session.pause()
                self._say("paused: saves wait until p is pressed again" if is_paused else "saves count again")
            case "q":
                session.leave()
            case "?":
                session.tell(*key_lines(HELP))
            case _:
                return

    def _ask(self, told: str) -> None:
        self._session.hold(True, is_prompt=self._is_prompting)
        # Before it is said that a line is wanted: what is typed from then on is a line.
        self._keys.ask()
        self._say(told)

    def _open(self, page: Path | None) -> None:
        if page is None:
            self._say("no run has a report; `thena dev --report` writes them")
        elif browser.can_be_seen():
            browser.show(page)
            self._say(f"opened {page}")
        else:
            self._say(f"the report is {page}")

    def _type(self, text: str | None) -> None:
        is_prompt, self._is_prompting = self._is_prompting, False
        reader, self._reader = self._reader, None
        self._session.hold(False)
        if not is_prompt:
            if reader is not None:
                reader.type(text)
            return
        if text:
            self._session.run_again(prompt=text)
        else:
            self._say("the prompt stays")
        if reader is not None:
            self.ask_for(reader)

    def _say(self, text: str) -> None:
        self._session.tell(said_line(text))
