#!/usr/bin/env python
# Finds the reason of an outage in a log. Usage: python analyze_logs.py [FILE]
import re, sys

import thena_runtime
from thena_runtime import testing


LOG = "12:00 INFO start\n12:01 ERROR db timeout\n12:02 ERROR db timeout\n"


class Findings:
    errors = []
    reason = None


@thena_runtime.Tool(name="grep", description="Find lines by a regular expression.")
class Grep:
    def execute(self, pattern: str, s: thena_runtime.State[Findings]):
        s.errors = [line for line in LOG.splitlines() if re.search(pattern, line)]
        return "\n".join(s.errors)


@thena_runtime.Agent(
    provider=testing.ScriptedProvider([testing.tool_call("grep", pattern="ERROR"), "The database timed out."]),
    prompt=thena_runtime.Prompt("Find the reason."),
    tools=[Grep],
)
class Detective:
    def __init__(self, s: thena_runtime.State[Findings]):
        self.s = s

    def after_response(self, response):
        self.s.reason = response


@thena_runtime.Workflow(
    state=Findings,
    steps=[thena_runtime.loop([Detective], until=lambda ctx, s: s.reason is not None and thena_runtime.until_answered(ctx))],
)
class Analysis:
    pass


if __name__ == "__main__":
    if len(sys.argv) > 1:
        LOG = open(sys.argv[1]).read()
    print(thena_runtime.Thena(Analysis).run_sync("Why was there an outage?"))
