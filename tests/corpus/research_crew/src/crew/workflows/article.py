from thena_runtime import Context, Thena, ThenaConfig, Workflow, loop, until_answered

from crew.core import Brief
from crew.roles import Outliner, Researcher, Writer


def outlined(ctx: Context, brief: Brief) -> bool:
    return brief.is_outlined


RESEARCH = loop([Researcher], until=until_answered, max_iterations=20, max_fails=3)
OUTLINE = loop([Outliner], until=outlined, max_repeats=None)


@Workflow(steps=[RESEARCH, OUTLINE, Writer], state=Brief)
class Article:
    """Research, outline, write."""


def build(config: ThenaConfig | None = None) -> Thena:
    return Thena(Article, config)
