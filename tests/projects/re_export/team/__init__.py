from .agents import Writer
from .more import *

__all__ = ["Critic", "Reader", "Writer"]
