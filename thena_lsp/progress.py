"""How far the reading of the folders is, for a client that shows it to its user."""

import asyncio
import uuid
from typing import Final

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

_TITLE: Final = "Thena"


async def show_progress(server: LanguageServer, lefts: "asyncio.Queue[int]") -> None:
    """Show how many files are left, each time that it is told, until none is.

    A client that wants to see nothing of it after all is left alone.
    """
    token = str(uuid.uuid4())
    most = left = await lefts.get()
    try:
        await server.work_done_progress.create_async(token)
    except JsonRpcException:
        return
    begin = lsp.WorkDoneProgressBegin(title=_TITLE, message=_message(left), percentage=0)
    server.work_done_progress.begin(token, begin)
    shown = 0
    while left := await lefts.get():
        most = max(most, left)
        percentage = 100 - 100 * left // most
        if percentage > shown:
            shown = percentage
            report = lsp.WorkDoneProgressReport(message=_message(left), percentage=percentage)
            server.work_done_progress.report(token, report)
    server.work_done_progress.end(token, lsp.WorkDoneProgressEnd())


def _message(left: int) -> str:
    return f"{left} files to read"
