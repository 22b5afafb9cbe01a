"""Programs for `test_certain`: what parameters ask for, and what apps give."""

from typing import Final

INJECTION = """
import abc
from collections.abc import Sized
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, NewType, Protocol, TypedDict, TypeVar
from thena_runtime import Input, ThenaConfig, VectorMemory, WorkflowRuntime, context, memory, state

T = TypeVar("T")

class Shelf:
    async def ensure_collection(self, size, distance): ...
    async def upsert(self, records): ...
    async def search(self, search): return []
    async def remove(self, selection): ...
    async def close(self): ...
class Attic(Shelf): ...
class Other: ...
class Data: ...

def agent(cls): return Agent(**WITH)(cls)
"""
"""What the snippets below begin with."""

ASKING = {
    "state replaced by its decorator": """
def swap(cls): return S
@swap
class D: ...
@Agent(**WITH)
class C:
    def __init__(self, s: State[D]): ...
""",
    "state behind a metaclass": """
class M(type):
    def __subclasscheck__(cls, other): return True
class D(metaclass=M): ...
@Agent(**WITH)
class C:
    def __init__(self, s: State[D]): ...
""",
    "state registered": """
class D(abc.ABC): ...
D.register(S)
@Agent(**WITH)
class C:
    def __init__(self, s: State[D]): ...
""",
    "state as what is no class": """
class P(Protocol): ...
class TD(TypedDict): ...
N = NewType("N", S)
class G(Generic[T]): ...
def ask(s: State[Any]): ...
@Tool(name="t", description="d")
class K:
    def execute(self, a: State[Any], b: State[P], c: State[TD], d: State[N], e: State[T], f: State[S | int]): ...
@Tool(name="l", description="d")
class L:
    def execute(self, g: State[Sized], h: State[object], i: State["S"], j: State[Annotated[S, 1]]): ...
@Agent(**WITH, tools=[K, L])
class C: ...
""",
    "state under two names": """
D = S
class Outer:
    D = S
@Agent(**WITH)
class C:
    def __init__(self, s: State[D], t: State[Outer.D]): ...
""",
    "state bound again": """
class D: ...
D = S
@Agent(**WITH)
class C:
    def __init__(self, s: "State[D]"): ...
""",
    "state with a base of another name": """
class D: ...
S.__bases__
class E(D): ...
S = E
@Agent(**WITH)
class C:
    def __init__(self, s: State[D]): ...
""",
    "state of a class whose bases are computed": """
class D: ...
def bases(): return (D,)
class E(*bases()): ...
S = E
@Agent(**WITH)
class C:
    def __init__(self, s: State[D]): ...
""",
    "state with base set later": """
class D: ...
class Base: ...
class S(Base): ...
S.__bases__ = (D,)
@Agent(**WITH)
class C:
    def __init__(self, s: State[D]): ...
""",
    "own State": """
class State(Generic[T]): ...
@Agent(**WITH)
class C:
    def __init__(self, s: State[Other] = None): ...
""",
    "type checking bound by globals": """
if TYPE_CHECKING:
    from nowhere import Gone
globals()["Gone"] = S
@Tool(name="t", description="d")
class K:
    def execute(self, s: "State[Gone]"): ...
@Agent(**WITH, tools=[K])
class C: ...
""",
    "type checking with else": """
if TYPE_CHECKING:
    from nowhere import Gone
else:
    Gone = str
@Tool(name="t", description="d")
class K:
    def execute(self, t: "Gone"): ...
@Agent(**WITH, tools=[K])
class C: ...
""",
    "type checking bound by a function": """
if TYPE_CHECKING:
    from nowhere import Gone
def bind():
    global Gone
    Gone = str
bind()
@Tool(name="t", description="d")
class K:
    def execute(self, t: "Gone"): ...
@Agent(**WITH, tools=[K])
class C: ...
""",
    "type checking bound by walrus": """
if TYPE_CHECKING:
    from nowhere import Gone
print(Gone := str)
@Tool(name="t", description="d")
class K:
    def execute(self, t: "Gone"): ...
@Agent(**WITH, tools=[K])
class C: ...
""",
    "type checking in the class": """
if TYPE_CHECKING:
    from nowhere import Gone
@Tool(name="t", description="d")
class K:
    Gone = str
    def execute(self, t: "Gone"): ...
@Agent(**WITH, tools=[K])
class C: ...
""",
    "type checking behind a star": """
if TYPE_CHECKING:
    from nowhere import Gone, OrderedDict
from collections import *
@Tool(name="t", description="d")
class K:
    def execute(self, t: "OrderedDict[str, int]"): ...
@Agent(**WITH, tools=[K])
class C: ...
""",
    "type checking that is true": """
TYPE_CHECKING = True
if TYPE_CHECKING:
    Gone = str
@Tool(name="t", description="d")
class K:
    def execute(self, t: "Gone"): ...
@Agent(**WITH, tools=[K])
class C: ...
""",
    "type checking of a builtin": """
if TYPE_CHECKING:
    from nowhere import str
@Tool(name="t", description="d")
class K:
    def execute(self, t: "str"): ...
@Agent(**WITH, tools=[K])
class C: ...
""",
    "type checking where nothing is decided": """
if TYPE_CHECKING:
    from nowhere import Gone
@Tool(name="t", description="d")
class K:
    def execute(self, s: "State[Gone]", t: Literal["Gone"], u: Annotated[str, "Gone"]) -> "Gone": ...
@Agent(**WITH, tools=[K])
class C:
    def __init__(self, s: "State[Gone]", t: "Gone" = None) -> "Gone": ...
    def before_prompt(self, prompt: "Gone", ctx: "Gone"): ...
""",
    "type checking of a type parameter": """
if TYPE_CHECKING:
    from nowhere import Gone
Gone2 = TypeVar("Gone")
@Tool(name="t", description="d")
class K(Generic[Gone2]):
    def execute(self, s: State[S], t: "Gone2" = None): ...
@Agent(**WITH, tools=[K])
class C: ...
""",
    "type checking in a decorated function": """
if TYPE_CHECKING:
    from nowhere import Gone
def plain(function):
    def execute(self, text: str): ...
    return execute
@Tool(name="t", description="d")
class K:
    @plain
    def execute(self, text: "Gone"): ...
@Agent(**WITH, tools=[K])
class C: ...
""",
    "marker only for types": """
if TYPE_CHECKING:
    from nowhere import hint
@Agent(**WITH)
class C:
    def __init__(self, m: "Annotated[VectorMemory, hint(3)]" = None, s: "Annotated[State[S], hint]" = None): ...
""",
    "constructor given by a decorator": """
def filled(function):
    def __init__(self): ...
    return __init__
@Agent(**WITH)
class C:
    @filled
    def __init__(self, name: str): ...
""",
    "constructor as partial": """
@Agent(**WITH)
class C:
    def start(self, name: str): ...
    __init__ = functools.partialmethod(start, "x")
""",
    "constructor with a signature of its own": """
@Agent(**WITH)
class C:
    def __init__(self, name: str = "x"): ...
    __init__.__defaults__ = ("y",)
""",
    "defaults set later": """
@Agent(**WITH)
class C:
    def __init__(self, name: str): ...
C.__init__.__defaults__ = ("y",)
""",
    "defaults set later through a name": """
def start(self, name: str): ...
@Agent(**WITH)
class C:
    __init__ = start
start.__defaults__ = ("y",)
""",
    "annotations set later": """
@Agent(**WITH)
class C:
    def __init__(self, name: str): ...
C.__init__.__annotations__["name"] = State[S]
""",
    "annotations set in the class": """
@Agent(**WITH)
class C:
    def __init__(self, name: str): ...
    __init__.__annotations__["name"] = State[S]
""",
    "annotations set on an execute": """
@Tool(name="t", description="d")
class K:
    def execute(self, s: State[Other]): ...
    execute.__annotations__["s"] = State[S]
@Agent(**WITH, tools=[K])
class C: ...
""",
    "annotations replaced by a call": """
def fix(function): function.__annotations__["name"] = State[S]
@Agent(**WITH)
class C:
    def __init__(self, name: str): ...
    fix(__init__)
""",
    "constructor behind a metaclass": """
class M(type):
    def __call__(cls): return object.__new__(cls)
@Agent(**WITH)
class C(metaclass=M):
    def __init__(self, name: str): ...
""",
    "constructor of an unseen base": """
import enum
Base = type("Base", (), {"__init__": lambda self: None})
@Agent(**WITH)
class C(Base):
    name: str
""",
    "constructor through init_subclass": """
class Base:
    def __init_subclass__(cls): cls.__init__ = lambda self: None
@Agent(**WITH)
class C(Base):
    def __init__(self, name: str): ...
""",
    "fields with defaults from elsewhere": """
def made(): return field(default="x")
NAME = field(default="x")
@Agent(**WITH)
@dataclass
class C:
    name: str = made()
@Agent(**WITH)
@dataclass
class D:
    name: str = NAME
@Agent(**WITH)
@dataclass(init=False)
class E:
    name: str
""",
    "new that takes all": """
@Agent(**WITH)
class C:
    def __new__(cls, *args, **options): return super().__new__(cls)
    def __init__(self, s: State[S]): ...
""",
    "new of a base": """
class Base:
    def __new__(cls, name="x"): return super().__new__(cls)
@Agent(**WITH)
class C(Base): ...
""",
    "untyped with a marker elsewhere": """
@Agent(**WITH)
class C:
    def __init__(self, s: State[S], *, m: VectorMemory = None): ...
""",
    "inputs by other names": """
class Model: ...
Input = list
@Tool(name="t", description="d")
class K:
    def execute(self, a: str, b: "Input[int]" = None): ...
@Agent(**WITH, tools=[K])
class C: ...
""",
    "the state with a schema": """
@Tool(name="t", description="d", schema=dict)
class K:
    def execute(self, s: State[S]): ...
@Agent(**WITH, tools=[K])
class C: ...
""",
    "Context of the project": """
class Context: ...
@Agent(**WITH)
class C:
    def __init__(self, ctx: Context = None): ...
""",
    "a wrapper that hands on": """
def logged(function):
    @functools.wraps(function)
    def inner(self, *args, **options): return function(self, *args, **options)
    return inner
@Tool(name="t", description="d")
class K:
    @logged
    def execute(self, text: str, s: State[Other]): ...
@Agent(**WITH, tools=[K])
class C: ...
""",
    "conditional constructor": """
@Agent(**WITH)
class C:
    if sys.argv:
        def __init__(self): ...
    else:
        def __init__(self, name: str): ...
""",
    "deleted constructor": """
@Agent(**WITH)
class C:
    def __init__(self, name: str): ...
    del __init__
""",
    "variadic without a marker": """
@Agent(**WITH)
class C:
    def __init__(self, *args: str, **options: int): ...
""",
    "markers in metadata of others": """
mark = state
mark = 1
@Agent(**WITH)
class C:
    def __init__(self, s: Annotated[S, mark, state]): ...
""",
    "one marker twice": """
@Agent(**WITH)
class C:
    def __init__(self, s: Annotated[State[S], state(), state]): ...
""",
}

REMEMBERING = """
@Agent(**WITH)
class C:
    def __init__(self, m: VectorMemory): ...
@Workflow(steps=[C])
class W: ...
"""
NAMING = """
@Agent(**WITH)
class C:
    def __init__(self, m: Annotated[VectorMemory, memory({0})]): ...
@Workflow(steps=[C])
class W: ...
"""
CARRYING = """
@Tool(name="t", description="d")
class K:
    def execute(self, ctx: Context[{0}]): ...
@Agent(**WITH, tools=[K])
class C: ...
@Workflow(steps=[C])
class W: ...
"""

APPS = {
    "stores appended": REMEMBERING
    + """
STORES = []
STORES.append(Shelf)
app = Thena(W, ThenaConfig(memory=STORES))
""",
    "stores added": REMEMBERING
    + """
STORES = []
STORES += [Shelf]
app = Thena(W, ThenaConfig(memory=STORES))
""",
    "stores spread": REMEMBERING
    + """
app = Thena(W, ThenaConfig(memory=[*map(lambda s: s, [Shelf])]))
""",
    "settings spread": REMEMBERING
    + """
app = Thena(W, ThenaConfig(**{"memory": [Shelf]}))
""",
    "arguments spread": REMEMBERING
    + """
app = Thena(*[W, ThenaConfig(memory=[Shelf])])
""",
    "options spread": REMEMBERING
    + """
app = Thena(W, **{"config": ThenaConfig(memory=[Shelf])})
""",
    "settings bound again": REMEMBERING
    + """
CONFIG = ThenaConfig()
CONFIG = ThenaConfig(memory=[Shelf])
app = Thena(W, CONFIG)
""",
    "settings replaced": REMEMBERING
    + """
app = Thena(W, replace(ThenaConfig(), memory=[Shelf]))
""",
    "settings by a function": REMEMBERING
    + """
def config(): return ThenaConfig(memory=[Shelf])
app = Thena(W, config())
""",
    "settings by global": REMEMBERING
    + """
CONFIG = ThenaConfig()
def arm():
    global CONFIG
    CONFIG = ThenaConfig(memory=[Shelf])
arm()
app = Thena(W, CONFIG)
""",
    "settings of a function": REMEMBERING
    + """
CONFIG = ThenaConfig()
def make():
    CONFIG = ThenaConfig(memory=[Shelf])
    return Thena(W, CONFIG)
app = make()
""",
    "settings as a parameter": REMEMBERING
    + """
CONFIG = ThenaConfig()
def make(CONFIG): return Thena(W, CONFIG)
app = make(ThenaConfig(memory=[Shelf]))
""",
    "settings of a loop": REMEMBERING
    + """
CONFIG = ThenaConfig()
def make():
    for CONFIG in [ThenaConfig(memory=[Shelf])]: pass
    return Thena(W, CONFIG)
app = make()
""",
    "settings of a function around": REMEMBERING
    + """
def make():
    CONFIG = ThenaConfig(memory=[Shelf])
    def inner(): return Thena(W, CONFIG)
    return inner()
CONFIG = ThenaConfig()
app = make()
""",
    "an app in a branch": REMEMBERING
    + """
if not sys.argv: app = Thena(W)
else: app = Thena(W, ThenaConfig(memory=[Shelf]))
""",
    "an app that is allowed to fail": REMEMBERING
    + """
try:
    app = Thena(W)
except Exception:
    app = Thena(W, ThenaConfig(memory=[Shelf]))
""",
    "an app that should fail": REMEMBERING
    + """
def test():
    with contextlib.suppress(Exception):
        Thena(W)
test()
""",
    "an app in a lambda": REMEMBERING
    + """
make = lambda: Thena(W)
both = [Thena(W) for _ in []]
either = True or Thena(W)
one_of = None if sys.argv else Thena(W)
""",
    "an app after a return": REMEMBERING
    + """
def make():
    return Thena(W, ThenaConfig(memory=[Shelf]))
    Thena(W)
app = make()
""",
    "another Thena": REMEMBERING
    + """
RealThena = Thena
def Thena(flow): return RealThena(flow, ThenaConfig(memory=[Shelf]))
app = Thena(W)
""",
    "another Thena in a class": REMEMBERING
    + """
class Lab:
    def Thena(flow): return None
app = Lab.Thena(W)
""",
    "a Thena derived": REMEMBERING
    + """
class Own(Thena):
    def __init__(self, flow): super().__init__(flow, ThenaConfig(memory=[Shelf]))
app = Own(W)
""",
    "another workflow of the name": REMEMBERING
    + """
Old = W
@Workflow(steps=[A])
class W: ...
app = Thena(W)
""",
    "a store replaced by its decorator": NAMING.format("Shelf")
    + """
def swap(cls): return Attic
@swap
class Cellar: ...
app = Thena(W, ThenaConfig(memory=[Cellar]))
""",
    "a store that makes another": NAMING.format("Shelf")
    + """
class Cellar(Other):
    def __new__(cls): return Attic()
app = Thena(W, ThenaConfig(memory=[Cellar()]))
""",
    "a store that is derived": NAMING.format("Shelf")
    + """
app = Thena(W, ThenaConfig(memory=[Attic()]))
""",
    "a store by a protocol": """
class Any_(Protocol):
    async def search(self, search): ...
"""
    + NAMING.format("Any_")
    + """
app = Thena(W, ThenaConfig(memory=[Shelf]))
""",
    "a store that is registered": """
class Wanted(abc.ABC): ...
Wanted.register(Shelf)
"""
    + NAMING.format("Wanted")
    + """
app = Thena(W, ThenaConfig(memory=[Shelf]))
""",
    "a store by keyword": NAMING.format("store=Attic")
    + """
app = Thena(W, ThenaConfig(memory=(Attic,)))
""",
    "no store named": NAMING.format("None")
    + """
app = Thena(W, config=ThenaConfig(memory=(Attic,)))
""",
    "a marker behind a name": """
IN_SHELF = memory(Shelf)
@Agent(**WITH)
class C:
    def __init__(self, m: Annotated[VectorMemory, IN_SHELF]): ...
@Workflow(steps=[C])
class W: ...
app = Thena(W, ThenaConfig(memory=[Attic]))
""",
    "untyped are memories": """
@Agent(**WITH)
class C:
    def __init__(self, a, b): ...
@Workflow(steps=[C])
class W: ...
app = Thena(W, ThenaConfig(memory=[Shelf, Attic]))
""",
    "data of a base": CARRYING.format("Other")
    + """
class Deep(Other): ...
app = Thena(W, data=Deep)
""",
    "data of what is no class": """
class TD(TypedDict): ...
class P(Protocol): ...
"""
    + CARRYING.format("TD | P")
    + """
app = Thena(W, data=dict)
""",
    "data that is typed as a dict": """
class TD(TypedDict): ...
"""
    + CARRYING.format("TD")
    + """
app = Thena(W, data=dict)
""",
    "data by another name": CARRYING.format("Other")
    + """
Renamed = Other
app = Thena(W, data=Renamed)
""",
    "data bound again": CARRYING.format("Other")
    + """
D = Data
D = Other
app = Thena(W, data=D)
""",
    "no data": CARRYING.format("Other")
    + """
app = Thena(W, data=None)
""",
    "subscripted": CARRYING.format("Other")
    + """
app = Thena[str, Other](W, data=Other)
""",
}

SNIPPETS: Final = {
    **{title: INJECTION + text + "@Workflow(steps=[C], state=S)\nclass W: ...\n" for title, text in ASKING.items()},
    **{title: INJECTION + text for title, text in APPS.items()},
}
