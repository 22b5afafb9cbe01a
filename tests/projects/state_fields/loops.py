"""`until` that never comes true, that always does, and many that may."""

from state import Draft, Sheet
from thena_runtime import Context

IS_OVER = True


def reads_nothing_written(ctx: Context, s: Sheet) -> bool:
    """It is asked after each iteration."""
    return s.is_ready and len(s.lines) > 2


def forgets_to_return(ctx: Context, s: Draft) -> None:
    s.approved = ctx.turn is not None


def stops_itself(ctx: Context) -> None:
    if ctx.turn is not None:
        ctx.stop()


def raises(ctx: Context) -> bool:
    if ctx.turn is None:
        raise RuntimeError("no turn")


def is_still_open(ctx: Context) -> bool: ...


def always(ctx: Context) -> bool:
    """Say that it is over."""
    return True


def depends(ctx: Context) -> bool:
    return IS_OVER


async def always_as_well(*_: object) -> int:
    return 1 and "yes"


def yields(ctx: Context):
    yield True
