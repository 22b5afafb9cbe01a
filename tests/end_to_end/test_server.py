"""The language server as an editor meets it: a real process, spoken to over stdin and stdout."""

import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.support.lsp import PATIENCE, Client, Json
from tests.support.texts import WRITABLE, EditorText

STATE = """\
class DraftState:
    approved = False
"""

AGENTS = """\
from state import DraftState
from thena_runtime import Agent, Prompt, ScriptedProvider, State


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Write."))
class Writer:
    def __init__(self, s: State[DraftState]) -> None:
        self.s = s
"""

WORKFLOW = """\
from agents import Writer
from state import DraftState
from thena_runtime import Workflow


@Workflow(state=DraftState, steps=[Writer])
class Flow:
    pass
"""

BROKEN = "import thena_runtime\n\n\ndef half(a, b:\n    return a\n"

STATELESS = WORKFLOW.replace("state=DraftState, ", "")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A correct project of three files."""
    (tmp_path / "state.py").write_text(STATE)
    (tmp_path / "agents.py").write_text(AGENTS)
    (tmp_path / "workflow.py").write_text(WORKFLOW)
    return tmp_path


def position(text: str, word: str, nth: int = 0) -> tuple[int, int]:
    """Line and character (from 0, in code points) of the nth occurrence of a word."""
    offset = -1
    for _ in range(nth + 1):
        offset = text.index(word, offset + 1)
    return text.count("\n", 0, offset), offset - (text.rfind("\n", 0, offset) + 1)


def starts(diagnostics: list[dict[str, dict[str, dict[str, int]]]]) -> list[tuple[int, int]]:
    """Where the diagnostics begin."""
    return [(one["range"]["start"]["line"], one["range"]["start"]["character"]) for one in diagnostics]


# -- handshake


def test_the_server_says_who_it_is_and_what_it_can(project: Path) -> None:
    """The answer to `initialize` has a version, the chosen encoding, incremental sync and hover."""
    with Client(project) as client:
        result = client.initialize()
        capabilities = result["capabilities"]
        assert "thena-lsp" == result["serverInfo"]["name"]
        assert result["serverInfo"]["version"]
        assert ("utf-16", 2, True) == (
            capabilities["positionEncoding"],
            capabilities["textDocumentSync"]["change"],
            bool(capabilities["hoverProvider"]),
        )


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [(("utf-8", "utf-16"), "utf-8"), (("utf-32", "utf-8"), "utf-32"), (("utf-7",), "utf-16"), (None, "utf-16")],
)
def test_the_clients_first_known_encoding_is_chosen(
    project: Path, offered: tuple[str, ...] | None, chosen: str
) -> None:
    """The client's order of preference decides, and UTF-16 where nothing is offered."""
    with Client(project, encodings=offered) as client:
        assert chosen == client.initialize()["capabilities"]["positionEncoding"]


def test_files_are_watched_where_the_client_can(client: Client) -> None:
    """Whatever comes or goes is told of, and changes of Python files, prompts, settings and what Git ignores."""
    client.wait_for("the registration", lambda _: client.registered or None)
    watchers = client.registered[0]["registerOptions"]["watchers"]
    assert [
        ("**/*", 5),
        ("**/*.{py,pyi,ipynb}", 2),
        ("**/*.agent.md", 2),
        ("**/{pyproject,thena}.toml", 2),
        ("**/.gitignore", 2),
    ] == [(one["globPattern"], one["kind"]) for one in watchers]


def test_nothing_is_registered_where_the_client_cannot(project: Path) -> None:
    """A client without dynamic registration is asked for none, and is served all the same."""
    with Client(project, watches=False) as client:
        client.initialize()
        client.open(project / "workflow.py", STATELESS)
        client.codes(project / "agents.py", ["THN201"])
        assert [] == client.registered


def test_the_server_looks_itself_where_the_client_cannot(project: Path) -> None:
    """A change on disk is seen without a word of the client; so is one in a folder that is added later."""
    other = project.parent / "other"
    other.mkdir()
    with Client(project, watches=False) as client:
        client.initialize()
        client.open(project / "agents.py")
        client.published(project / "agents.py", 1)
        (project / "workflow.py").write_text(STATELESS)
        client.codes(project / "agents.py", ["THN201"])
        added = {"uri": other.as_uri(), "name": "other"}
        client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [added], "removed": []}})
        (other / "bad.py").write_text(BROKEN)
        client.codes(other / "bad.py", ["THN901"])
        assert 0 == client.stop()
    assert "" == client.stderr


LATE: Final = """
import time
from pathlib import Path
import watchfiles
from thena_lsp.process import end, take_over_streams
from thena_lsp.server import make_server, serve

watch = watchfiles.watch

def late(*paths, **options):
    while not Path({begin!r}).exists():
        time.sleep(0.01)
    yield from watch(*paths, **options)

watchfiles.watch = late
end(serve(make_server(), *take_over_streams()))
"""


def test_what_changes_before_the_watch_begins_is_seen(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """In a large folder a watch takes time to begin; what was read, and changed until then, is read once more."""
    begin = tmp_path_factory.mktemp("late") / "begin"
    with Client(project, watches=False, command=[sys.executable, "-c", LATE.format(begin=str(begin))]) as client:
        is_seen_late(client, project, begin.touch)
    assert "" == client.stderr


def test_what_changes_before_the_client_watches_is_seen(project: Path) -> None:
    """A client may take its time before it watches; what changed until it says so is read once more."""
    with Client(project) as client:
        client.is_silent = True
        is_seen_late(client, project, client.answer)
    assert "" == client.stderr


def is_seen_late(client: Client, project: Path, watch: Callable[[], object]) -> None:
    """Change a file after all was read; it is told of once somebody begins to watch."""
    client.initialize()
    client.open(project / "agents.py")
    client.published(project / "agents.py", 1)
    (project / "workflow.py").write_text(STATELESS)
    assert client.hover(project / "agents.py", 0, 0) is None
    assert [] == client.published(project / "agents.py", 1)
    watch()
    client.codes(project / "agents.py", ["THN201"])
    assert 0 == client.stop()


def test_folders_come_and_go(client: Client, project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A folder that is added to the workspace is linted, and one that is removed is forgotten."""
    other = tmp_path_factory.mktemp("other")
    (other / "bad.py").write_text(BROKEN)
    folder = {"uri": other.as_uri(), "name": "other"}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
    client.codes(other / "bad.py", ["THN901"])
    client.open(project / "workflow.py", STATELESS)
    client.codes(project / "agents.py", ["THN201"])
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}})
    client.codes(other / "bad.py", [])


def test_a_change_of_the_editors_settings_makes_the_server_look_again(client: Client, project: Path) -> None:
    """Settings in files that nobody has told of hold once the editor says that some have changed."""
    client.open(project / "workflow.py", STATELESS)
    client.codes(project / "agents.py", ["THN201"])
    (project / "thena.toml").write_text('[lint]\nignore = ["THN201"]\n')
    client.notify("workspace/didChangeConfiguration", {"settings": {}})
    client.codes(project / "agents.py", [])
    assert 0 == client.stop()
    assert "" == client.stderr


# -- diagnostics


def test_opening_shows_the_fault_at_the_parameter(client: Client, project: Path) -> None:
    """THN201 stands on the parameter, with source, severity, text and the chain to the workflow."""
    (project / "workflow.py").write_text(STATELESS)
    client.changed_on_disk({project / "workflow.py": 2})
    client.open(project / "agents.py")
    found = client.codes(project / "agents.py", ["THN201"])[0]
    line, character = position(AGENTS, "s: State")
    assert {"line": line, "character": character} == found["range"]["start"]
    assert ("thena", 1) == (found["source"], found["severity"])
    assert (
        "`Writer.__init__` parameter 0 `s` asks for the state, but workflow `Flow` declares none. "
        "Add `state=YourState` to `@Workflow` on `Flow`."
    ) == found["message"]
    assert [
        ("agent `Writer` is a step here", (project / "workflow.py").as_uri()),
        ("workflow `Flow` is declared here", (project / "workflow.py").as_uri()),
    ] == [(link["message"], link["location"]["uri"]) for link in found["relatedInformation"]]


def test_an_unsaved_change_clears_the_fault_and_brings_it_back(client: Client, project: Path) -> None:
    """What is on screen counts, and each answer says which version it is about."""
    agents = project / "agents.py"
    client.open(project / "workflow.py", STATELESS)
    client.open(agents)
    client.codes(agents, ["THN201"])
    version = client.replace(agents, AGENTS.replace("s: State[DraftState]", "s: DraftState | None = None"))
    assert [] == client.published(agents, version)
    version = client.replace(agents, AGENTS)
    assert ["THN201"] == [one["code"] for one in client.published(agents, version)]


def test_editing_the_workflow_updates_the_open_agent(client: Client, project: Path) -> None:
    """An unsaved edit of one file changes the diagnostics of another that is open."""
    client.open(project / "agents.py")
    assert [] == client.published(project / "agents.py", 1)
    client.open(project / "workflow.py")
    line, character = position(WORKFLOW, "state=DraftState, ")
    begin, end = {"line": line, "character": character}, {"line": line, "character": character + 18}
    client.change(project / "workflow.py", {"range": {"start": begin, "end": end}, "text": ""})
    client.codes(project / "agents.py", ["THN201"])
    client.change(project / "workflow.py", {"range": {"start": begin, "end": begin}, "text": "state=DraftState, "})
    client.codes(project / "agents.py", [])


def test_a_file_that_is_not_open_gets_its_diagnostics_too(client: Client, project: Path) -> None:
    """A fault in a file that nobody looks at appears in the list of problems, without a version."""
    client.open(project / "workflow.py", STATELESS)
    assert ["THN201"] == [one["code"] for one in client.published(project / "agents.py", None)]


def test_the_last_of_many_keystrokes_is_what_counts(client: Client, project: Path) -> None:
    """After a burst of edits the diagnostics are those of the last version."""
    agents = project / "agents.py"
    client.open(project / "workflow.py", STATELESS)
    client.open(agents, "")
    for end in range(1, len(AGENTS), 7):
        client.replace(agents, AGENTS[:end])
    version = client.replace(agents, AGENTS)
    assert ["THN201"] == [one["code"] for one in client.published(agents, version)]


def test_saving_keeps_the_verdict(client: Client, project: Path) -> None:
    """After a save the answer is the same, and later edits are still counted from the saved text."""
    agents = project / "agents.py"
    client.open(project / "workflow.py", STATELESS)
    client.open(agents, AGENTS.replace("Writer", "Writers"))
    version = client.replace(agents, AGENTS)
    agents.write_text(AGENTS)
    client.save(agents)
    assert ["THN201"] == [one["code"] for one in client.published(agents, version)]


def test_closing_an_unsaved_edit_returns_to_what_is_on_disk(client: Client, project: Path) -> None:
    """Closing without saving makes the file on disk count again, for other files as well."""
    client.open(project / "workflow.py", STATELESS)
    client.codes(project / "agents.py", ["THN201"])
    client.close(project / "workflow.py")
    client.codes(project / "agents.py", [])


def test_closing_keeps_the_faults_that_are_on_disk(client: Client, project: Path) -> None:
    """A closed file is still faulty, and still in the list of problems."""
    (project / "workflow.py").write_text(STATELESS)
    client.changed_on_disk({project / "workflow.py": 2})
    client.open(project / "agents.py")
    client.codes(project / "agents.py", ["THN201"])
    client.close(project / "agents.py")
    assert ["THN201"] == [one["code"] for one in client.published(project / "agents.py", None)]


def test_a_document_that_was_never_saved_is_cleared_on_close(client: Client, project: Path) -> None:
    """A file that is nowhere on disk leaves no diagnostics behind."""
    client.open(project / "new.py", BROKEN)
    client.codes(project / "new.py", ["THN901"])
    client.close(project / "new.py")
    client.codes(project / "new.py", [])


def test_deleting_a_file_clears_its_diagnostics(client: Client, project: Path) -> None:
    """When a file is gone from disk, so are its faults."""
    bad = project / "bad.py"
    bad.write_text(BROKEN)
    client.changed_on_disk({bad: 1})
    client.codes(bad, ["THN901"])
    bad.unlink()
    client.changed_on_disk({bad: 3})
    client.codes(bad, [])


def test_creating_the_missing_prompt_clears_its_fault(client: Client, project: Path) -> None:
    """THN105 goes when the watched prompt file appears, and comes back when it is deleted."""
    agents, prompt = project / "agents.py", project / "writer.agent.md"
    client.open(agents, AGENTS.replace('Prompt("Write.")', '"./writer.agent.md"'))
    client.codes(agents, ["THN105"])
    prompt.write_text("Write.")
    client.changed_on_disk({prompt: 1})
    client.codes(agents, [])
    prompt.unlink()
    client.changed_on_disk({prompt: 3})
    client.codes(agents, ["THN105"])


def test_a_file_outside_the_workspace_is_judged_beside_its_neighbours(
    client: Client, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A file that belongs to no folder of the workspace is analysed from its own root."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for name, text in (("state.py", STATE), ("agents.py", AGENTS), ("workflow.py", STATELESS)):
        (elsewhere / name).write_text(text)
    client.open(elsewhere / "agents.py")
    client.codes(elsewhere / "agents.py", ["THN201"])


def test_a_server_without_a_folder_serves_single_files(project: Path) -> None:
    """An editor that opens one file and no folder gets its diagnostics."""
    (project / "workflow.py").write_text(STATELESS)
    with Client(None, folders=()) as client:
        client.initialize()
        client.open(project / "agents.py")
        client.codes(project / "agents.py", ["THN201"])


# -- broken code


def test_a_syntax_error_is_shown_and_forgotten(client: Client, project: Path) -> None:
    """Half-typed code shows THN901 where it is, and nothing once it is whole."""
    agents = project / "agents.py"
    client.open(agents)
    client.published(agents, 1)
    client.replace(agents, AGENTS + "\n\ndef half(a, b:\n    return a\n")
    client.codes(agents, ["THN901"])
    client.replace(agents, AGENTS)
    client.codes(agents, [])


def test_other_files_keep_their_verdicts_while_one_is_broken(client: Client, project: Path) -> None:
    """A workflow that is being typed doesn't take away, or add, what is known of the agents."""
    agents, workflow = project / "agents.py", project / "workflow.py"
    client.open(agents)
    client.open(workflow, STATELESS)
    client.codes(agents, ["THN201"])
    version = client.replace(workflow, STATELESS.replace("steps=[Writer])", "steps=[Writer, "))
    assert ["THN901"] == [one["code"] for one in client.published(workflow, version)]
    client.replace(agents, AGENTS + "\n# a comment\n")
    assert ["THN201"] == [one["code"] for one in client.published(agents, 2)]


def test_a_broken_function_hides_no_fault_beside_it(client: Client, project: Path) -> None:
    """What stands above and below the broken lines is still judged, at the right place."""
    client.open(project / "workflow.py", STATELESS)
    broken = "def half(a, b:\n    return a\n\n\n"
    version = client.open(project / "agents.py", AGENTS.replace("@Agent", broken + "@Agent"))
    found = client.codes(project / "agents.py", ["THN901", "THN201"], version)
    line, character = position(AGENTS, "s: State")
    assert (line + 4, character) == starts(found)[1]


def test_an_odd_file_keeps_nobody_from_being_answered(project: Path) -> None:
    """What can't be decoded, or would fill the parser's stack, is reported for itself, and the end is a clean one."""
    (project / "codec.py").write_text("# coding: rot13\n")
    (project / "sum.py").write_text("import thena_runtime\nx = 1" + "+1" * 30_000 + "\n")
    (project / "ifs.py").write_text("import thena_runtime\nif 1: pass\n" + "elif 1: pass\n" * 1000)
    with Client(project) as client:
        client.initialize()
        client.open(project / "workflow.py", STATELESS)
        client.codes(project / "agents.py", ["THN201"])
        for name, code in (("codec.py", "THN905"), ("sum.py", "THN907"), ("ifs.py", "THN907")):
            client.codes(project / name, [code])
        client.open(project / "agents.py", AGENTS + "x = a" + ".b()" * 300 + "\n")
        client.codes(project / "agents.py", ["THN201", "THN907"])
        assert 0 == client.stop()
    assert "" == client.stderr


# -- odd characters

ODD = AGENTS.replace("self, s", 'self, a: str = "😀é\u0301", s')


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_columns_after_an_emoji_are_the_clients(project: Path, encoding: str) -> None:
    """The range is right in the client's units when odd characters stand before it."""
    text = ODD.replace(", s: State[DraftState]", ", *, s: State[DraftState]")
    line, character = position(text, "s: State")
    before = text.split("\n")[line][:character]
    codec, width = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[encoding]
    with Client(project, encodings=[encoding]) as client:
        client.initialize()
        client.open(project / "workflow.py", STATELESS)
        version = client.open(project / "agents.py", text)
        found = client.codes(project / "agents.py", ["THN201"], version)
        assert [(line, len(before.encode(codec)) // width)] == starts(found)


@pytest.mark.parametrize("character", ["\x0c", "\x0b", "\x1c", "\x85", "\u2028"])
def test_characters_that_only_look_like_line_ends_move_nothing(client: Client, project: Path, character: str) -> None:
    """Incremental edits below a form feed or U+2028 reach the line that the client means."""
    agents = project / "agents.py"
    head = f'ODD = "{character}"\n' if character != "\x0c" else "\x0c\n"
    text = head + AGENTS
    client.open(project / "workflow.py", STATELESS)
    client.open(agents, text.replace("s: State[DraftState]", "s: int = 0"))
    client.published(agents, 1)
    line, start = position(text, "s: State")
    spot = {"start": {"line": line, "character": start}, "end": {"line": line, "character": start + len("s: int = 0")}}
    version = client.change(agents, {"range": spot, "text": "s: State[DraftState]"})
    found = client.published(agents, version)
    assert ["THN201"] == [one["code"] for one in found]
    assert [(line, start)] == starts(found)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_other_line_ends_are_lines(client: Client, project: Path, end: str) -> None:
    """Windows' and old Macs' line ends count as lines."""
    client.open(project / "workflow.py", STATELESS)
    version = client.open(project / "agents.py", AGENTS.replace("\n", end))
    assert [position(AGENTS, "s: State")] == starts(client.codes(project / "agents.py", ["THN201"], version))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_tabs_and_a_byte_order_mark_are_counted_as_the_client_counts_them(project: Path, encoding: str) -> None:
    """A tab is one unit; a mark at the beginning of an open text counts on its own line, in the client's units."""
    mark = {"utf-8": 3, "utf-16": 1, "utf-32": 1}[encoding]
    fault = AGENTS.replace("    def", "\tdef").replace("        self.s", "\t\tself.s").replace("self, s", "self,\ts")
    with Client(project, encodings=[encoding]) as client:
        client.initialize()
        client.open(project / "workflow.py", STATELESS)
        version = client.open(project / "agents.py", fault)
        found = client.codes(project / "agents.py", ["THN201"], version)
        assert [position(fault, "s: State")] == starts(found)
        version = client.replace(project / "agents.py", "\ufeffx = 1  # thena: ignore[THN201]\n" + fault)
        comment, moved = client.codes(project / "agents.py", ["THN902", "THN201"], version)
        line, character = position(fault, "s: State")
        assert [(0, mark + len("x = 1  # thena: ignore[")), (line + 1, character)] == starts([comment, moved])


def test_random_edits_over_the_wire_move_the_fault_as_the_editor_moves_it(project: Path) -> None:
    """After hundreds of notifications with odd characters the fault below is where the editor has it."""
    for encoding in ("utf-8", "utf-16", "utf-32"):
        editor = EditorText('ODD = """\n"""\n' + AGENTS, encoding, random.Random(encoding), pieces=WRITABLE)
        with Client(project, encodings=[encoding]) as client:
            client.initialize()
            client.open(project / "workflow.py", STATELESS)
            client.open(project / "agents.py", editor.text)
            for _ in range(200):
                last = editor.text.index('"""\n' + AGENTS)
                version = client.change(project / "agents.py", editor.edit(len('ODD = """\n'), last))
            found = client.codes(project / "agents.py", ["THN201"], version)
            assert editor.position(editor.text.index("s: State")) == found[0]["range"]["start"]


# -- hovers

TOOLED = """\
from state import DraftState
from thena_runtime import Agent, Context, Prompt, ScriptedProvider, State, Tool, Workflow, loop


@Tool(name="look", description="Look it up.")
class Look:
    def execute(self, word: str, ctx: Context) -> str:
        return word


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Write."), tools=[Look])
class Writer:
    def __init__(self, s: State[DraftState]) -> None:
        self.s = s

    def after_response(self, response: str) -> None:
        self.s.approved = True


@Workflow(state=DraftState, steps=[loop([Writer], until=lambda ctx, s: s.approved)])
class Flow:
    pass
"""


@pytest.mark.parametrize(
    ("word", "nth", "title"),
    [
        ("State[", 0, "**`s`** of `Writer.__init__`"),
        ("Context", 1, "**`ctx`** of `Look.execute`"),
        ("word", 0, "**`word`** of `Look.execute`"),
        ("Look:", 0, "**tool `Look`**, which the model calls `look`"),
        ("Look]", 0, "**tool `Look`**, which the model calls `look`"),
        ("Writer:", 0, "**agent `Writer`**"),
        ("Writer]", 0, "**agent `Writer`**"),
        ("after_response", 0, "**hook `after_response`** of agent `Writer`"),
        ("until=", 0, "**`steps[0].until`** of `Flow`"),
        ("Flow:", 0, "**workflow `Flow`**"),
        ("Context", 0, "**`Context`**"),
    ],
)
def test_each_kind_of_thing_has_a_hover(client: Client, project: Path, word: str, nth: int, title: str) -> None:
    """Markers, arguments, tools, agents, hooks, `until` and workflows explain themselves."""
    client.open(project / "tooled.py", TOOLED)
    shown = client.hover(project / "tooled.py", *position(TOOLED, word, nth))
    assert shown is not None
    assert title == shown.split("\n")[0]


def test_a_hover_says_what_the_parameter_gets_in_the_unsaved_text(client: Client, project: Path) -> None:
    """The state that a parameter gets is the one of the workflow as it is on screen."""
    client.open(project / "tooled.py", TOOLED)
    client.replace(project / "tooled.py", TOOLED.replace("state=DraftState, ", ""))
    shown = client.hover(project / "tooled.py", *position(TOOLED, "State["))
    assert shown is not None
    assert "- in `Flow`: nothing: no state is declared" in shown.split("\n")


def test_a_hover_beside_broken_code_still_answers(client: Client, project: Path) -> None:
    """Half-typed code takes away the hovers inside it, and no others."""
    text = TOOLED + "\n\ndef half(a, b:\n    return a\n"
    client.open(project / "tooled.py", text)
    shown = client.hover(project / "tooled.py", *position(text, "Writer:"))
    assert shown is not None
    assert "**agent `Writer`**" == shown.split("\n")[0]
    assert None is client.hover(project / "tooled.py", *position(text, "half"))


def test_a_hover_covers_the_clients_range(project: Path) -> None:
    """The range of a hover is counted as the client counts."""
    text = TOOLED.replace("word: str", 'word: str = "😀", *').replace("ctx: Context", "ctx: Context")
    with Client(project, encodings=["utf-8"]) as client:
        client.initialize()
        client.open(project / "tooled.py", text)
        line, character = position(text, "ctx: Context")
        start = len(text.split("\n")[line][:character].encode())
        where = {
            "textDocument": {"uri": (project / "tooled.py").as_uri()},
            "position": {"line": line, "character": start},
        }
        found = client.request("textDocument/hover", where)
        assert {
            "start": {"line": line, "character": start},
            "end": {"line": line, "character": start + len("ctx: Context")},
        } == found["range"]


# -- diagnostics that are pulled

PULLING = {
    "textDocument": {"diagnostic": {"dynamicRegistration": True}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}


def test_a_client_that_pulls_is_sent_nothing(project: Path) -> None:
    """It asks for its files, is told when another one's result has changed, and gets the closed ones all at once."""
    agents, workflow = project / "agents.py", project / "workflow.py"
    with Client(project, capabilities=PULLING) as client:
        told = client.initialize()["capabilities"]["diagnosticProvider"]
        assert {"identifier": "thena", "interFileDependencies": True, "workspaceDiagnostics": True} == told
        client.open(agents)
        client.open(workflow)
        clean = client.pulled(agents)
        assert ("full", []) == (clean["kind"], clean["items"])
        client.replace(workflow, STATELESS)
        assert [] == client.pulled(workflow)["items"]
        client.wait_for("a refresh", lambda messages: client.asked_of_us(messages, "workspace/diagnostic/refresh"))
        found = client.pulled(agents, clean["resultId"])
        assert ["THN201"] == [one["code"] for one in found["items"]]
        assert {"kind": "unchanged", "resultId": found["resultId"]} == client.pulled(agents, found["resultId"])
        (report,) = client.request("workspace/diagnostic", {"previousResultIds": []})["items"]
        assert (agents.as_uri(), 1, found["resultId"]) == (report["uri"], report["version"], report["resultId"])
        known = [{"uri": agents.as_uri(), "value": found["resultId"]}]
        held = client.ask("workspace/diagnostic", {"previousResultIds": known})
        given_up = client.ask("workspace/diagnostic", {"previousResultIds": known})
        client.notify("$/cancelRequest", {"id": given_up})
        assert -32800 == client.wait_answer(given_up)["error"]["code"]
        (project / "bad.py").write_text(BROKEN)
        client.changed_on_disk({project / "bad.py": 1})
        news = client.wait_answer(held)["result"]["items"]
        assert [("agents.py", "unchanged"), ("bad.py", "full")] == [
            (one["uri"].rpartition("/")[2], one["kind"]) for one in news
        ]
        client.ask(
            "workspace/diagnostic",
            {"previousResultIds": [*known, {"uri": news[1]["uri"], "value": news[1]["resultId"]}]},
        )
        assert [] == client.messages("textDocument/publishDiagnostics")
        assert 0 == client.stop()
    assert "" == client.stderr


def test_a_client_that_cannot_be_told_to_pull_again_is_sent_all(project: Path) -> None:
    """Pulling alone would leave it with what an edit of another file has changed, so it isn't offered."""
    with Client(project, capabilities={"textDocument": PULLING["textDocument"]}) as client:
        assert "diagnosticProvider" not in client.initialize()["capabilities"]
        client.open(project / "agents.py")
        client.open(project / "workflow.py", STATELESS)
        client.codes(project / "agents.py", ["THN201"])
        assert 0 == client.stop()
    assert "" == client.stderr


# -- notebooks


def test_a_fault_in_an_open_notebook_is_shown_in_its_cell(project: Path) -> None:
    """The cells of a notebook are synchronized, and a diagnostic belongs to one of them."""
    with Client(project, capabilities={"notebookDocument": {"synchronization": {}}}) as client:
        told = client.initialize()["capabilities"]["notebookDocumentSync"]
        assert [{"notebook": "jupyter-notebook", "cells": [{"language": "python"}]}] == told["notebookSelector"]
        cell = f"vscode-notebook-cell:{project}/notes.ipynb#W0"
        client.notify(
            "notebookDocument/didOpen",
            {
                "notebookDocument": {
                    "uri": (project / "notes.ipynb").as_uri(),
                    "notebookType": "jupyter-notebook",
                    "version": 1,
                    "cells": [{"kind": 2, "document": cell}],
                },
                "cellTextDocuments": [{"uri": cell, "languageId": "python", "version": 1, "text": BROKEN}],
            },
        )

        def shown(messages: list[Json]) -> list[str] | None:
            found = [one["params"] for one in messages if one.get("method") == "textDocument/publishDiagnostics"]
            codes = [[each["code"] for each in one["diagnostics"]] for one in found if one["uri"] == cell]
            return codes[-1] if codes else None

        assert ["THN901"] == client.wait_for("diagnostics of the cell", shown)
        assert 0 == client.stop()
    assert "" == client.stderr


# -- fixes

ACTIONS = {
    "textDocument": {
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "source"]}},
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        }
    },
    "workspace": {"workspaceEdit": {"documentChanges": True, "resourceOperations": ["create"]}},
}


def test_a_quick_fix_is_chosen_and_the_fault_is_gone(project: Path) -> None:
    """The edit comes when the action is chosen, for the version on screen; once it is applied nothing is found."""
    agents, workflow = project / "agents.py", project / "workflow.py"
    with Client(project, capabilities=ACTIONS) as client:
        told = client.initialize()["capabilities"]["codeActionProvider"]
        assert (["quickfix", "source.fixAll.thena", "source.fixProject.thena"], True) == (
            told["codeActionKinds"],
            told["resolveProvider"],
        )
        client.open(agents)
        client.open(workflow, STATELESS)
        found = client.codes(agents, ["THN201"])
        actions = client.actions(agents, found, ["quickfix"])
        assert [
            "Declare `DraftState` as the state of `Flow`",
            "Let `s` be `None`",
            "Ignore THN201 on this line",
        ] == [one["title"] for one in actions]
        assert [True, None, None] == [one.get("isPreferred") for one in actions]
        (change,) = client.request("codeAction/resolve", actions[0])["edit"]["documentChanges"]
        assert {"uri": workflow.as_uri(), "version": 1} == change["textDocument"]
        # From the last place to the first, so that each is where the text before it left it.
        edits = sorted(change["edits"], key=lambda one: -one["range"]["start"]["line"])
        client.change(workflow, *({"range": one["range"], "text": one["newText"]} for one in edits))
        client.codes(agents, [])
        late = client.wait_answer(client.ask("codeAction/resolve", actions[0]))
        assert -32801 == late["error"]["code"]
        assert 0 == client.stop()
    assert "" == client.stderr


def test_what_an_editor_does_on_saving_repairs_the_file(project: Path) -> None:
    """`source.fixAll` gives one action, with its edit for a client that asks for none later."""
    literal = {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}}
    with Client(project, capabilities={"textDocument": literal}) as client:
        client.initialize()
        client.open(project / "agents.py", AGENTS + "x = 1  # thena: ignore[THN201]\n")
        found = client.codes(project / "agents.py", ["THN902"])
        (action,) = client.actions(project / "agents.py", found, ["source.fixAll"])
        line = AGENTS.count("\n")
        comment = {"start": {"line": line, "character": 5}, "end": {"line": line, "character": 30}}
        assert {(project / "agents.py").as_uri(): [{"range": comment, "newText": ""}]} == action["edit"]["changes"]


# -- what a client may do wrong


def test_garbage_is_survived(client: Client, project: Path) -> None:
    """Nonsense in messages is answered or ignored, and the next good one is served."""
    client.send_bytes(b"{ this is no JSON")
    client.send({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": 7}})
    client.send({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": None})
    client.change(project / "never_opened.py", {"text": "x = 1\n"})
    client.close(project / "never_opened.py")
    client.notify("no/such/notification", {"a": [1]})
    bad = client.wait_answer(client.ask("textDocument/hover", {"position": "here"}))
    assert "error" in bad
    client.open(project / "workflow.py", STATELESS)
    client.codes(project / "agents.py", ["THN201"])
    assert [] == client.messages("window/showMessage")


def test_a_hover_where_nothing_can_be_is_no_error(client: Client, project: Path) -> None:
    """Positions past the end, unknown files and unsaved documents give nothing."""
    assert None is client.hover(project / "agents.py", 10_000, 10_000)
    assert None is client.hover(project / "nowhere.py", 0, 0)
    position = {"line": 0, "character": 0}
    assert None is client.request("textDocument/hover", {"textDocument": {"uri": "untitled:1"}, "position": position})


# -- the command


@pytest.mark.parametrize(("option", "first"), [("--version", "thena-lsp "), ("--help", "usage: thena-lsp ")])
def test_the_command_explains_itself(option: str, first: str) -> None:
    """`--version` and `--help` print and end, without starting a server."""
    done = subprocess.run([sys.executable, "-m", "thena_lsp", option], capture_output=True, text=True, timeout=PATIENCE)
    assert (0, "", first) == (done.returncode, done.stderr, done.stdout[: len(first)])


def test_an_unknown_option_is_refused() -> None:
    """A misspelt option is told on stderr with exit code 2, and nothing is written where the protocol goes."""
    done = subprocess.run(
        [sys.executable, "-m", "thena_lsp", "--tcp"], capture_output=True, text=True, timeout=PATIENCE
    )
    assert (2, "") == (done.returncode, done.stdout)
    assert "--tcp" in done.stderr


# -- the end


def test_shutdown_then_exit_is_a_clean_end(client: Client) -> None:
    """The exit code is 0 after a shutdown."""
    assert 0 == client.stop()


def test_exit_without_shutdown_is_an_error(client: Client) -> None:
    """The protocol wants 1 when the client forgot the shutdown."""
    client.notify("exit", None)
    assert 1 == client.process.wait(PATIENCE)


def test_the_server_ends_with_its_input(client: Client) -> None:
    """When the editor is gone, so is the server."""
    assert client.process.stdin is not None
    client.process.stdin.close()
    assert isinstance(client.process.wait(PATIENCE), int)


def test_nothing_is_logged_in_a_normal_session(client: Client, project: Path) -> None:
    """stderr stays empty when all is well."""
    client.open(project / "agents.py")
    client.published(project / "agents.py", 1)
    client.hover(project / "agents.py", *position(AGENTS, "State["))
    assert 0 == client.stop()
    assert "" == client.stderr
