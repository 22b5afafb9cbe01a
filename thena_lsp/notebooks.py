"""Notebooks that are open: to the client each cell is a text of its own, and to the linter they are one file."""

import json
from collections.abc import Iterable
from dataclasses import replace

from lsprotocol import types as lsp

from thena_contract.frozen import frozen
from thena_lsp.convert import Encoding, TextLines, edit_all
from thena_lsp.documents import Document


@frozen(kw_only=True)
class Notebook:
    """The cells of a notebook, in order. `uri` is the client's spelling."""

    uri: str
    version: int
    cells: tuple[Document, ...]

    @staticmethod
    def opened(params: lsp.DidOpenNotebookDocumentParams) -> "Notebook":
        """Take over a notebook."""
        notebook = params.notebook_document
        empty = Notebook(uri=notebook.uri, version=notebook.version, cells=())
        return empty._with_cells(0, 0, notebook.cells, params.cell_text_documents)

    def changed(self, params: lsp.DidChangeNotebookDocumentParams, encoding: Encoding) -> "Notebook":
        """This notebook after what a client reports: cells that come, go or move first, then edits of their texts."""
        changes = params.change.cells
        notebook = replace(self, version=params.notebook_document.version)
        if changes is None:
            return notebook
        if changes.structure is not None:
            array, opened = changes.structure.array, changes.structure.did_open or ()
            notebook = notebook._with_cells(array.start, array.delete_count, array.cells or (), opened)
        for one in changes.text_content or ():
            notebook = notebook._edited(one, encoding)
        return notebook

    @property
    def text(self) -> str:
        """What would be in the file."""
        cells = [{"cell_type": "code", "source": cell.lines.body} for cell in self.cells]
        return json.dumps({"nbformat": 4, "cells": cells})

    def _with_cells(
        self, start: int, deleted: int, cells: Iterable[lsp.NotebookCell], opened: Iterable[lsp.TextDocumentItem]
    ) -> "Notebook":
        texts = {cell.uri: cell for cell in self.cells}
        texts |= {one.uri: Document(uri=one.uri, version=one.version, lines=TextLines.of(one.text)) for one in opened}
        new = tuple(texts[cell.document] for cell in cells if cell.document in texts)
        return replace(self, cells=(*self.cells[:start], *new, *self.cells[start + deleted :]))

    def _edited(self, one: lsp.NotebookDocumentCellContentChanges, encoding: Encoding) -> "Notebook":
        def edited(cell: Document) -> Document:
            if cell.uri != one.document.uri:
                return cell
            return replace(cell, version=one.document.version, lines=edit_all(cell.lines, one.changes, encoding))

        return replace(self, cells=tuple(map(edited, self.cells)))
