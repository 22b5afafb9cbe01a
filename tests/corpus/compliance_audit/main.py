import sys

from audit.agents import AccessAuditor, BackupAuditor
from audit.mixins import Trail
from thena_runtime import Context, Thena, Workflow, loop


def clean(ctx: Context, trail: Trail) -> bool:
    return trail.violations == 0 or len(trail.entries) > 1


@Workflow(state=Trail, steps=[loop([AccessAuditor], until=clean, max_iterations=4), BackupAuditor])
class Audit: ...


def run() -> str:
    return Thena(Audit).run_sync("Audit ISO 27001.")


if __name__ == "__main__":
    sys.exit(0 if run() else 1)
