from agents import Critic, Helper, Writer
from thena_runtime import loop

FIRST = [Writer]
REST = (
    Critic,
    Helper,  # error: THN101
)
NEVER = loop(
    FIRST,
    until=lambda ctx, s: s.approved,  # error: THN301
)
OPEN = loop([Writer])  # error: THN303
TEXT = "no step"
