"""The wiring: what the client says, handed to the analyst on the analysis thread; what that finds, handed back.

No feature is written here, only its one line, and what fails is a matter of the protocol. pygls keeps no texts: the
session is their only owner, and its own edits replace pygls' (which split lines at a form feed or U+2028 and so corrupt
the text).
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcParseError
from pygls.io_ import StdoutWriter
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from thena_lint.source.disk import oldest_young
from thena_lsp import offers, version
from thena_lsp.analyst import Analyst, Check, FileReport
from thena_lsp.client import Client
from thena_lsp.convert import Encoding, path_of, uri_of
from thena_lsp.framing import FramingError, read_body
from thena_lsp.process import collect_from_now_on, end_with_parent
from thena_lsp.progress import show_progress
from thena_lsp.protocol import Protocol
from thena_lsp.schedule import Schedule, Token
from thena_lsp.watch import Watch

Result = TypeVar("Result")
Told = TypeVar("Told")

WATCHED: Final = (
    # A folder that comes or goes may be all that is told of what is in it.
    lsp.FileSystemWatcher("**/*", lsp.WatchKind.Create | lsp.WatchKind.Delete),
    *(
        lsp.FileSystemWatcher(glob, lsp.WatchKind.Change)
        for glob in ("**/*.{py,pyi,ipynb}", "**/*.agent.md", "**/{pyproject,thena}.toml", "**/.gitignore")
    ),
)

_MANY: Final = 100
"""Fewer files to read than these are read before anybody could see how far that is."""

_SYNC: Final = (
    lsp.TEXT_DOCUMENT_DID_OPEN,
    lsp.TEXT_DOCUMENT_DID_CHANGE,
    lsp.TEXT_DOCUMENT_DID_CLOSE,
    lsp.NOTEBOOK_DOCUMENT_DID_OPEN,
    lsp.NOTEBOOK_DOCUMENT_DID_CHANGE,
    lsp.NOTEBOOK_DOCUMENT_DID_CLOSE,
)

_log: Final = logging.getLogger(__name__)


class Server(LanguageServer):
    """One client's server. It owns the analysis thread, and the analyst that lives on it."""

    protocol: Protocol

    def __init__(self) -> None:
        super().__init__(
            "thena-lsp",
            version(),
            text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental,
            notebook_document_sync=offers.NOTEBOOKS,
            protocol_cls=Protocol,
            converter_factory=default_converter,
        )
        for method in _SYNC:
            del self.protocol.fm.builtin_features[method]
        self.is_shut_down = False
        self._schedule = Schedule()
        self._analyst: Analyst | None = None
        self.client = Client()
        self._watch: Watch | None = None
        self._lefts: asyncio.Queue[int] | None = None
        self._showing: asyncio.Task[None] | None = None
        self.next_change = asyncio.Event()
        """Set, and replaced by another, when something else is found."""

        self._slice_read = asyncio.Event()
        """Likewise, when more of the folders has been read."""

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """Log it: the client would show it as a message box."""
        _log.warning("%s: %s", source.__name__, error)

    def begin(self) -> None:
        """Take up the folders of the client that has just said what it can, and read them in the background."""
        if self.process_id is not None:
            end_with_parent(self.process_id)
        encoding = Encoding(self.workspace.position_encoding or Encoding.UTF16)
        folders = self._folders()

        def start() -> None:
            self._analyst = _analyst(self.client, encoding, folders)

        self._schedule.do(start)
        self._look(read_more=True)

    @property
    def _held(self) -> Analyst:
        """The analyst; of a client that hasn't begun one without folders."""
        if self._analyst is None:
            collect_from_now_on()
            self._analyst = _analyst(self.client, Encoding.UTF16, ())
        return self._analyst

    def refolder(self) -> None:
        """Have the folders that the workspace has now, and look at the disk again."""
        folders = self._folders()
        self._schedule.do(lambda: self._held.set_folders(folders))
        self._look(read_more=True)
        if self._watch is not None:
            self._watch_folders()

    def edit(self, change: Callable[[Analyst], None]) -> None:
        """Change texts, then tell the client what that changes."""
        self._schedule.do(lambda: change(self._held))
        self._look(read_more=False)

    def touch(self, uris: list[str]) -> None:
        """Look again at files on disk; settings among them may begin the folders anew."""
        self._schedule.do(lambda: self._held.touch(uris))
        self._look(read_more=True)

    async def read(self, question: Callable[[Analyst, Check], Result]) -> Result:
        """Ask the analyst something, after all changes that came before. Who cancels this, stops it."""
        return await self._schedule.ask(lambda token: question(self._held, token.check))

    async def read_whole(self, question: Callable[[Analyst, Check], Result]) -> Result:
        """Ask the analyst something that rests on all of the folders, once these are read."""
        while True:
            slice_read = self._slice_read
            answers = await self.read(lambda analyst, check: () if analyst.is_reading else (question(analyst, check),))
            if answers:
                return answers[0]
            await slice_read.wait()

    async def watch_files(self) -> None:
        """Ask the client to report files that change on disk, or look oneself where it can't."""
        if not self.client.watches:
            self._watch_folders()
            return
        since = oldest_young(time.time_ns())
        options = lsp.DidChangeWatchedFilesRegistrationOptions(list(WATCHED))
        registration = lsp.Registration("thena-files", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        await self.client_register_capability_async(lsp.RegistrationParams([registration]))
        self._catch_up(since)

    def _watch_folders(self) -> None:
        loop = asyncio.get_running_loop()
        since = oldest_young(time.time_ns())

        def tell(paths: Collection[Path]) -> None:
            uris = [uri_of(path) for path in paths]
            _tell(loop, self.touch, uris)

        if self._watch is not None:
            self._watch.end()
        self._watch = Watch(self._folders(), lambda: _tell(loop, self._catch_up, since), tell)

    def _catch_up(self, since: int) -> None:
        """Look again at what was changed before anybody watched, though it may have been read already."""
        loop = asyncio.get_running_loop()

        def catch_up(_: Token) -> None:
            if self._held.catch_up(since):
                self._when_idle(loop, read_more=True)

        self._schedule.when_idle("catch up", catch_up)

    def _folders(self) -> list[Path]:
        uris = list(self.workspace.folders) or [uri for uri in (self.workspace.root_uri,) if uri]
        return [path for uri in uris if (path := path_of(uri)) is not None]

    def _look(self, *, read_more: bool) -> None:
        self._when_idle(asyncio.get_running_loop(), read_more=read_more)

    def _when_idle(self, loop: asyncio.AbstractEventLoop, *, read_more: bool) -> None:
        self._schedule.when_idle("diagnose", lambda token: self._diagnose(token, loop))
        if read_more:
            self._schedule.when_idle("read", lambda _: self._read_some(loop))

    def _read_some(self, loop: asyncio.AbstractEventLoop) -> None:
        left = self._held.read_some()
        _tell(loop, self._show_left, left)
        if left:
            self._schedule.when_idle("read", lambda _: self._read_some(loop))
        else:
            self._schedule.when_idle("diagnose", lambda token: self._diagnose(token, loop))
            self._schedule.when_idle("collect", lambda _: collect_from_now_on())

    def _show_left(self, left: int) -> None:
        self._slice_read.set()
        self._slice_read = asyncio.Event()
        if self._lefts is None and left >= _MANY and self.client.shows_progress:
            self._lefts = asyncio.Queue()
            self._showing = asyncio.create_task(show_progress(self, self._lefts))
        if self._lefts is not None:
            self._lefts.put_nowait(left)
            self._lefts = self._lefts if left else None

    def _diagnose(self, token: Token, loop: asyncio.AbstractEventLoop) -> None:
        if self.client.pulls:
            _tell(loop, self._announce, self._held.needs_refresh(token.check))
        else:
            _tell(loop, self._publish, self._held.publications(token.check))

    def _announce(self, is_refresh_due: bool) -> None:
        """Let those who wait for changes look again, and the client ask again for what it shows."""
        self.next_change.set()
        self.next_change = asyncio.Event()
        if is_refresh_due:
            self.workspace_diagnostic_refresh(None)

    def _publish(self, publications: list[lsp.PublishDiagnosticsParams]) -> None:
        for publication in publications:
            self.text_document_publish_diagnostics(publication)


def _analyst(client: Client, encoding: Encoding, folders: Collection[Path]) -> Analyst:
    # Here, as it loads the linter, which takes longer than a client waits for the answer to `initialize`.
    from thena_lsp.analysis import Analysis

    return Analysis(client, encoding, folders)


def initialize(ls: Server, params: lsp.InitializeParams) -> None:
    """Learn what the client can do, and offer what depends on that."""
    ls.client = Client.of(params.capabilities)
    if ls.client.pulls:
        ls.feature(lsp.TEXT_DOCUMENT_DIAGNOSTIC, offers.DIAGNOSTICS)(file_asked)
        ls.feature(lsp.WORKSPACE_DIAGNOSTIC)(workspace_asked)


def _tell(loop: asyncio.AbstractEventLoop, told: Callable[[Told], None], what: Told) -> None:
    """Have the event loop hear of this, unless it is closed: the server is ending, and nobody is there to be told."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(told, what)


async def initialized(ls: Server, _: lsp.InitializedParams) -> None:
    """Read the project, and have its files watched."""
    ls.begin()
    await ls.watch_files()


def shut_down(ls: Server, _: None) -> None:
    """Remember that the client asked, for the exit code."""
    ls.is_shut_down = True


def did_open(ls: Server, params: lsp.DidOpenTextDocumentParams) -> None:
    """Take over a text."""
    ls.edit(lambda analyst: analyst.open(params))


def did_change(ls: Server, params: lsp.DidChangeTextDocumentParams) -> None:
    """Edit a text."""
    ls.edit(lambda analyst: analyst.change(params))


def did_save(ls: Server, params: lsp.DidSaveTextDocumentParams) -> None:
    """Look again: what stands beside the file may have changed too."""
    ls.touch([params.text_document.uri])


def did_close(ls: Server, params: lsp.DidCloseTextDocumentParams) -> None:
    """Let go of a text."""
    ls.edit(lambda analyst: analyst.close(params))


def notebook_opened(ls: Server, params: lsp.DidOpenNotebookDocumentParams) -> None:
    """Take over a notebook."""
    ls.edit(lambda analyst: analyst.open_notebook(params))


def notebook_changed(ls: Server, params: lsp.DidChangeNotebookDocumentParams) -> None:
    """Edit a notebook."""
    ls.edit(lambda analyst: analyst.change_notebook(params))


def notebook_saved(ls: Server, params: lsp.DidSaveNotebookDocumentParams) -> None:
    """Look again, as for any file."""
    ls.touch([params.notebook_document.uri])


def notebook_closed(ls: Server, params: lsp.DidCloseNotebookDocumentParams) -> None:
    """Let go of a notebook."""
    ls.edit(lambda analyst: analyst.close_notebook(params))


def files_changed(ls: Server, params: lsp.DidChangeWatchedFilesParams) -> None:
    """Read again what changed on disk."""
    ls.touch([change.uri for change in params.changes])


def folders_changed(ls: Server, _: lsp.DidChangeWorkspaceFoldersParams) -> None:
    """Take up the folders that are new, and let go of others."""
    ls.refolder()


def configuration_changed(ls: Server, _: lsp.DidChangeConfigurationParams) -> None:
    """Look again: the settings are in files, and who has edited them may say so in this way alone."""
    ls.refolder()


async def hovered(ls: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    """Explain what stands at a position."""
    return await ls.read_whole(lambda analyst, _: analyst.hover(params))


async def file_asked(ls: Server, params: lsp.DocumentDiagnosticParams) -> FileReport:
    """Say what is found in a file."""
    return await ls.read(lambda analyst, check: analyst.diagnose_file(params, check))


async def workspace_asked(ls: Server, params: lsp.WorkspaceDiagnosticParams) -> lsp.WorkspaceDiagnosticReport:
    """Say what is found everywhere, as soon as that isn't what the client has."""
    while True:
        change = ls.next_change
        report = await ls.read(lambda analyst, check: analyst.diagnose_all(params, check))
        if report is not None:
            return report
        await change.wait()


async def actions_asked(ls: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
    """Say what can be done about the faults in a range."""
    return await ls.read_whole(lambda analyst, check: analyst.actions(params, check))


async def action_chosen(ls: Server, action: lsp.CodeAction) -> lsp.CodeAction:
    """Work out the edit of an action."""
    return await ls.read_whole(lambda analyst, check: analyst.resolve(action, check))


def make_server() -> Server:
    """The server with its handlers: one line a feature."""
    server = Server()
    server.feature(lsp.INITIALIZE)(initialize)
    server.feature(lsp.INITIALIZED)(initialized)
    server.feature(lsp.SHUTDOWN)(shut_down)
    server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)(did_open)
    server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)(did_change)
    server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)(did_save)
    server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)(did_close)
    server.feature(lsp.NOTEBOOK_DOCUMENT_DID_OPEN)(notebook_opened)
    server.feature(lsp.NOTEBOOK_DOCUMENT_DID_CHANGE)(notebook_changed)
    server.feature(lsp.NOTEBOOK_DOCUMENT_DID_SAVE)(notebook_saved)
    server.feature(lsp.NOTEBOOK_DOCUMENT_DID_CLOSE)(notebook_closed)
    server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)(files_changed)
    server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(folders_changed)
    server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)(configuration_changed)
    server.feature(lsp.TEXT_DOCUMENT_HOVER)(hovered)
    server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, offers.ACTIONS)(actions_asked)
    server.feature(lsp.CODE_ACTION_RESOLVE)(action_chosen)
    return server


def serve(server: Server, requests: BinaryIO, answers: BinaryIO) -> int:
    """Serve over these streams until the client leaves; the exit code that the protocol wants."""
    server.protocol.set_writer(StdoutWriter(answers))
    # pygls leaves by a SystemExit; the exit code is worked out here.
    with contextlib.suppress(SystemExit, BrokenPipeError):
        asyncio.run(_converse(server.protocol, requests))
    return 0 if server.is_shut_down else 1


async def _converse(protocol: Protocol, requests: BinaryIO) -> None:
    """Serve what the client sends. pygls' own reading knows one spelling of headers, and lets what is no message be."""
    try:
        while (body := await asyncio.to_thread(read_body, requests)) is not None:
            protocol.receive(body)
    except FramingError as error:
        _log.error("%s", error)
        protocol.refuse(JsonRpcParseError(str(error)))
    protocol.end()
