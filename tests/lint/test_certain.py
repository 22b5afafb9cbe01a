"""Whatever a program does to its names, the linter says nothing that start-up doesn't say.

Each snippet makes something else of a name than what a quick look at it shows. All are faulty for a reader that looks
too quickly, and most are right.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.lint import certain_declared, certain_injection, certain_loops, certain_tools_and_hooks
from tests.support.start_up import findings_at_start_up
from thena_contract.fault import Finding
from thena_lint.analyze import diagnose
from thena_lint.index.project import ProjectIndex

REPOSITORY = Path(__file__).parents[2]

BEGIN = """
import asyncio
import sys
import contextlib
import functools
import inspect
from thena_runtime import Agent, Tool, Workflow, Thena, loop, parallel, State, Context, Prompt, ScriptedProvider

WITH = dict(provider=ScriptedProvider(["x"]), prompt=Prompt("x"))

class S:
    ok = False

@Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("x"))
class A: ...

@Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("x"))
class B:
    def __init__(self, s: State[S]): ...

def one(ctx): return True
def two(ctx, s): return True
"""
END = "\napp = Thena(W)\n"

SNIPPETS = {
    "tools made by hand where no list shows it": """
@Tool(name="ask", description="Ask.")
class Ask:
    def __init__(self, graph: dict, ctx: Context) -> None: ...
    def execute(self, subject: str) -> str: return subject
def made(names=("ask",)):
    known = {"ask": Ask({}, None)}
    return [known[name] for name in names]
@Agent(**WITH, tools=made())
class C: ...
@Workflow(steps=[C])
class W: ...
""",
    "alias until": """
u = two
u = one
@Workflow(steps=[loop([A],until=u)])
class W: ...
""",
    "nested class rebinding": """
class N:
    X = B
    X = A
@Workflow(steps=[N.X])
class W: ...
""",
    "for else": """
for q in []:
    X = 3
else:
    X = A
@Workflow(steps=[X])
class W: ...
""",
    "try finally": """
try:
    X = A
finally:
    Y = 1
@Workflow(steps=[X])
class W: ...
""",
    "with": """
import contextlib
with contextlib.suppress(ZeroDivisionError):
    X = 1/0
    X = 3
X = A
@Workflow(steps=[X])
class W: ...
""",
    "del and rebind": """
X = 3
del X
X = A
@Workflow(steps=[X])
class W: ...
""",
    "import rebinding": """
from os import path as X
X = A
@Workflow(steps=[X])
class W: ...
""",
    "augmented": """
L = [A]
L += [A]
L *= 1
@Workflow(steps=L)
class W: ...
""",
    "slice assign": """
L = [3]
L[:] = [A]
@Workflow(steps=L)
class W: ...
""",
    "nested list mut": """
L = [[3]]
L[0][0] = A
@Workflow(steps=L[0])
class W: ...
""",
    "comprehension walrus": """
[X := A for _ in range(1)]
X2 = X
@Workflow(steps=[X2])
class W: ...
""",
    "walrus in call": """
X = 3
print(X := A)
@Workflow(steps=[X])
class W: ...
""",
    "walrus in if": """
X = 3
if (X := A): pass
@Workflow(steps=[X])
class W: ...
""",
    "walrus in default": """
X = 3
def g(a=(X := A)): pass
@Workflow(steps=[X])
class W: ...
""",
    "walrus in decorator": """
X = 3
def deco(x): return lambda f: f
@deco(X := A)
def g(): pass
@Workflow(steps=[X])
class W: ...
""",
    "walrus while": """
X = 3
n=iter([A,None])
while (Y := next(n)): X = Y
@Workflow(steps=[X])
class W: ...
""",
    "walrus in base": """
X=3
class K(*[X := A][:0]): pass
@Workflow(steps=[X])
class W: ...
""",
    "walrus assert": """
X=3
assert (X := A)
@Workflow(steps=[X])
class W: ...
""",
    "walrus subscript": """
X=3
d={}
d[(X := A)] = 1
@Workflow(steps=[X])
class W: ...
""",
    "walrus for iter": """
X=3
for _ in [(X := A)]: pass
@Workflow(steps=[X])
class W: ...
""",
    "walrus annotation": """
X=3
z: (X := A) = 1
@Workflow(steps=[X])
class W: ...
""",
    "walrus in class body": """
X=3
class K:
    X = 3
    (X := A)
@Workflow(steps=[K.X])
class W: ...
""",
    "globals": """
X = 3
globals()['X'] = A
@Workflow(steps=[X])
class W: ...
""",
    "globals update": """
X = 3
globals().update(X=A)
@Workflow(steps=[X])
class W: ...
""",
    "vars": """
X = 3
vars()['X'] = A
@Workflow(steps=[X])
class W: ...
""",
    "exec": """
X = 3
exec('X = A')
@Workflow(steps=[X])
class W: ...
""",
    "sys.modules": """
X = 3
setattr(sys.modules[__name__],'X',A)
@Workflow(steps=[X])
class W: ...
""",
    "global in method": """
X = 3
class K:
    def m(self):
        global X
        X = A
K().m()
@Workflow(steps=[X])
class W: ...
""",
    "global in class": """
X = 3
class K:
    global X
    X = A
@Workflow(steps=[X])
class W: ...
""",
    "global def": """
def g():
    global X
    class X: ...
    Agent(**WITH)(X)
class X: ...
g()
@Workflow(steps=[X])
class W: ...
""",
    "init set in body": """
class C0:
    def __init__(self, s: State[S]): ...
C = Agent(**WITH)(C0)
del C0.__init__
@Workflow(steps=[C])
class W: ...
""",
    "class attr patch": """
@Agent(**WITH)
class C:
    def __init__(self, s: State[S]): ...
C.__init__ = lambda self: None
@Workflow(steps=[C])
class W: ...
""",
    "type setattr": """
@Agent(**WITH)
class C:
    def __init__(self, s: State[S]): ...
type.__setattr__(C,'__init__',lambda self: None)
@Workflow(steps=[C])
class W: ...
""",
    "setattr loop": """
@Agent(**WITH)
class C:
    def __init__(self, s: State[S]): ...
for k in ['__init__']: setattr(C,k,lambda self: None)
@Workflow(steps=[C])
class W: ...
""",
    "setattr in list": """
@Agent(**WITH)
class C:
    def __init__(self, s: State[S]): ...
[setattr(C,k,lambda self: None) for k in ['__init__']]
@Workflow(steps=[C])
class W: ...
""",
    "patch over alias": """
@Agent(**WITH)
class C:
    def __init__(self, s: State[S]): ...
D = C
D.__init__ = lambda self: None
@Workflow(steps=[C])
class W: ...
""",
    "patch base": """
class Base:
    def __init__(self, s: State[S]): ...
@Agent(**WITH)
class C(Base): ...
Base.__init__ = lambda self: None
@Workflow(steps=[C])
class W: ...
""",
    "patch loop": """
@Agent(**WITH)
class C:
    def __init__(self, s: State[S]): ...
for K in (C,):
    K.__init__ = lambda self: None
@Workflow(steps=[C])
class W: ...
""",
    "class in list patched by fn": """
@Agent(**WITH)
class C:
    def __init__(self, s: State[S]): ...
def fix(c): c.__init__ = lambda self: None
fix(C)
@Workflow(steps=[C])
class W: ...
""",
    "exec in class": """
@Agent(**WITH)
class C:
    def __init__(self, s: State[S]): ...
    exec('def __init__(self): pass')
@Workflow(steps=[C])
class W: ...
""",
    "locals in class": """
@Agent(**WITH)
class C:
    def __init__(self, s: State[S]): ...
    locals()['__init__'] = lambda self: None
@Workflow(steps=[C])
class W: ...
""",
    "vars in class": """
@Agent(**WITH)
class C:
    def __init__(self, s: State[S]): ...
    vars().update(__init__=lambda self: None)
@Workflow(steps=[C])
class W: ...
""",
    "for in class": """
@Agent(**WITH)
class C:
    def __init__(self, s: State[S]): ...
    for __init__ in [lambda self: None]: pass
@Workflow(steps=[C])
class W: ...
""",
    "with in class": """
import contextlib
@Agent(**WITH)
class C:
    def __init__(self, s: State[S]): ...
    with contextlib.nullcontext(lambda self: None) as __init__: pass
@Workflow(steps=[C])
class W: ...
""",
    "del in class": """
@Agent(**WITH)
class C:
    def __init__(self, s: State[S]): ...
    del __init__
@Workflow(steps=[C])
class W: ...
""",
    "decorated init": """
def noargs(f): return lambda self: None
@Agent(**WITH)
class C:
    @noargs
    def __init__(self, s: State[S]): ...
@Workflow(steps=[C])
class W: ...
""",
    "match in class": """
@Agent(**WITH)
class C:
    def __init__(self, s: State[S]): ...
    match (lambda self: None):
        case __init__: pass
@Workflow(steps=[C])
class W: ...
""",
    "except in class": """
@Agent(**WITH)
class C:
    def __init__(self, s: State[S]): ...
    try: 1/0
    except ZeroDivisionError as __init__: pass
@Workflow(steps=[C])
class W: ...
""",
    "metaclass kw": """
class M(type):
    def __call__(cls,*a,**k): return object.__new__(cls)
@Agent(**WITH)
class C(metaclass=M):
    def __init__(self, s: State[S]=None): ...
@Workflow(steps=[C])
class W: ...
""",
    "module getattr": """
def __getattr__(n): return A
@Workflow(steps=[A])
class W: ...
""",
    "star after": """
from os.path import *
@Workflow(steps=[A])
class W: ...
""",
    "state none later": """
ST = S
@Workflow(state=ST, steps=[B])
class W: ...
ST = None
""",
    "state cond": """
ST = None
if True: ST = S
@Workflow(state=ST, steps=[B])
class W: ...
""",
    "state call": """
def mk(): return S
ST = mk()
@Workflow(state=ST, steps=[B])
class W: ...
""",
    "state or": """
@Workflow(state=None or S, steps=[B])
class W: ...
""",
    "state walrus": """
ST = None
(ST := S)
@Workflow(state=ST, steps=[B])
class W: ...
""",
    "dict opts": """
O = {'state': S}
@Workflow(**O, steps=[B])
class W: ...
""",
    "dict state": """
O = dict(state=S, steps=[B])
@Workflow(**O)
class W: ...
""",
    "annotation rebound": """
from typing import Annotated
T = int
@Agent(**WITH)
class C:
    def __init__(self, s: T = 3): ...
T = State[S]
@Workflow(steps=[C])
class W: ...
""",
    "annotation rebound2": """
T = State[S]
T = int
@Agent(**WITH)
class C:
    def __init__(self, s: T = 3): ...
@Workflow(steps=[C])
class W: ...
""",
    "string annotation rebound": """
T = State[S]
@Agent(**WITH)
class C:
    def __init__(self, s: 'T' = 3): ...
T = int
@Workflow(steps=[C])
class W: ...
""",
    "prompt rebound": """
PR = Prompt('x')
@Agent(provider=ScriptedProvider(['x']), prompt=PR)
class C: ...
PR = './nothing.md'
@Workflow(steps=[C])
class W: ...
""",
    "loop obj rebound": """
L = loop([A], until=one)
@Workflow(steps=[L])
class W: ...
L = loop([3], until=two)
""",
    "Agent shadowed": """
def Workflow2(**k): return lambda c: Workflow(steps=[A])(c)
W0 = Workflow
@Workflow2(steps=[3])
class W: ...
""",
    "Workflow rebound": """
import thena_runtime as t
@t.Workflow(steps=[A])
class W: ...
Workflow = 3
""",
    "Workflow wrapped": """
_W = Workflow
def Workflow(**k): return _W(steps=[A])
@Workflow(steps=[3])
class W: ...
""",
    "decorator returns other": """
def swap(c): return A
@swap
class C: ...
@Workflow(steps=[C])
class W: ...
""",
    "class decorated by call": """
class C: ...
C2 = Agent(**WITH)(C)
@Workflow(steps=[C])
class W: ...
""",
    "declared in fn": """
class C: ...
def d(): Agent(**WITH)(C)
d()
@Workflow(steps=[C])
class W: ...
""",
    "declared in loop": """
class C: ...
for k in [C]: Agent(**WITH)(k)
@Workflow(steps=[C])
class W: ...
""",
    "declared by thena attr": """
class C: ...
C.__thena__ = A.__thena__
@Workflow(steps=[C])
class W: ...
""",
    "list in tuple": """
L=[3]
T=(L,)
T[0][0]=A
@Workflow(steps=T[0])
class W: ...
""",
    "list in tuple2": """
L=[3]
T=(L,)
T[0][0]=A
@Workflow(steps=L)
class W: ...
""",
    "list returned": """
L=[3]
def get(): return L
get()[0]=A
@Workflow(steps=L)
class W: ...
""",
    "list in class attr": """
class K: L=[3]
K.L[0]=A
@Workflow(steps=K.L)
class W: ...
""",
    "list in class attr method": """
class K:
    L=[3]
    @classmethod
    def fix(cls): cls.L[0]=A
K.fix()
@Workflow(steps=K.L)
class W: ...
""",
    "list in class attr inst": """
class K:
    L=[3]
k=K()
k.L[0]=A
@Workflow(steps=K.L)
class W: ...
""",
    "list in class passed": """
class K:
    L=[3]
def fix(k): k.L[0]=A
fix(K)
@Workflow(steps=K.L)
class W: ...
""",
    "list conditional alias": """
L=[3]
M = L if True else []
M[0]=A
@Workflow(steps=L)
class W: ...
""",
    "list or alias": """
L=[3]
M = L or []
M[0]=A
@Workflow(steps=L)
class W: ...
""",
    "list starred alias": """
L=[3]
(M,)=[L]
M[0]=A
@Workflow(steps=L)
class W: ...
""",
    "list for alias": """
L=[3]
for M in (L,): M[0]=A
@Workflow(steps=L)
class W: ...
""",
    "list with alias": """
import contextlib
L=[3]
with contextlib.nullcontext(L) as M: M[0]=A
@Workflow(steps=L)
class W: ...
""",
    "list kwarg": """
L=[3]
def f(x): x[0]=A
f(x=L)
@Workflow(steps=L)
class W: ...
""",
    "list partial": """
import functools
L=[3]
functools.partial(L.__setitem__,0)(A)
@Workflow(steps=L)
class W: ...
""",
    "list sort key": """
L=[3]
sorted([1],key=lambda k: L.__setitem__(0,A) or 1)
@Workflow(steps=L)
class W: ...
""",
    "list in print end": """
L=[3]
print(L.pop() and '', L.append(A) or '')
@Workflow(steps=L)
class W: ...
""",
    "list double alias": """
L=[3]
M=N=L
N[0]=A
@Workflow(steps=L)
class W: ...
""",
    "list annot alias": """
L=[3]
M: list = L
M[0]=A
@Workflow(steps=L)
class W: ...
""",
    "list reverse alias": """
L=[3]
M=L
L[0]=A
@Workflow(steps=M)
class W: ...
""",
    "list class alias": """
L=[3]
class K:
    M=L
    M[0]=A
@Workflow(steps=L)
class W: ...
""",
    "list class alias2": """
L=[3]
class K:
    M=L
K.M[0]=A
@Workflow(steps=L)
class W: ...
""",
    "list attr alias": """
L=[3]
A.steps=L
A.steps[0]=A
@Workflow(steps=L)
class W: ...
""",
    "list decorator": """
L=[3]
def reg(f): L[0]=A; return f
@reg
def q(): ...
@Workflow(steps=L)
class W: ...
""",
    "list unpack into": """
L=[3]
L[0], q = A, 1
@Workflow(steps=L)
class W: ...
""",
    "list loop builder later": """
L=[3]
X=loop(L, until=one)
L[0]=A
@Workflow(steps=[X])
class W: ...
""",
    "list via zip": """
L=[3]
for (q,i) in zip([L],[0]): q[i]=A
@Workflow(steps=L)
class W: ...
""",
    "list via enumerate": """
L=[[3]]
for i,q in enumerate(L): q[0]=A
@Workflow(steps=[loop(L[0],until=one)])
class W: ...
""",
    "list of list var": """
I=[3]
L=[I]
for q in L: q[0]=A
@Workflow(steps=[loop(I,until=one)])
class W: ...
""",
    "match capture": """
X=3
match A:
    case X: pass
@Workflow(steps=[X])
class W: ...
""",
    "except name": """
X=A
try: pass
except Exception as X: pass
@Workflow(steps=[X])
class W: ...
""",
    "async stuff": """
X=3
async def f():
    global X
    X=A
import asyncio
asyncio.run(f())
@Workflow(steps=[X])
class W: ...
""",
    "until attr patched": """
def done(ctx, s): ...
done.__signature__ = __import__('inspect').signature(one)
@Workflow(steps=[loop([A],until=done)])
class W: ...
""",
    "until defaults": """
def done(ctx, s): return True
done.__defaults__ = (None,)
@Workflow(steps=[loop([A],until=done)])
class W: ...
""",
    "until inst attr": """
class R:
    def done(self, ctx, s): return True
r = R()
r.done = one
@Workflow(steps=[loop([A],until=r.done)])
class W: ...
""",
    "until getattr": """
class R:
    def __getattribute__(self, n): return one
    def done(self, ctx, s): return True
r = R()
@Workflow(steps=[loop([A],until=r.done)])
class W: ...
""",
    "until new": """
class R:
    def __new__(cls): return one
    def __call__(self, ctx, s): return True
@Workflow(steps=[loop([A],until=R())])
class W: ...
""",
    "until property": """
class R:
    @property
    def done(self): return one
@Workflow(steps=[loop([A],until=R().done)])
class W: ...
""",
    "until partialmethod": """
import functools
class R:
    def base(self, ctx, s): return True
    done = functools.partialmethod(base, s=1)
@Workflow(steps=[loop([A],until=R().done)])
class W: ...
""",
    "until meta call": """
class M(type):
    def __call__(cls): return one
class R(metaclass=M):
    def __call__(self, ctx, s): return True
@Workflow(steps=[loop([A],until=R())])
class W: ...
""",
    "until class deco": """
def deco(c): return lambda: one
@deco
class R:
    def __call__(self, ctx, s): return True
@Workflow(steps=[loop([A],until=R())])
class W: ...
""",
    "instance via __new__ base": """
class R:
    def __new__(cls): return A
@Workflow(steps=[R()])
class W: ...
""",
    "tool staticmethod": """
@Tool(name='t',description='d')
class T:
    execute = staticmethod(lambda: '')
@Agent(**WITH,tools=[T])
class C: ...
@Workflow(steps=[C])
class W: ...
""",
    "overload fn": """
from typing import overload
@overload
def dd(ctx): ...
@overload
def dd(ctx, s): ...
def dd(ctx, s=None): return True
@Workflow(steps=[loop([A],until=dd)])
class W: ...
""",
    "singledispatch": """
import functools
@functools.singledispatch
def dd(ctx, s=None): return True
@dd.register
def dd2(ctx: int, s): return True
@Workflow(steps=[loop([A],until=dd)])
class W: ...
""",
}
SNIPPETS |= certain_loops.SNIPPETS | certain_declared.SNIPPETS | certain_tools_and_hooks.SNIPPETS
SNIPPETS |= certain_injection.SNIPPETS

MODULES = {title: f"snippet_{number}" for number, title in enumerate(SNIPPETS)}


def _program(text: str) -> str:
    """A snippet as a program: it makes its own app, or one is made of its workflow."""
    return BEGIN + text + ("" if "Thena(W" in text else END)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all snippets, each a program of its own."""
    folder = tmp_path_factory.mktemp("snippets")
    for title, text in SNIPPETS.items():
        (folder / f"{MODULES[title]}.py").write_text(_program(text), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def from_text(project: Path) -> Mapping[str, set[Finding]]:
    """What the linter says of each program."""
    found = diagnose(ProjectIndex.load([project]))
    return {
        path.stem: {one.finding for one in diagnostics if one.finding is not None}
        for path, diagnostics in found.items()
    }


@pytest.mark.parametrize("title", SNIPPETS)
def test_only_what_is_certain_is_said(title: str, project: Path, from_text: Mapping[str, set[Finding]]) -> None:
    """Every finding of the linter is one that start-up raises too."""
    module = MODULES[title]

    assert set() == from_text.get(module, set()) - findings_at_start_up(project, module)
