#!/usr/bin/env python3
"""Clean a table with a model's help: profile, propose, apply, check. One file, no package."""
import csv
import io
from enum import Enum, auto
from typing import Literal

import thena_runtime as th

RAW = """name,age
 alice ,31
bob,-4
"""


class Stage(Enum):
    RAW = auto()
    PROFILED = auto()
    CLEAN = auto()


class Table:
    stage = Stage.RAW
    rows: list[dict[str, str]] = []
    log: list[tuple[str, int]] = []

    def load(self, text: str) -> None:
        self.rows = list(csv.DictReader(io.StringIO(text)))


@th.Tool(name="profile", description="Describe the columns.")
class Profile:
    def execute(self, table: th.State[Table]) -> dict[str, list[str]]:
        if not table.rows:
            table.load(RAW)
        table.stage = Stage.PROFILED
        return {column: [row[column] for row in table.rows] for column in table.rows[0]}


@th.Tool(name="clean", description="Apply an operation to a column.")
class Clean:
    """Cleans in place."""

    def execute(
        self,
        column: str,
        operation: Literal["strip", "abs", "drop_negative"],
        table: th.State[Table],
    ) -> str:
        before = len(table.rows)
        if operation == "strip":
            for row in table.rows:
                row[column] = row[column].strip()
        elif operation == "abs":
            for row in table.rows:
                row[column] = str(abs(int(row[column])))
        else:
            table.rows = [row for row in table.rows if int(row[column]) >= 0]
        table.log.append((operation, before - len(table.rows)))
        table.stage = Stage.CLEAN
        return f"{len(table.rows)} rows"


script = th.ScriptedProvider(
    [
        th.tool_call("profile"),
        [th.tool_call("clean", column="name", operation="strip"), th.tool_call("clean", column="age", operation="abs")],
        "The table is clean.",
    ]
)


@th.Agent(provider=script, prompt=th.Prompt("Clean the table."), tools=[Profile, Clean], tool_calls="all")
class Cleaner:
    pass


@th.Workflow(
    state=Table,
    steps=[th.loop([Cleaner], until=lambda ctx, table: th.until_answered(ctx) and table.stage is Stage.CLEAN)],
)
class Pipeline:
    pass


def main() -> None:
    app = th.Thena(Pipeline)
    print(app.run_sync("Clean it."))


if __name__ == "__main__":
    main()
