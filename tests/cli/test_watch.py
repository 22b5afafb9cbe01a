"""What counts as saved: real files under a real folder, watched as a session watches them."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest

from thena_cli.dev.watch import Contents, Watched, folders, saves, sources

LONGEST_WAIT = 20.0


class Saves:
    """A folder under watch, and what is said to have been saved in it."""

    def __init__(self, folder: Path, batches: AsyncIterator[frozenset[Path]], contents: Contents) -> None:
        self.folder = folder
        self.contents = contents
        self._batches = batches

    async def next(self) -> set[str]:
        """The next batch, as paths relative to the folder."""
        async with asyncio.timeout(LONGEST_WAIT):
            return {os.path.relpath(path, self.folder) for path in await anext(self._batches)}


@asynccontextmanager
async def watching(folder: Path, *files: str) -> AsyncIterator[Saves]:
    """Watch the folder and single files, from the moment at which the watches stand."""
    (folder / "first.py").write_text("before")
    contents = Contents(
        Watched(frozenset({folder}), frozenset(Path(os.path.normpath(folder / name)) for name in files))
    )
    # It is saved before the watches stand, so that its being reported shows that they do.
    (folder / "first.py").write_text("after")
    async with aclosing(saves(contents)) as batches:
        watched = Saves(folder, batches, contents)
        assert {"first.py"} == await watched.next()
        yield watched


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def replace(folder: Path, name: str, text: str) -> None:
    """Save the way many editors do: write beside it and rename."""
    (folder / f".{name}.tmp").write_text(text)
    (folder / f".{name}.tmp").rename(folder / name)


@pytest.mark.parametrize("save", [write, replace])
@pytest.mark.parametrize("name", ["flow.py", "writer.agent.md"])
async def test_a_save_is_seen_however_it_is_made(
    tmp_path: Path, name: str, save: Callable[[Path, str, str], None]
) -> None:
    """Writing in place and renaming over it are both a save, of Python files and of prompts."""
    write(tmp_path, name, "one")
    async with watching(tmp_path) as watched:
        save(tmp_path, name, "two")
        assert {name} == await watched.next()


async def test_only_new_content_of_a_source_is_a_save(tmp_path: Path) -> None:
    """A touch, an identical save, other file types, hidden files and caches are nothing."""
    write(tmp_path, "flow.py", "one")
    async with watching(tmp_path) as watched:
        (tmp_path / "flow.py").touch()
        replace(tmp_path, "flow.py", "one")
        write(tmp_path, "report/run/index.html", "x")
        write(tmp_path, "notes.md", "x")
        write(tmp_path, ".thena/dev.py", "x")
        write(tmp_path, "__pycache__/flow.py", "x")
        write(tmp_path, ".#flow.py", "x")
        write(tmp_path, "last.py", "x")
        assert {"last.py"} == await watched.next()


async def test_a_file_that_is_emptied_before_it_is_written_is_saved_once(tmp_path: Path) -> None:
    """Some editors take a moment in between, and an empty module is nothing to run."""
    write(tmp_path, "flow.py", "one")
    async with watching(tmp_path) as watched:
        write(tmp_path, "flow.py", "")
        await asyncio.sleep(0.04)
        write(tmp_path, "flow.py", "two")
        assert {"flow.py"} == await watched.next()
        assert b"two" == watched.contents.now()[tmp_path / "flow.py"]


async def test_new_files_in_new_folders_count(tmp_path: Path) -> None:
    """A package that is made while the folder is watched is watched too."""
    async with watching(tmp_path) as watched:
        write(tmp_path, "package/deep/flow.py", "one")
        assert {"package/deep/flow.py"} == await watched.next()
        write(tmp_path, "package/deep/flow.py", "two")
        assert {"package/deep/flow.py"} == await watched.next()


async def test_a_deleted_file_counts(tmp_path: Path) -> None:
    """A file that is gone changes what would run."""
    write(tmp_path, "flow.py", "one")
    async with watching(tmp_path) as watched:
        (tmp_path / "flow.py").unlink()
        assert {"flow.py"} == await watched.next()


async def test_a_renamed_folder_counts(tmp_path: Path) -> None:
    """Its files are gone under the old name and new under the new one."""
    write(tmp_path, "old/flow.py", "one")
    async with watching(tmp_path) as watched:
        (tmp_path / "old").rename(tmp_path / "new")
        seen: set[str] = set()
        while seen != {"old/flow.py", "new/flow.py"}:
            seen |= await watched.next()


async def test_a_folder_that_goes_between_two_watches_takes_its_files_with_it(tmp_path: Path) -> None:
    """They are told as gone while the folder is away, and as new when it is back."""
    folder = tmp_path / "project"
    write(folder, "flow.py", "one")
    contents = Contents(Watched(frozenset({folder})))
    shutil.rmtree(folder)
    async with aclosing(saves(contents)) as batches:
        watched = Saves(folder, batches, contents)
        assert {"flow.py"} == await watched.next()
        write(folder, "flow.py", "one")
        assert {"flow.py"} == await watched.next()


def test_folders_without_sources_cost_no_watch(tmp_path: Path) -> None:
    """Virtual environments (whatever their name), caches and hidden folders are neither watched nor read."""
    for name in ("app/flow.py", "app/deep/x.agent.md", ".venv/lib/a.py", "env/lib/a.py", "node_modules/a/a.py"):
        write(tmp_path, name, "")
    write(tmp_path, "env/pyvenv.cfg", "")
    watched = Watched(frozenset({tmp_path}))
    assert {tmp_path, tmp_path / "app", tmp_path / "app/deep"} == set(folders(watched))
    assert {tmp_path / "app/flow.py", tmp_path / "app/deep/x.agent.md"} == set(sources(watched))


async def test_a_single_file_counts_whatever_its_name_and_its_neighbours_do_not(tmp_path: Path) -> None:
    """Its saving, its deletion and its return are told."""
    folder = tmp_path / "folder"
    write(folder, "x", "x")
    write(tmp_path, "beside/critic.md", "one")
    async with watching(folder, "../beside/critic.md") as watched:
        write(tmp_path, "beside/other.py", "x")
        write(tmp_path, "beside/critic.md", "two")
        assert {"../beside/critic.md"} == await watched.next()
        (tmp_path / "beside/critic.md").unlink()
        assert {"../beside/critic.md"} == await watched.next()
        replace(tmp_path / "beside", "critic.md", "three")
        assert {"../beside/critic.md"} == await watched.next()


async def test_what_is_watched_can_be_widened_meanwhile(tmp_path: Path) -> None:
    """What is added counts from then on as it was when it was added, and no save before the watches stand is lost."""
    folder = tmp_path / "folder"
    write(tmp_path, "beside/agents.py", "one")
    folder.mkdir()
    async with watching(folder) as watched:
        following = asyncio.ensure_future(watched.next())
        await asyncio.sleep(0)
        watched.contents.watch(Watched(frozenset({folder, tmp_path / "beside"})))
        write(tmp_path, "beside/agents.py", "two")
        assert {"../beside/agents.py"} == await following
        write(folder, "first.py", "again")
        assert {"first.py"} == await watched.next()


def test_what_is_new_stays_new_when_something_else_is_watched_too(tmp_path: Path) -> None:
    """A file that came a moment before is told, and only what wasn't watched counts as it is now."""
    folder = tmp_path / "folder"
    write(folder, "first.py", "x")
    contents = Contents(Watched(frozenset({folder})))
    write(folder, "new.py", "x")
    write(tmp_path, "beside.json", "x")
    write(tmp_path, "other/agents.py", "x")
    contents.watch(Watched(frozenset({folder, tmp_path / "other"})))
    contents.also(frozenset({tmp_path / "beside.json"}))
    assert {folder / "new.py"} == contents.changed_anywhere()


def test_what_is_no_regular_file_is_not_read(tmp_path: Path) -> None:
    """A pipe that is called like a source would keep its reader waiting."""
    os.mkfifo(tmp_path / "pipe.py")
    assert frozenset() == Contents(Watched(frozenset({tmp_path}))).changed_anywhere()
