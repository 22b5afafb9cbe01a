from .researcher import Researcher
from .writer import Outliner, Writer
