"""Programs for `test_certain`: loops, lists of steps and states of which something else is made."""

from typing import Final

SNIPPETS: Final = {
    "brake rebound": """
N = 0
N = 3
@Workflow(steps=[loop([A], until=one, max_iterations=N)])
class W: ...
""",
    "brake on a condition": """
N = 0
if True:
    N = 3
@Workflow(steps=[loop([A], until=one, max_fails=N)])
class W: ...
""",
    "brake of its own kind": """
import enum
class K(enum.IntEnum):
    MANY = 3
class L(int): ...
@Workflow(steps=[loop([A], until=one, max_fails=K.MANY, max_repeats=L(3))])
class W: ...
""",
    "brake by global": """
N = 0
def set_it():
    global N
    N = 3
set_it()
@Workflow(steps=[loop([A], until=one, max_iterations=N)])
class W: ...
""",
    "brake by call": """
@Workflow(steps=[loop([A], until=one, max_iterations=int("3"), max_repeats=bool(1) + 1)])
class W: ...
""",
    "brake negated": """
@Workflow(steps=[loop([A], until=one, max_iterations=- -3, max_repeats=0x0_3)])
class W: ...
""",
    "brakes spread": """
O = {"max_iterations": 0}
O["max_iterations"] = 2
@Workflow(steps=[loop([A], until=one, **O)])
class W: ...
""",
    "until spread": """
O = {"until": one}
@Workflow(steps=[loop([A], **O)])
class W: ...
""",
    "steps spread": """
O = {"steps": [A], "until": one}
@Workflow(steps=[loop(**O), parallel(*[[A]])])
class W: ...
""",
    "workflow options spread": """
O = {"steps": [A]}
@Workflow(**O)
class W: ...
""",
    "until instance with call in a base": """
class Base:
    def __call__(self, ctx): return True
class Rule(Base): ...
@Workflow(steps=[loop([A], until=Rule())])
class W: ...
""",
    "until instance with call set later": """
class Rule: ...
RULE = Rule()
Rule.__call__ = lambda self, ctx: True
@Workflow(steps=[loop([A], until=RULE)])
class W: ...
""",
    "until instance with call by setattr": """
class Rule: ...
setattr(Rule, "__call__", lambda self, ctx: True)
@Workflow(steps=[loop([A], until=Rule())])
class W: ...
""",
    "until instance patched by a function": """
class Rule: ...
def give(cls):
    cls.__call__ = lambda self, ctx: True
give(Rule)
@Workflow(steps=[loop([A], until=Rule())])
class W: ...
""",
    "until instance by metaclass": """
class M(type):
    def __new__(m, n, b, d):
        d["__call__"] = lambda self, ctx: True
        return super().__new__(m, n, b, d)
class Rule(metaclass=M): ...
@Workflow(steps=[loop([A], until=Rule())])
class W: ...
""",
    "until instance of another class": """
class Rule:
    def __new__(cls): return one
@Workflow(steps=[loop([A], until=Rule())])
class W: ...
""",
    "until instance by init subclass": """
class Base:
    def __init_subclass__(cls):
        cls.__call__ = lambda self, ctx: True
class Rule(Base): ...
@Workflow(steps=[loop([A], until=Rule())])
class W: ...
""",
    "until instance by decorator": """
def callable_(cls):
    return lambda: one
@callable_
class Rule: ...
@Workflow(steps=[loop([A], until=Rule())])
class W: ...
""",
    "until value rebound": """
U = True
U = one
@Workflow(steps=[loop([A], until=U)])
class W: ...
""",
    "until value in a function": """
U = None
def set_it():
    globals()["U"] = one
set_it()
@Workflow(steps=[loop([A], until=U)])
class W: ...
""",
    "until chosen": """
import random
@Workflow(steps=[loop([A], until=one if random.random() > 2 else (lambda ctx: True)), loop([A], until=None or one)])
class W: ...
""",
    "until dispatched": """
@functools.singledispatch
def u(ctx): return True
@u.register
def _(ctx: int, s): return True
@Workflow(steps=[loop([A], until=u)])
class W: ...
""",
    "until overloaded": """
import typing
@typing.overload
def u(ctx: int) -> bool: ...
@typing.overload
def u(ctx: str, s: int) -> bool: ...
def u(ctx, s=None): return True
@Workflow(steps=[loop([A], until=u)])
class W: ...
""",
    "until wrapped": """
def counted(f):
    @functools.wraps(f)
    def w(*a): return f(*a, 1)
    return w
@counted
def u(ctx, n): return True
@Workflow(steps=[loop([A], until=u)])
class W: ...
""",
    "until class with bool": """
class Rule:
    def __init__(self, ctx): ...
    def __bool__(self): return True
@Workflow(steps=[loop([A], until=Rule)])
class W: ...
""",
    "until class with length in a base": """
class Base:
    def __len__(self): return 1
class Rule(Base):
    def __init__(self, ctx): ...
@Workflow(steps=[loop([A], until=Rule)])
class W: ...
""",
    "until class with await": """
class Rule:
    def __init__(self, ctx): ...
    def __await__(self):
        yield
@Workflow(steps=[loop([A], until=Rule)])
class W: ...
""",
    "until class with bool set later": """
class Rule:
    def __init__(self, ctx): ...
Rule.__bool__ = lambda self: True
@Workflow(steps=[loop([A], until=Rule)])
class W: ...
""",
    "until class with bool from a mixin by exec": """
class Rule:
    def __init__(self, ctx): ...
    exec("def __bool__(self): return True")
@Workflow(steps=[loop([A], until=Rule)])
class W: ...
""",
    "until class with bool on a condition": """
class Rule:
    def __init__(self, ctx): ...
    if sys.version_info:
        def __bool__(self): return True
@Workflow(steps=[loop([A], until=Rule)])
class W: ...
""",
    "until class from a metaclass": """
class M(type):
    def __call__(cls, ctx): return False
class Rule(metaclass=M): ...
@Workflow(steps=[loop([A], until=Rule, max_iterations=1)])
class W: ...
""",
    "until class that inherits from int": """
class Rule(int): ...
@Workflow(steps=[loop([A], until=Rule)])
class W: ...
""",
    "until exception class": """
@Workflow(steps=[loop([A], until=ValueError)])
class W: ...
""",
    "callback with star": """
def c(*a, **k): ...
@Workflow(steps=[loop([A], until=one, on_fail=c, on_exhausted=lambda: None)])
class W: ...
""",
    "callback partial": """
def c(ctx, failure, more): ...
@Workflow(steps=[loop([A], until=one, on_fail=functools.partial(c, more=1), on_exhausted=functools.partial(c, 1))])
class W: ...
""",
    "callback none by name": """
N = None
@Workflow(steps=[loop([A], until=one, on_fail=N, on_exhausted=None, max_fails=N, state=N)], state=N)
class W: ...
""",
    "callback rebound": """
def c(ctx, failure, more): ...
c = one
@Workflow(steps=[loop([A], until=one, on_fail=c)])
class W: ...
""",
    "callback bound": """
class Notes:
    def add(self, ctx, failure): ...
    @staticmethod
    def keep(ctx, failure): ...
    @classmethod
    def drop(cls, ctx, iterations): ...
@Workflow(steps=[loop([A], until=one, on_fail=Notes().add, on_exhausted=Notes.drop)])
class V: ...
@Workflow(steps=[V, loop([A], until=one, on_fail=Notes.keep)])
class W: ...
""",
    "steps a list in disguise": """
class L(list): ...
import collections
@Workflow(steps=L([A]))
class V: ...
@Workflow(steps=collections.UserList([A, V]))
class W: ...
""",
    "steps empty and filled by a function": """
L = []
def fill(): L.append(A)
fill()
@Workflow(steps=L)
class W: ...
""",
    "steps empty and filled by a loop": """
L = []
for one_ in [A]:
    L.append(one_)
@Workflow(steps=L)
class W: ...
""",
    "steps empty and filled by slicing": """
L = []
L[0:0] = [A]
@Workflow(steps=L)
class W: ...
""",
    "steps empty and filled elsewhere": """
class K:
    L = []
K.L.append(A)
@Workflow(steps=K.L)
class W: ...
""",
    "steps filled through an alias": """
L = []
M = L
M.append(A)
@Workflow(steps=L)
class W: ...
""",
    "steps filled through an alias and by name": """
L = []
M = L
L.append(A)
M.append(A)
@Workflow(steps=M)
class W: ...
""",
    "steps filled by a call in between": """
L = []
L.append(A)
(lambda x: x.clear())(L)
L.append(A)
@Workflow(steps=L)
class W: ...
""",
    "steps added and taken away": """
L = [A]
L.append(3)
del L[1]
@Workflow(steps=L)
class W: ...
""",
    "steps added and replaced": """
L = [A]
L.append(3)
L = [A]
@Workflow(steps=L)
class W: ...
""",
    "steps added after the app": """
L = [A]
@Workflow(steps=L)
class V: ...
early = Thena(V)
L.append(3)
L.pop()
@Workflow(steps=[V])
class W: ...
""",
    "steps added after an app that nothing undoes": """
L = [A]
@Workflow(steps=L)
class W: ...
app = Thena(W)
L.append(3)
W = Workflow(steps=[A])(type("W", (), {}))
""",
    "steps added after an app in a decorator": """
def made(cls):
    Thena(cls)
    return cls
L = [A]
@made
@Workflow(steps=L)
class V: ...
L.append(3)
@Workflow(steps=[A])
class W: ...
""",
    "steps added after an app in a class body": """
L = [A]
@Workflow(steps=L)
class V: ...
class K:
    app = Thena(V)
L.append(3)
@Workflow(steps=[A])
class W: ...
""",
    "steps added after an app in a default": """
L = [A]
@Workflow(steps=L)
class V: ...
def f(app=Thena(V)): ...
L.append(3)
@Workflow(steps=[A])
class W: ...
""",
    "steps added after a copy": """
L = [A]
@Workflow(steps=L + [])
class W: ...
L.append(3)
""",
    "steps added after a spread": """
L = [A]
@Workflow(steps=[*L])
class W: ...
L.append(3)
""",
    "steps added after a loop took them": """
L = [A]
X = loop(list(L), until=one)
L.append(3)
@Workflow(steps=[X])
class W: ...
""",
    "steps added on a condition": """
L = [A]
if not L:
    L.append(3)
@Workflow(steps=L)
class W: ...
""",
    "steps added in a try": """
L = [A]
try:
    raise ValueError
    L.append(3)
except ValueError:
    pass
@Workflow(steps=L)
class W: ...
""",
    "steps inserted at a name": """
L = [A, A]
N = 0
L.insert(N, A)
L.insert(-1, A)
@Workflow(steps=L)
class W: ...
""",
    "tuple added to": """
L = (A,)
@Workflow(steps=L)
class W: ...
L += (3,)
""",
    "steps of a list that is no list": """
class L:
    def append(self, x): ...
    def __iter__(self): return iter([A])
X = L()
X.append(3)
@Workflow(steps=[*X])
class W: ...
""",
    "added classes patched one by one": """
L = []
@Agent(**WITH)
class P:
    def __init__(self, s: State[S]): ...
L.append(P)
for each in L:
    each.__init__ = lambda self: None
@Workflow(steps=L)
class W: ...
""",
    "workflow inside a replaced list": """
L = [A]
@Workflow(steps=L)
class V: ...
L.append(V)
L.remove(V)
@Workflow(steps=[V])
class W: ...
""",
    "workflow of the same name in a function": """
def made(*steps):
    @Workflow(steps=list(steps))
    class Inner: ...
    return Inner
W = made(made(A))
""",
    "workflow of the same name": """
@Workflow(steps=[A])
class Inner: ...
First = Inner
@Workflow(steps=[First])
class Inner: ...
@Workflow(steps=[Inner])
class W: ...
""",
    "state made by decorator": """
def defaults(cls):
    return S
@defaults
class T:
    def __init__(self, name): ...
@Workflow(steps=[A], state=T)
class W: ...
""",
    "state with constructor set later": """
class T:
    def __init__(self, name): ...
T.__init__ = lambda self: None
@Workflow(steps=[A], state=T)
class W: ...
""",
    "state with defaults set later": """
class T:
    def __init__(self, name): ...
T.__init__.__defaults__ = ("x",)
@Workflow(steps=[A], state=T)
class W: ...
""",
    "state with constructor wrapped": """
def default(f):
    return lambda self: f(self, "x")
class T:
    @default
    def __init__(self, name): ...
@Workflow(steps=[A], state=T)
class W: ...
""",
    "state with constructor by init subclass": """
class Base:
    def __init_subclass__(cls):
        cls.__init__ = lambda self: None
class T(Base):
    def __init__(self, name): ...
@Workflow(steps=[A], state=T)
class W: ...
""",
    "state with new of a base": """
class Base:
    def __new__(cls, name="x"): return super().__new__(cls)
class T(Base): ...
@Workflow(steps=[A], state=T)
class W: ...
""",
    "state made by metaclass": """
class M(type):
    def __call__(cls): return super().__call__("x")
class T(metaclass=M):
    def __new__(cls, name="x"): return super().__new__(cls)
@Workflow(steps=[A], state=T)
class W: ...
""",
    "state abstract no more": """
import abc
class Base(abc.ABC):
    @abc.abstractmethod
    def f(self): ...
class T(Base):
    f = None
@Workflow(steps=[A], state=T)
class W: ...
""",
    "state abstract by a name that was bound again": """
import abc
abstract = abc.abstractmethod
abstract = lambda f: f
class T(abc.ABC):
    @abstract
    def f(self): ...
@Workflow(steps=[A], state=T)
class W: ...
""",
    "state abstract without enforcement": """
import abc
class T:
    @abc.abstractmethod
    def f(self): ...
@Workflow(steps=[A], state=T)
class W: ...
""",
    "state abstract from a mixin": """
import abc
class Mixin:
    @abc.abstractmethod
    def f(self): ...
class T(Mixin, abc.ABC): ...
@Workflow(steps=[A], state=T)
class W: ...
""",
    "state abstract updated": """
import abc
class T(abc.ABC):
    @abc.abstractmethod
    def f(self): ...
T.f = lambda self: None
abc.update_abstractmethods(T)
@Workflow(steps=[A], state=T)
class W: ...
""",
    "state that implements a protocol": """
import typing
class P(typing.Protocol):
    x: int
class T(P):
    x = 1
@Workflow(steps=[A], state=T)
class W: ...
""",
    "state of a generic": """
import typing
X = typing.TypeVar("X")
class T(typing.Generic[X]): ...
def u(ctx, s: T[int]): return True
@Workflow(steps=[loop([A], until=u, state=T)], state=T)
class W: ...
""",
    "state frozen and thawed": """
import dataclasses
@dataclasses.dataclass(frozen=True)
class F:
    x: int = 0
class T(F):
    y = 0
@Workflow(steps=[A], state=T)
class W: ...
""",
    "state frozen by a flag": """
import dataclasses
FROZEN = False
@dataclasses.dataclass(frozen=FROZEN)
class T:
    x: int = 0
@Workflow(steps=[A], state=T)
class W: ...
""",
    "state by another dataclass": """
import dataclasses
def dataclass(**options): return dataclasses.dataclass
@dataclass(frozen=True)
class T:
    x: int = 0
@Workflow(steps=[A], state=T)
class W: ...
""",
    "state of the data classes by transform": """
import dataclasses
@dataclasses.dataclass
class T:
    x: int = dataclasses.field(init=False)
    y: list = dataclasses.field(default_factory=list)
    z: dataclasses.InitVar[int] = 3
@Workflow(steps=[A], state=T)
class W: ...
""",
    "until for a base of the state": """
class Base: ...
class T(Base): ...
def u(ctx, s: Base): return True
def v(ctx, s: "T | None"): return True
@Workflow(steps=[loop([A], until=u, state=Base), loop([A], until=v)], state=T)
class W: ...
""",
    "until for anything": """
import typing
class P(typing.Protocol):
    ok: bool
X = typing.TypeVar("X")
def u(ctx, s: typing.Any): return True
def v(ctx, s: P): return True
def w(ctx, s: X): return True
def x(ctx, s: S | int): return True
def y(ctx, s: object): return True
@Workflow(steps=[loop([A], until=f) for f in (u, v, w)] + [loop([A], until=x), loop([A], until=y)], state=S)
class V: ...
@Workflow(steps=[V, loop([A], until=u), loop([A], until=v), loop([A], until=w)], state=S)
class W: ...
""",
    "until for a registered class": """
import abc
class Base(abc.ABC): ...
class T: ...
Base.register(T)
def u(ctx, s: Base): return True
@Workflow(steps=[loop([A], until=u, state=Base)], state=T)
class W: ...
""",
    "until for a class with bases set later": """
class Base: ...
class Other: ...
class T(Other): ...
T.__bases__ = (Base,)
def u(ctx, s: Base): return True
@Workflow(steps=[loop([A], until=u, state=Base)], state=T)
class W: ...
""",
    "until for a class from a function": """
def make():
    class T: ...
    return T
T = make()
U = T
def u(ctx, s: U): return True
@Workflow(steps=[loop([A], until=u, state=U)], state=T)
class W: ...
""",
    "until for a class that a decorator made": """
class Other: ...
def other(cls): return Other
@other
class T: ...
def u(ctx, s: Other): return True
@Workflow(steps=[loop([A], until=u, state=Other)], state=T)
class W: ...
""",
    "until for a class named anew": """
class T: ...
Old = T
class T: ...
def u(ctx, s: Old): return True
@Workflow(steps=[loop([A], until=u, state=Old)], state=Old)
class W: ...
""",
    "annotation of until set later": """
class Other: ...
def u(ctx, s: Other): return True
u.__annotations__["s"] = S
@Workflow(steps=[loop([A], until=u)], state=S)
class W: ...
""",
    "loop behind a wrapper": """
def looped(steps, **more):
    return loop(steps, **{"until": one, **more})
@Workflow(steps=[looped([A], max_iterations=2)])
class W: ...
""",
    "loop by partial": """
l = functools.partial(loop, until=one)
@Workflow(steps=[l([A])])
class W: ...
""",
    "loop bound again": """
def loop(steps, until=None): return A
@Workflow(steps=[loop([])])
class W: ...
""",
    "steps of a function": """
def made(): return [A]
made.__code__ = (lambda: [A, A]).__code__
def other(): return [3]
other = lambda: [A]
def wrapped(): return [3]
def last(f): return lambda: [A]
wrapped = last(wrapped)
@last
def decorated(): return [3]
class K:
    @staticmethod
    def inner(): return [A]
@Workflow(steps=[*made(), *other(), *wrapped(), *decorated(), *K.inner()])
class W: ...
""",
    "steps of a function that is set by another": """
def made(): return [3]
def set_it():
    global made
    made = lambda: [A]
set_it()
@Workflow(steps=made())
class W: ...
""",
    "steps of a function with names of its own": """
X = 3
def made(X=A): return [X]
@Workflow(steps=made())
class W: ...
""",
    "steps of a function whose code is set later": """
def made(): return [3]
def other(): return [A]
made.__code__ = other.__code__
@Workflow(steps=made())
class W: ...
""",
    "steps of a function whose code is set by another": """
def made(): return [3]
def other(): return [A]
def swap(f): f.__code__ = other.__code__
swap(made)
@Workflow(steps=made())
class W: ...
""",
    "steps of a function whose code is set inside another": """
def made(): return [3]
def other(): return [A]
def swap(): made.__code__ = other.__code__
swap()
@Workflow(steps=made())
class W: ...
""",
    "steps of a generator function": """
def made():
    return [A]
    yield 3
@Workflow(steps=list(made()) or [A])
class W: ...
""",
}
