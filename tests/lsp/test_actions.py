"""Code actions: what is offered for a fault, and what the texts are when an action is applied as a client does."""

from collections.abc import Sequence
from dataclasses import replace as other
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from lsprotocol import types as lsp

from tests.support.fix_cases import CASES, read_case, write_case
from thena_lint.analyze import analyze
from thena_lint.apply import context_of, fixes_of
from thena_lint.edit import edited
from thena_lsp.client import Client
from thena_lsp.convert import Encoding, TextLines, edit_all
from thena_lsp.features.actions import NotThereError, actions_at, resolve
from thena_lsp.offers import FIX_FILE, FIX_PROJECT, QUICK_FIX
from thena_lsp.session import Session

MODERN = Client(shows_related=True, takes_actions=True, resolves_edits=True, takes_versions=True, creates_files=True)
EAGER = other(MODERN, resolves_edits=False)
OLD = Client(takes_actions=True)

AGENT = """\
from thena_runtime import Agent, Prompt, ScriptedProvider, State


class Draft:
    pass


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Write."))
class Writer:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s

    def after_respnse(self, text: str) -> None:
        self.s = text
"""

FLOW = """\
from agent import Writer
from thena_runtime import Workflow


@Workflow(steps=[Writer])
class Flow:
    pass
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose workflow declares no state."""
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "flow.py").write_text(FLOW)
    return tmp_path


def begun(folder: Path, encoding: Encoding = Encoding.UTF16) -> Session:
    """A session that has read a folder."""
    session = Session(encoding, [folder])
    while session.read_some():
        pass
    return session


def asked(
    session: Session,
    path: Path,
    client: Client = MODERN,
    *,
    only: Sequence[str] | None = None,
    lines: tuple[int, int] = (0, 10_000),
    trigger: lsp.CodeActionTriggerKind | None = None,
) -> list[lsp.CodeAction]:
    """The actions for some lines of a file."""
    params = lsp.CodeActionParams(
        lsp.TextDocumentIdentifier(path.as_uri()),
        lsp.Range(lsp.Position(lines[0], 0), lsp.Position(lines[1], 0)),
        lsp.CodeActionContext([], only, trigger),
    )
    return actions_at(session, params, client) or []


def chosen(session: Session, path: Path, title: str, client: Client = MODERN) -> lsp.WorkspaceEdit:
    """The edit of an action, asked for if the client does that."""
    action = next(one for one in asked(session, path, client) if one.title == title)
    if client.resolves_edits:
        assert action.edit is None
        action = resolve(session, action, client)
    assert action.edit is not None
    return action.edit


def applied(edit: lsp.WorkspaceEdit, texts: dict[Path, str], encoding: Encoding = Encoding.UTF16) -> dict[Path, str]:
    """The texts after an edit, as a client applies it: from the last place to the first, files made before."""
    after = dict(texts)
    changes: list[tuple[str, list[lsp.TextEdit]]] = [(uri, list(each)) for uri, each in (edit.changes or {}).items()]
    for step in edit.document_changes or ():
        if isinstance(step, lsp.CreateFile):
            assert path_in(step.uri) not in after
            after[path_in(step.uri)] = ""
        elif isinstance(step, lsp.TextDocumentEdit):
            changes.append((step.text_document.uri, [one for one in step.edits if isinstance(one, lsp.TextEdit)]))
    for uri, edits in changes:
        lines = TextLines.of(after[path_in(uri)])
        for one in sorted(edits, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True):
            lines = edit_all(lines, [lsp.TextDocumentContentChangePartial(one.range, one.new_text)], encoding)
        after[path_in(uri)] = lines.text
    return after


def path_in(uri: str) -> Path:
    """The path of a file's URI."""
    return Path(unquote(urlsplit(uri).path))


def versions(edit: lsp.WorkspaceEdit) -> list[tuple[str, int | None]]:
    """Which version of each file an edit is for."""
    return [
        (path_in(step.text_document.uri).name, step.text_document.version)
        for step in edit.document_changes or ()
        if isinstance(step, lsp.TextDocumentEdit)
    ]


def test_a_fault_offers_its_fixes_and_to_be_ignored(project: Path) -> None:
    """Each fix of each fault is there by its title, then the comment, then what repairs everything.

    The only safe fix changes another file, so no action says that it repairs this one.
    """
    actions = asked(begun(project), project / "agent.py")
    assert [
        ("Declare `Draft` as the state of `Flow`", QUICK_FIX, True, "THN201"),
        ("Let `s` be `None`", QUICK_FIX, None, "THN201"),
        ("Ignore THN201 on this line", QUICK_FIX, None, "THN201"),
        ("Call it `after_response`", QUICK_FIX, None, "THN503"),
        ("Ignore THN503 on this line", QUICK_FIX, None, "THN503"),
        ("Apply all safe Thena fixes in this project", FIX_PROJECT, None, None),
    ] == [
        (one.title, one.kind, one.is_preferred, one.diagnostics[0].code if one.diagnostics else None) for one in actions
    ]


@pytest.mark.parametrize("case", sorted(CASES.glob("*.txt")), ids=lambda path: path.stem)
@pytest.mark.parametrize("encoding", [Encoding.UTF8, Encoding.UTF16], ids=str)
def test_an_action_makes_what_the_fix_makes(case: Path, encoding: Encoding, tmp_path: Path) -> None:
    """Every fix that there is, applied as a client applies it, leaves the texts that `thena-lint` would leave."""
    read = read_case(case)
    write_case(
        {name: body + "# 😀é\n" if name.endswith(".py") else body for name, body in read.before.items()},
        tmp_path,
        "\r\n",
    )
    analysis = analyze([tmp_path])
    context = context_of(analysis)
    session = begun(tmp_path, encoding)
    texts = {path: path.read_bytes().decode() for path in tmp_path.rglob("*") if path.is_file()}
    for one in analysis.diagnostics:
        path = Path(one.place.path)
        for fix in fixes_of(context, one):
            expected = {
                **{
                    path: edited(text, {edit for edit in fix.edits if edit.path == path})
                    for path, text in texts.items()
                },
                **{made.path: made.text for made in fix.created},
            }
            line = one.place.line - 1
            offered = [
                resolve(session, action, MODERN)
                for action in asked(session, path, only=[QUICK_FIX], lines=(line, line + 1))
                if action.title == fix.title and action.diagnostics and action.diagnostics[0].message == one.message
            ]
            edits = [action.edit for action in offered if action.edit is not None]
            assert expected in [applied(edit, texts, encoding) for edit in edits], fix.title


def test_an_edit_names_the_version_of_what_is_open(project: Path) -> None:
    """An open file is edited in the version that the fix was worked out from; a closed one has none."""
    session = begun(project)
    title = "Declare `Draft` as the state of `Flow`"
    assert [("flow.py", None)] == versions(chosen(session, project / "agent.py", title))
    session.open((project / "flow.py").as_uri(), 7, FLOW)
    assert [("flow.py", 7)] == versions(chosen(session, project / "agent.py", title))


@pytest.mark.parametrize("encoding", Encoding, ids=str)
def test_an_edit_is_of_the_unsaved_text(project: Path, encoding: Encoding) -> None:
    """Lines that aren't saved, odd characters and a byte order mark among them, are counted as the client counts."""
    flow = "\ufeff" + FLOW
    agent = AGENT.replace("None:\n        self.s = t", "None:  # 😀\n        self.s = t")
    session = begun(project, encoding)
    session.open((project / "flow.py").as_uri(), 1, flow)
    session.open((project / "agent.py").as_uri(), 1, agent)
    edit = chosen(session, project / "agent.py", "Declare `Draft` as the state of `Flow`")
    declared = flow.replace("steps=", "state=Draft, steps=").replace("import Writer", "import Draft, Writer")
    assert declared == applied(edit, {project / "flow.py": flow}, encoding)[project / "flow.py"]
    edit = chosen(session, project / "agent.py", "Ignore THN503 on this line")
    ignored = agent.replace("# 😀", "# 😀  # thena: ignore[THN503]")
    assert ignored == applied(edit, {project / "agent.py": agent}, encoding)[project / "agent.py"]


def test_an_old_client_gets_plain_edits_with_the_list(project: Path) -> None:
    """Without lazy edits, versions and creations there are `changes`, and nothing that would need more."""
    (project / "agent.py").write_text(AGENT.replace('Prompt("Write.")', '"./write.agent.md"'))
    session = begun(project)
    actions = asked(session, project / "agent.py", OLD)
    assert [] == [one.title for one in actions if one.title.startswith("Create")]
    assert [True] * len(actions) == [bool(one.edit and one.edit.changes and one.data is None) for one in actions]
    assert ["Create `write.agent.md`"] == [
        one.title for one in asked(session, project / "agent.py", EAGER) if one.title.startswith("Create")
    ]


def test_a_client_that_takes_only_commands_gets_nothing(project: Path) -> None:
    """There is no command behind an action, so nothing is offered that can't be done."""
    assert [] == asked(begun(project), project / "agent.py", Client())


def test_a_file_is_created_with_its_text(project: Path) -> None:
    """A missing prompt is made by the client, and its text is an edit of the new file."""
    (project / "agent.py").write_text(AGENT.replace('Prompt("Write.")', '"./write.agent.md"'))
    session = begun(project)
    edit = chosen(session, project / "agent.py", "Create `write.agent.md`")
    made = applied(edit, {})
    assert [project / "write.agent.md"] == list(made)
    (project / "write.agent.md").write_text(made[project / "write.agent.md"])
    session.touch([(project / "write.agent.md").as_uri()])
    assert ["THN201", "THN503"] == [one.code for one in session.found()[project / "agent.py"]]


@pytest.mark.parametrize(
    ("only", "kinds"),
    [
        (["source.fixAll"], [FIX_FILE]),
        (["source.fixAll.thena"], [FIX_FILE]),
        (["source"], [FIX_FILE, FIX_PROJECT]),
        (["quickfix"], [QUICK_FIX]),
        (["quickfix", "source.fixAll"], [QUICK_FIX, FIX_FILE]),
        (["refactor", "source.fixAllOther", "source.organizeImports"], []),
        ([""], [QUICK_FIX, FIX_FILE, FIX_PROJECT]),
    ],
    ids=str,
)
def test_only_what_is_asked_for_is_offered(project: Path, only: list[str], kinds: list[str]) -> None:
    """A kind that a client names stands for itself and those below it."""
    (project / "agent.py").write_text(AGENT + "x = 1  # thena: ignore[THN201]\n")
    actions = asked(begun(project), project / "agent.py", only=only)
    assert kinds == list(dict.fromkeys(one.kind for one in actions))


def test_a_cursor_that_moves_is_offered_quick_fixes_only(project: Path) -> None:
    """What an editor asks by itself isn't the moment to repair whole files."""
    actions = asked(begun(project), project / "agent.py", trigger=lsp.CodeActionTriggerKind.Automatic)
    assert {QUICK_FIX} == {one.kind for one in actions}


def test_a_range_without_faults_has_no_quick_fix(project: Path) -> None:
    """Only faults that touch the range are offered a fix, unless the client names others."""
    session = begun(project)
    assert [] == asked(session, project / "agent.py", only=[QUICK_FIX], lines=(0, 3))
    named = [one.diagnostics[0] for one in asked(session, project / "agent.py") if one.diagnostics]
    params = lsp.CodeActionParams(
        lsp.TextDocumentIdentifier((project / "agent.py").as_uri()),
        lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0)),
        lsp.CodeActionContext([lsp.Diagnostic(named[0].range, "as another says", code="THN201")], [QUICK_FIX]),
    )
    assert {"THN201"} == {
        one.diagnostics[0].code for one in actions_at(session, params, MODERN) or () if one.diagnostics
    }


def test_a_fault_that_has_moved_is_repaired_where_it_is(project: Path) -> None:
    """An action that is chosen after an edit above its fault changes the line where that stands now."""
    session = begun(project)
    uri = (project / "agent.py").as_uri()
    session.open(uri, 1, AGENT)
    action = next(one for one in asked(session, project / "agent.py") if one.title.startswith("Ignore THN201"))
    moved = "# one\n\n" + AGENT
    session.change(uri, 2, [lsp.TextDocumentContentChangeWholeDocument(moved)])
    edit = resolve(session, action, MODERN).edit
    assert edit is not None
    line = "def __init__(self, s: State[Draft]) -> None:"
    assert (
        moved.replace(line, f"{line}  # thena: ignore[THN201]")
        == applied(edit, {project / "agent.py": moved})[project / "agent.py"]
    )


def test_a_fault_that_is_gone_is_told(project: Path) -> None:
    """An action whose fault isn't there any more is refused, and changes nothing."""
    session = begun(project)
    action = next(one for one in asked(session, project / "agent.py") if one.title.startswith("Ignore THN201"))
    session.open((project / "agent.py").as_uri(), 1, "")
    with pytest.raises(NotThereError) as refused:
        resolve(session, action, MODERN)
    assert "`Ignore THN201 on this line` has nothing to change any more. Ask for the actions again." == str(
        refused.value
    )


def test_a_fault_of_two_workflows_is_ignored_once(project: Path) -> None:
    """What two faults in one place would both offer is offered once."""
    (project / "other.py").write_text(FLOW.replace("class Flow", "class Other"))
    titles = [one.title for one in asked(begun(project), project / "agent.py", only=[QUICK_FIX])]
    assert [
        "Declare `Draft` as the state of `Flow`",
        "Let `s` be `None`",
        "Ignore THN201 on this line",
        "Declare `Draft` as the state of `Other`",
        "Call it `after_response`",
        "Ignore THN503 on this line",
    ] == titles


@pytest.mark.parametrize("data", [None, 7, [], {}, {"uri": 7}, {"uri": "untitled:1", "line": "x"}], ids=str)
def test_an_action_that_is_none_of_ours_is_refused(project: Path, data: object) -> None:
    """Whatever a client sends back as an action, nothing is guessed."""
    with pytest.raises(NotThereError):
        resolve(begun(project), lsp.CodeAction("Do something", QUICK_FIX, data=data), MODERN)


def test_a_comment_joins_the_one_that_is_there(project: Path) -> None:
    """A second code on a line is added to the comment that is there, and both are silent."""
    text = AGENT.replace("-> None:\n        self.s = s\n", "-> None:  # thena: ignore[THN503]\n        self.s = s\n", 1)
    session = begun(project)
    session.open((project / "agent.py").as_uri(), 1, text)
    edit = chosen(session, project / "agent.py", "Ignore THN201 on this line")
    after = applied(edit, {project / "agent.py": text})[project / "agent.py"]
    assert text.replace("ignore[THN503]", "ignore[THN503, THN201]") == after


def test_what_no_comment_can_silence_offers_none(project: Path) -> None:
    """A syntax error, and what is wrong with a comment itself, isn't ignored by one more comment."""
    session = begun(project)
    session.open((project / "agent.py").as_uri(), 1, "import thena_runtime\nx = 1  # thena: ignore[THN201]\ndef (:\n")
    assert [] == [one.title for one in asked(session, project / "agent.py") if one.title.startswith("Ignore")]


def test_all_of_a_file_leaves_the_others_alone(project: Path) -> None:
    """On saving, an editor repairs that file only; the project is repaired when somebody asks for it."""
    text = AGENT + "x = 1  # thena: ignore[THN201]\n"
    texts = {project / "agent.py": text, project / "flow.py": FLOW}
    session = begun(project)
    session.open((project / "agent.py").as_uri(), 3, text)
    of_file = chosen(session, project / "agent.py", "Apply all safe Thena fixes in this file")
    assert [("agent.py", 3)] == versions(of_file)
    assert {**texts, project / "agent.py": AGENT + "x = 1\n"} == applied(of_file, texts)
    of_project = chosen(session, project / "agent.py", "Apply all safe Thena fixes in this project")
    assert [("agent.py", 3), ("flow.py", None)] == versions(of_project)
    for path, after in applied(of_project, texts).items():
        path.write_text(after)
    assert ["THN503"] == [one.code for one in analyze([project]).diagnostics]


def test_a_file_without_a_safe_fix_is_offered_none(project: Path) -> None:
    """Where nothing can be repaired for certain, no action says that it repairs everything."""
    (project / "flow.py").write_text(
        FLOW.replace("steps=", "state=Draft, steps=").replace("import W", "import Draft, W")
    )
    assert [] == asked(begun(project), project / "agent.py", only=["source"])


def test_repairing_everything_stops_where_nobody_waits(project: Path) -> None:
    """All fixes of a project are looked for round by round, and none is begun for a request that is cancelled."""

    class EnoughError(Exception):
        pass

    def check() -> None:
        raise EnoughError

    session = begun(project)
    action = next(one for one in asked(session, project / "agent.py") if one.kind == FIX_PROJECT)
    with pytest.raises(EnoughError):
        resolve(session, action, MODERN, check)
    assert resolve(session, action, MODERN).edit is not None
