"""What a star import gives is told by `__all__`, which is written in several statements."""

from team.members import *
