"""Agents, tools and options that are something else than what a quick look at them shows: for `test_certain`."""

from typing import Final

_AGENT: Final = """
@Workflow(steps=[C])
class W: ...
"""

PROVIDERS: Final = {
    "provider patched": """
class M: ...
M.complete = lambda self, request: None
""",
    "provider by metaclass": """
class Meta(type):
    def __getattr__(cls, name): return lambda *a: None
class M(metaclass=Meta): ...
""",
    "provider decorated": """
def completing(c):
    c.complete = lambda self, request: None
    return c
@completing
class M: ...
""",
    "provider by init": """
class Model:
    def __init__(self): self.complete = self.close = print
M = Model()
""",
    "provider by inner dict": """
class Model:
    def __init__(self): self.__dict__.update(complete=print, close=print)
M = Model()
""",
    "provider by vars": """
class Model:
    def __init__(self): vars(self)['complete'] = vars(self)['close'] = print
M = Model()
""",
    "provider by object": """
class Model:
    def __init__(self):
        for name in ('complete', 'close'): object.__setattr__(self, name, print)
M = Model()
""",
    "provider by helper": """
def fill(m): m.complete = m.close = print
class Model:
    def __init__(self): fill(self)
M = Model()
""",
    "provider by alias of self": """
class Model:
    def __init__(self):
        me = self
        me.complete = me.close = print
M = Model()
""",
    "provider by getattr": """
class Model:
    def __getattr__(self, name): return print
M = Model()
""",
    "provider patched object": """
class Model: ...
M = Model()
M.complete = M.close = print
""",
    "provider patched object in a function": """
class Model: ...
M = Model()
def fill(): M.complete = M.close = print
fill()
""",
    "provider handed to a function": """
class Model: ...
M = Model()
def fill(m): m.complete = m.close = print
fill(M)
""",
    "provider by init subclass": """
class Base:
    def __init_subclass__(cls): cls.complete = lambda self, request: None
class M(Base): ...
""",
    "provider by new": """
class Model:
    def __new__(cls): return ScriptedProvider(['x'])
M = Model()
""",
    "provider rebound": """
M = 'gpt'
M = ScriptedProvider(['x'])
""",
    "provider or": """
M = None or ScriptedProvider(['x'])
""",
    "provider on condition": """
M = None
if sys: M = ScriptedProvider(['x'])
""",
    "provider factory defaults": """
def M(model): return ScriptedProvider([model])
M.__defaults__ = ('x',)
""",
    "provider factory defaults late": """
def M(model): return ScriptedProvider([model])
def repair(): M.__defaults__ = ('x',)
repair()
""",
    "provider factory defaults by helper": """
def M(model): return ScriptedProvider([model])
def repair(f): f.__defaults__ = ('x',)
repair(M)
""",
    "provider factory decorated": """
def filled(f): return lambda: f('x')
@filled
def M(model): return ScriptedProvider([model])
""",
    "provider partial": """
def make(model): return ScriptedProvider([model])
M = functools.partial(make, 'x')
""",
    "provider generator wrapped": """
def once(f): return lambda: next(f())
@once
def M(): yield ScriptedProvider(['x'])
""",
    "provider generator inside": """
def M():
    def each(): yield ScriptedProvider(['x'])
    return next(each())
""",
    "provider of unseen base": """
import string
class M(string.Formatter):
    complete = close = string.Formatter.format
""",
    "provider with late methods": """
class M:
    if sys:
        async def complete(self, request): ...
        async def close(self): ...
""",
    "provider class with filled init": """
class M(ScriptedProvider):
    def __init__(self, turns=('x',)): super().__init__(turns)
""",
    "provider static": """
class M:
    @staticmethod
    async def complete(request): ...
    @classmethod
    async def close(cls): ...
""",
    "provider called": """
class Make:
    def __call__(self): return ScriptedProvider(['x'])
M = Make()
""",
    "provider a class that makes another": """
class Made:
    def __new__(cls, model='x'): return ScriptedProvider([model])
    async def complete(self, request): ...
M = Made
""",
}
"""Each binds `M`, which an agent is given as its provider."""

OTHERS: Final = {
    "provider in options": """
@Agent(**WITH)
class C: ...
""",
    "options without names": """
ARGS = ()
@Agent(*ARGS, **WITH)
class C: ...
""",
    "options in a dict": """
@Agent(**{'provider': WITH['provider'], 'prompt': WITH['prompt']})
class C: ...
""",
    "prompt from a class": """
class Texts:
    write = Prompt('x')
@Agent(provider=WITH['provider'], prompt=Texts.write)
class C: ...
""",
    "prompt subclass": """
class Told(Prompt): ...
@Agent(provider=WITH['provider'], prompt=Told('x'))
class C: ...
""",
    "prompt put together": """
@Agent(provider=WITH['provider'], prompt=Prompt('' + 'x'))
class C: ...
""",
    "prompt formatted": """
NAME = 'x'
@Agent(provider=WITH['provider'], prompt=Prompt('' f'{NAME}'))
class C: ...
""",
    "prompt rebound text": """
TEXT = ''
TEXT = 'x'
@Agent(provider=WITH['provider'], prompt=Prompt(TEXT))
class C: ...
""",
    "prompt in a function": """
def told(): return Prompt('x')
@Agent(provider=WITH['provider'], prompt=told())
class C: ...
""",
    "tools that are no literal": """
def make():
    def note(): 'Note.'
    return note
@Agent(**WITH, tools=tuple(map(lambda f: f, [make()])))
class C: ...
""",
    "tools of a range": """
@Agent(**WITH, tools=range(0))
class C: ...
""",
    "tools of a list subclass": """
class Many(list): ...
@Agent(**WITH, tools=Many())
class C: ...
""",
    "tools registered as a list": """
import collections.abc
class Many:
    def __len__(self): return 0
    def __getitem__(self, index): raise IndexError
    def __iter__(self): return iter(())
collections.abc.Sequence.register(Many)
@Agent(**WITH, tools=Many())
class C: ...
""",
    "tool declared later": """
class T:
    def execute(self): ...
Tool(name='t', description='d')(T)
@Agent(**WITH, tools=[T])
class C: ...
""",
    "tool declared by a decorator": """
def tool(c): return Tool(name=c.__name__, description='d')(c)
@tool
class T:
    def execute(self): ...
@Agent(**WITH, tools=[T])
class C: ...
""",
    "tool object of a class declared by a decorator": """
def tool(c): return Tool(name=c.__name__, description='d')(c)
@tool
class T:
    def execute(self): ...
@Agent(**WITH, tools=[T()])
class C: ...
""",
    "tool declared in a loop": """
class T:
    def execute(self): ...
for each in [T]: Tool(name='t', description='d')(each)
@Agent(**WITH, tools=[T])
class C: ...
""",
    "tool object declared later": """
class T:
    def execute(self): ...
t = T()
Tool(name='t', description='d')(T)
@Agent(**WITH, tools=[t])
class C: ...
""",
    "tool made by new": """
def note(): 'Note.'
class T:
    def __new__(cls): return note
@Agent(**WITH, tools=[T()])
class C: ...
""",
    "step like a method": """
class T:
    'A tool.'
    __name__ = 'note'
    def __get__(self, instance, owner): return self
    def __call__(self): ...
@Agent(**WITH)
class D: ...
C = T()
""",
    "tool changes its class": """
@Tool(name='t', description='d')
class T:
    def execute(self): ...
class Other:
    def __init__(self): self.__class__ = T
@Agent(**WITH, tools=[Other()])
class C: ...
""",
    "execute patched": """
@Tool(name='t', description='d')
class T: ...
T.execute = lambda self: None
@Agent(**WITH, tools=[T])
class C: ...
""",
    "execute by setattr": """
@Tool(name='t', description='d')
class T: ...
setattr(T, 'exe' + 'cute', lambda self: None)
@Agent(**WITH, tools=[T])
class C: ...
""",
    "execute on a condition": """
@Tool(name='t', description='d')
class T:
    if sys:
        def execute(self): ...
@Agent(**WITH, tools=[T])
class C: ...
""",
    "execute by metaclass": """
class Meta(type):
    def __getattr__(cls, name):
        if name == 'execute': return lambda self: None
        raise AttributeError(name)
@Tool(name='t', description='d')
class T(metaclass=Meta): ...
@Agent(**WITH, tools=[T])
class C: ...
""",
    "execute by init subclass": """
class Base:
    def __init_subclass__(cls): cls.execute = lambda self: None
@Tool(name='t', description='d')
class T(Base): ...
@Agent(**WITH, tools=[T])
class C: ...
""",
    "execute aliased": """
@Tool(name='t', description='d')
class T:
    def run(self): ...
    execute = run
@Agent(**WITH, tools=[T])
class C: ...
""",
    "execute a partial": """
def work(self=None): ...
@Tool(name='t', description='d')
class T:
    execute = functools.partial(work)
@Agent(**WITH, tools=[T])
class C: ...
""",
    "execute of an unseen base": """
import unittest
class Base(unittest.TestCase):
    def execute(self): ...
@Tool(name='t', description='d')
class T(Base): ...
@Agent(**WITH, tools=[T()])
class C: ...
""",
    "execute in the scope": """
@Tool(name='t', description='d')
class T:
    locals()['execute'] = lambda self: None
@Agent(**WITH, tools=[T])
class C: ...
""",
    "names of tools that are put together": """
NAME = 'a'
@Tool(name=NAME + '1', description='d')
class T:
    def execute(self): ...
@Tool(name=f'{NAME}2', description='d')
class U:
    def execute(self): ...
@Agent(**WITH, tools=[T, U])
class C: ...
""",
    "functions of one name": """
def named(name):
    def rename(f):
        f.__name__ = name
        return f
    return rename
@named('a')
def one_tool(): 'One.'
first = one_tool
@named('b')
def one_tool(): 'Two.'
@Agent(**WITH, tools=[first, one_tool])
class C: ...
""",
    "function renamed": """
def read(): 'Read.'
@Tool(name='read', description='d')
class Read:
    def execute(self): ...
read.__name__ = 'other'
@Agent(**WITH, tools=[read, Read])
class C: ...
""",
    "function of a name that is bound again": """
def read(): 'Read.'
first = read
def read(): 'Read it.'
read.__name__ = 'again'
@Agent(**WITH, tools=[first, read])
class C: ...
""",
    "function documented later": """
def read(): ...
read.__doc__ = 'Read.'
@Agent(**WITH, tools=[read])
class C: ...
""",
    "function documented in a function": """
def read(): ...
def document(): read.__doc__ = 'Read.'
document()
@Agent(**WITH, tools=[read])
class C: ...
""",
    "function documented by setattr": """
def read(): ...
setattr(read, '__doc__', 'Read.')
@Agent(**WITH, tools=[read])
class C: ...
""",
    "function documented by a helper": """
def document(f): f.__doc__ = 'Read.'
def read(): ...
document(read)
@Agent(**WITH, tools=[read])
class C: ...
""",
    "function documented by a helper from elsewhere": """
def read(): ...
functools.update_wrapper(read, print)
@Agent(**WITH, tools=[read])
class C: ...
""",
    "function documented in a loop": """
def read(): ...
def write(): ...
for f in (read, write): f.__doc__ = 'Read.'
@Agent(**WITH, tools=[read])
class C: ...
""",
    "function documented over an alias": """
def read(): ...
other = read
other.__doc__ = 'Read.'
@Agent(**WITH, tools=[read])
class C: ...
""",
    "function wrapped": """
def told(f):
    f.__doc__ = 'Read.'
    return f
@told
def read(): ...
@Agent(**WITH, tools=[read])
class C: ...
""",
    "function replaced": """
def read(): ...
read = functools.wraps(print)(read)
@Agent(**WITH, tools=[read])
class C: ...
""",
    "docstrings of all kinds": """
def a(): r'Read.'
def b(): 'Re' 'ad.'
def c():
    '''
    Read.
    '''
def d(): ('Read.')
def e(): u'Read.'; return None
def f(): '\\N{BULLET} Read.'
@Agent(**WITH, tools=[a, b, c, d, e, f])
class C: ...
""",
    "wrapped by one of ours": """
def fix(d): return Agent(**WITH)(d.args[0])
@fix
@Agent
class C: ...
""",
    "called by another name": """
def Other(c): return Agent(**WITH)(c)
Own = Other
@Own
class C: ...
""",
    "a decorator of the same name": """
def Tool(f): return f
@Tool
def read(): 'Read.'
@Agent(**WITH, tools=[read])
class C: ...
""",
    "a decorated function bound again": """
@Tool(name='x', description='d')
def read(): 'Read.'
def read(): 'Read.'
@Agent(**WITH, tools=[read])
class C: ...
""",
    "a decorated function on a condition": """
def read(): 'Read.'
if not sys:
    @Tool(name='x', description='d')
    def read(): 'Read.'
@Agent(**WITH, tools=[read])
class C: ...
""",
    "two decorators with a copy between": """
import dataclasses
@Agent(**WITH)
@dataclasses.dataclass(slots=True)
class C: ...
""",
    "declared over a subclass": """
@Tool(name='t', description='d')
class T:
    def execute(self): ...
@Agent(**WITH)
class C(T): ...
""",
    "declared again from elsewhere": """
@Agent(provider='gpt', prompt=5)
class C: ...
Agent(**WITH)(C)
""",
    "abstract in name only": """
from abc import ABC, abstractmethod
class Base:
    @abstractmethod
    def think(self): ...
@Agent(**WITH)
class C(Base): ...
""",
    "abstract and finished by a mixin": """
from abc import ABC, abstractmethod
class Base(ABC):
    @abstractmethod
    def think(self): ...
class Mixin:
    def think(self): ...
@Agent(**WITH)
class C(Mixin, Base): ...
""",
    "abstract and finished by a value": """
from abc import ABC, abstractmethod
class Base(ABC):
    @abstractmethod
    def think(self): ...
@Agent(**WITH)
class C(Base): think = None
""",
    "abstract and emptied": """
from abc import ABC, abstractmethod
@Agent(**WITH)
class C(ABC):
    @abstractmethod
    def think(self): ...
C.__abstractmethods__ = frozenset()
""",
    "abstract and finished by a decorator": """
from abc import ABC, abstractmethod, update_abstractmethods
def finish(c):
    c.think = lambda self: None
    return update_abstractmethods(c)
@Agent(**WITH)
@finish
class C(ABC):
    @abstractmethod
    def think(self): ...
""",
    "protocol implemented": """
from typing import Protocol
class P(Protocol):
    def think(self): ...
@Agent(**WITH)
class C(P): ...
""",
    "values behind names": """
MODE = 'frist'
MODE = 'first'
@Agent(**WITH, tool_calls=MODE)
class C: ...
""",
    "a computed bool": """
@Tool(name='t', description='d', repeatable=bool(1))
class T:
    def execute(self): ...
@Agent(**WITH, tools=[T])
class C: ...
""",
    "a mode of an enum": """
import enum, types
class Mode(enum.StrEnum):
    ALL = 'all'
@Agent(**WITH, tool_calls=Mode.ALL, sampling=types.MappingProxyType({}))
class C: ...
""",
    "values that are made": """
import collections
@Agent(**WITH, tool_calls=str('all'), sampling=collections.OrderedDict(), output=list[int])
class C: ...
""",
    "values that are left out": """
@Agent(**WITH, sampling=None, output=int | None)
class C: ...
""",
    "a mapping by registration": """
import collections.abc
class Cool:
    def keys(self): return []
    def __getitem__(self, key): raise KeyError(key)
    def __iter__(self): return iter(())
    def __len__(self): return 0
collections.abc.Mapping.register(Cool)
@Agent(**WITH, sampling=Cool())
class C: ...
""",
    "a type that is named like another": """
import dataclasses
@dataclasses.dataclass
class Verdict:
    x: int = 0
str = Verdict
@Agent(**WITH, output=str)
class C: ...
""",
    "texts of a class of ours": """
class Name(str): ...
@Tool(name=Name('t'), description=Name('d'))
class T:
    def execute(self): ...
@Agent(**WITH, tools=[T])
class C: ...
""",
}
"""Each binds `C`, an agent."""

_WITH_M: Final = """
@Agent(provider=M, prompt=Prompt('x'))
class C: ...
"""

SNIPPETS: Final = {
    **{title: text + _WITH_M + _AGENT for title, text in PROVIDERS.items()},
    **{title: text + _AGENT for title, text in OTHERS.items()},
}
"""By its title, what follows the beginning of a program."""
