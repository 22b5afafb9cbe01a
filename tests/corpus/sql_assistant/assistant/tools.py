from __future__ import annotations

import json
from typing import TYPE_CHECKING

from thena_runtime import FatalToolError, Tool

from .database import connection

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence


def _rows(cursor: sqlite3.Cursor) -> Sequence[tuple[object, ...]]:
    return cursor.fetchall()


@Tool(name="schema", description="Show the tables and their columns.")
class Schema:
    def execute(self) -> str:
        with connection() as db:
            return "\n".join(str(row[0]) for row in _rows(db.execute("select sql from sqlite_master")))


@Tool(name="query", description="Run a SELECT.")
class Query:
    """Read-only access."""

    def execute(self, sql: str, limit: int = 100) -> str:
        """Run a query.

        Parameters
        ----------
        sql : str
            One statement that begins with SELECT.
        limit : int
            How many rows at most.
        """
        if ";" in sql.rstrip(";"):
            raise FatalToolError("several statements at once")
        with connection() as db:
            return json.dumps(_rows(db.execute(sql))[:limit])
