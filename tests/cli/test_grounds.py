"""What a run rested on, and what a save changes of it: real files, and what runs told."""

from pathlib import Path

import pytest

from thena_cli.dev.grounds import Grounds
from thena_cli.dev.messages import Used
from thena_cli.dev.reach import Reach
from thena_cli.dev.watch import Contents, Watched


class Play:
    """A folder with a target, and its grounds as a session keeps them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.save("flow.py", "x = 1\n")
        self.contents = Contents(Watched(frozenset({folder})))
        self.grounds = Grounds(self.contents, near=[folder])
        self.seen = Reach(target=folder / "flow.py", importers={folder / "flow.py": None})

    def save(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def is_due(self) -> bool:
        """Look at what was saved, and check it."""
        self.contents.changed_anywhere()
        self.grounds.check()
        reach = self.grounds.completed(self.seen)
        return self.grounds.is_due(reach, reach)


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """A project that has run once."""
    play = Play(tmp_path)
    assert play.is_due()
    play.grounds.run()
    return play


def test_only_what_a_run_rests_on_makes_the_next_one_due(play: Play) -> None:
    """Another file doesn't, nor does a comment; it stays due until it runs."""
    assert not play.is_due()
    play.save("other.py", "y = 1\n")
    play.save("flow.py", "x = 1  # one\n")
    assert not play.is_due()
    play.save("flow.py", "x = 2\n")
    assert play.is_due()
    assert play.is_due()
    play.grounds.run()
    assert not play.is_due()


def test_what_is_undone_before_it_runs_is_not_due(play: Play) -> None:
    """Unless faults came between: then nobody has seen that it is good again."""
    play.save("flow.py", "x = 2\n")
    assert play.is_due()
    play.save("flow.py", "x = 1\n")
    assert not play.is_due()
    play.grounds.forget_run()
    assert play.is_due()


def test_what_a_run_reads_counts_from_then_on(play: Play) -> None:
    """Also a file that isn't there yet; none of caches and of elsewhere, and none that it writes."""
    there, missing = play.save("a.json", "1"), play.folder / "b.json"
    cached, elsewhere = play.save(".cache/c.json", "1"), play.folder.parent / "d.json"
    play.grounds.use(Used(read=(there, missing, cached, elsewhere)))
    assert not play.is_due()
    for name, is_due in ((".cache/c.json", False), ("b.json", True), ("a.json", True)):
        play.save(name, "2")
        assert is_due == play.is_due()
        play.grounds.run()
    play.grounds.use(Used(written=(there,)))
    play.save("a.json", "3")
    assert not play.is_due()


def test_a_save_of_a_run_itself_is_told_from_one_of_a_person(play: Play) -> None:
    """Code and prompts are anybody's, whoever wrote them last."""
    code, made = play.folder / "flow.py", play.folder / "made.py"
    play.grounds.use(Used(written=(code, made)))
    assert {made} == play.grounds.own(frozenset({code, made, play.folder / "other.py"}), play.seen)
