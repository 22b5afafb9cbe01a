"""Programs of `test_certain` about tools, hooks, fields and markers that stand in odd places."""

FLOW = """
@Workflow(state=S,steps=[C])
class W: ...
"""


def of_agent(body: str, head: str = "", decorators: str = "", bases: str = "") -> str:
    """A program with one agent `C`."""
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    return f"{head}\n@Agent(**WITH)\n{decorators}\nclass C{bases}:\n{lines}\n{FLOW}"


def of_tool(body: str, head: str = "", decorators: str = "", bases: str = "") -> str:
    """A program with one agent that has one tool `T`."""
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    return (
        f'{head}\n@Tool(name="t",description="t")\n{decorators}\nclass T{bases}:\n{lines}\n'
        f"@Agent(**WITH,tools=[T])\nclass C: ...\n{FLOW}"
    )


HEAD = """
import contextlib
import dataclasses
import enum
import functools
import typing
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Generic, Protocol, TypeVar
from thena_runtime import AgentHooks, Input, VectorMemory, WorkflowRuntime, context, input, memory, state
V = TypeVar("V")
def same(x): return x
def changed(f):
    @functools.wraps(f)
    def wrapper(self, *args): return f(self, *args)
    return wrapper
def replaced(f):
    return lambda self, prompt, ctx: prompt
class Plain: ...
"""

SNIPPETS = {
    title: HEAD + text
    for title, text in {
        # -- hooks
        "hook behind a wrapper": of_agent("@changed\ndef before_prompt(self,prompt,ctx,more): ..."),
        "hook behind another": of_agent("@replaced\ndef before_prompt(self,prompt,ctx,more): ..."),
        "hook set later": of_agent("def before_prompt(self,prompt,ctx,more): ...")
        + "C.before_prompt = lambda self, prompt: prompt\n",
        "hook set by name": of_agent("def before_prompt(self,prompt,ctx,more): ...")
        + "setattr(C, 'before_prompt', lambda self, prompt: prompt)\n",
        "hook deleted": of_agent("def before_prompt(self,prompt,ctx,more): ...\ndel before_prompt"),
        "hook deleted later": of_agent("def before_prompt(self,prompt,ctx,more): ...") + "del C.before_prompt\n",
        "hook bound twice": of_agent(
            "def before_prompt(self,prompt,ctx,more): ...\ndef before_prompt(self,prompt): ..."
        ),
        "hook taken away": of_agent(
            "before_prompt = None", "class Base:\n    def before_prompt(self,a,b,c): ...", bases="(Base)"
        ),
        "hook on a condition": of_agent("if sys.argv:\n    def before_prompt(self,prompt): ..."),
        "hook in other branch": of_agent(
            "if sys.argv:\n    def before_prompt(self,p): ...\nelse:\n    def before_prompt(self,a,b,c): ..."
        ),
        "hook overloaded": of_agent(
            "@typing.overload\ndef before_prompt(self,a,b,c): ...\n"
            "@typing.overload\ndef before_prompt(self,a,b,c,d): ...\ndef before_prompt(self,*a): ..."
        ),
        "hook by metaclass": of_agent(
            "def before_prompt(self,a,b,c): ...",
            "class M(type):\n    def __new__(m,n,b,d):\n        d.pop('before_prompt',None)\n"
            "        return super().__new__(m,n,b,d)",
            bases="(metaclass=M)",
        ),
        "hook by class decorator": of_agent(
            "def before_prompt(self,a,b,c): ...",
            "def strip(c):\n    del c.before_prompt\n    return c",
            decorators="@strip",
        ),
        "hook by init_subclass": of_agent(
            "def before_prompt(self,a,b,c): ...",
            "class Base:\n    def __init_subclass__(cls):\n        del cls.before_prompt",
            bases="(Base)",
        ),
        "hook static": of_agent("@staticmethod\ndef before_prompt(prompt,ctx): ..."),
        "hook of the class": of_agent("@classmethod\ndef before_prompt(cls,prompt,ctx): ..."),
        "hook static with too many": of_agent("@staticmethod\ndef before_prompt(self,prompt,ctx): ..."),
        "hook as a lambda": of_agent("before_prompt = lambda self, prompt, ctx, more: prompt"),
        "hook as a partial": of_agent("before_prompt = functools.partial(lambda x, prompt, ctx: prompt, 1)"),
        "hook as a property": of_agent("@property\ndef before_prompt(self): return lambda prompt: prompt"),
        "hook as a class": of_agent("class before_prompt:\n    def __init__(self, prompt): ..."),
        "hook as a name": of_agent("before_prompt = given", "def given(self, a, b, c): ..."),
        "hook imported": of_agent("from copy import copy as before_prompt"),
        "hook of AgentHooks": of_agent("def before_prompt(self, prompt, ctx, /): return prompt", bases="(AgentHooks)"),
        "hook with defaults": of_agent("def before_prompt(self, prompt, ctx=None, more=1, *rest, x=2, **y): ..."),
        "hook generator behind a wrapper": of_agent(
            "@collected\ndef before_prompt(self,prompt):\n    yield prompt",
            "def collected(f):\n    return lambda self, prompt: ''.join(f(self, prompt))",
        ),
        "hook generator behind a context manager": of_agent(
            "@contextlib.contextmanager\ndef before_prompt(self,prompt):\n    yield prompt"
        ),
        "hook with a generator inside": of_agent(
            "def before_prompt(self,prompt):\n    def parts():\n        yield prompt\n    return ''.join(parts())"
        ),
        "hook with a generator expression": of_agent(
            "def before_prompt(self,prompt):\n    return ''.join(x for x in prompt)"
        ),
        "hook with a yielding lambda": of_agent("def before_prompt(self,prompt):\n    return (lambda: (yield))"),
        "hook generator cached": of_agent("@functools.cache\ndef before_prompt(self,prompt):\n    yield prompt"),
        "context by alias": of_agent("def before_prompt(self, prompt: Ctx): ...", "Ctx = Context"),
        "context of its own": of_agent("def on_error(self, ctx: Context): ...", "class Context: ..."),
        "context on a condition": of_agent(
            "def on_error(self, ctx: Context): ...", "if sys.argv:\n    class Context: ..."
        ),
        "context beside none": of_agent("def on_error(self, ctx: 'Context | None'): ..."),
        "context in a union": of_agent("def on_error(self, ctx: Context | Exception): ..."),
        "context rebound in the class": of_agent("Context = Exception\ndef on_error(self, error: Context): ..."),
        # -- run
        "run taken away": of_agent(
            "run = None\ndef on_error(self): ...", "class Base:\n    def run(self): ...", bases="(Base)"
        ),
        "run as a property": of_agent("@property\ndef run(self): ...\ndef on_error(self): ..."),
        "run as a value": of_agent("run = 3\ndef on_error(self): ..."),
        "run set later": of_agent("def on_error(self): ...") + "C.run = lambda self: 'x'\n",
        "run deleted": of_agent("def run(self): ...\ndef on_error(self): ...") + "del C.run\n",
        "run wrapped": of_agent("@changed\ndef run(self,a,b): ...\ndef on_error(self): ..."),
        # -- misspelt
        "misspelt and private": of_agent("def _on_error(self): ...\ndef __on_eror(self): ..."),
        "misspelt property": of_agent("@property\ndef on_eror(self): ..."),
        "misspelt cached property": of_agent("@functools.cached_property\ndef on_eror(self): ..."),
        "misspelt field": of_agent("on_eror: int = 3"),
        "misspelt class": of_agent("class on_eror: ..."),
        "misspelt beside the hook of a base": of_agent(
            "def on_eror(self): ...", "class Base:\n    def on_error(self): ...", bases="(Base)"
        ),
        "misspelt beside an unseen base": of_agent("def on_eror(self): ...", bases="(type(S()))"),
        "misspelt and set": of_agent("def on_eror(self): ...") + "C.on_error = C.on_eror\n",
        "misspelt and given": of_agent("def on_eror(self): ...\non_error = on_eror"),
        "misspelt by a decorator": of_agent("@same\ndef on_eror(self): ..."),
        # -- strays
        "marker as a default by another name": of_agent("def __init__(self, s=DEFAULT): ...", "DEFAULT = None"),
        "marker rebound": of_agent("def __init__(self, s=state): ...", "state = 3"),
        "marker rebound later": of_agent("def __init__(self, s=state): ...") + "state = 3\n",
        "marker on a condition": of_agent("def __init__(self, s=state): ...", "if sys.argv:\n    state = None"),
        "marker of the class": of_agent("state = 4\ndef __init__(self, s=state): ..."),
        "function called state": of_agent("def __init__(self, s=state()): ...", "def state(): return 3"),
        "inside an alias": of_agent("def __init__(self, s: A1 = None): ...", "A1 = list[State[S]]"),
        "inside a generic": of_agent(
            "def __init__(self, s: 'Box[State[S]]' = None): ...", "class Box(Generic[V]): ..."
        ),
        "inside, and asked for": of_agent("def __init__(self, s: Annotated[list[State[S]], state]): ..."),
        "wide union of aliases": of_agent("def __init__(self, s: A1 | A2 = None): ...", "A1 = State[S]\nA2 = None"),
        "wide union of one": of_agent("def __init__(self, s: State[S] | State[S] | None = None): ..."),
        "wide union with an unseen arm": of_agent(
            "def __init__(self, s: 'State[S] | Nothing' = None): ...", "Nothing = type(None)"
        ),
        "input shadowed": of_agent("def __init__(self, s: Input[S] = None): ...", "Input = {S: S}"),
        # -- fields
        "field of a dataclass": of_agent("s: State[S]", decorators="@dataclass"),
        "field of a base that is a dataclass": of_agent(
            "t: int = 0", "@dataclass\nclass Base:\n    s: State[S]", decorators="@dataclass", bases="(Base)"
        ),
        "field of an attrs class": of_agent("s: State[S]", "import attrs", decorators="@attrs.define"),
        "field of a pydantic class": of_agent("s: State[S]", "from pydantic import BaseModel", bases="(BaseModel)"),
        "field that is kept": of_agent("_s: State[S]\ndef __init__(self, s: State[S]): self._s = s"),
        "field by a decorator": of_agent(
            "s: State[S]", "def fill(c):\n    c.__init__ = lambda self: None\n    return c", decorators="@fill"
        ),
        "field with a memory": of_agent("m: VectorMemory | None = None\nctx: Context"),
        "field on a condition": of_agent("if not sys.argv:\n    s: State[S]"),
        "field without annotations": of_agent("s: State[S]\n__annotations__ = {}"),
        "field annotated anew": of_agent("s: State[S]\ns: int = 0"),
        # -- tools
        "tool with kwargs of a wrapper": of_tool("@changed\ndef execute(self, *a: int): ..."),
        "tool set later": of_tool("def execute(self, x): ...") + "",
        "tool whose execute is replaced": of_tool("def execute(self, *x): ...\nexecute = lambda self: ''"),
        "tool whose execute is none": of_tool(
            "def execute(self, x: Plain): ...", "class Base:\n    def execute(self, *x): ...", bases="(Base)"
        ),
        "tool with its own schema": """
@Tool(name="t",description="t",schema={"type":"object","properties":{"x":{"type":"string"}},"required":["x"]})
class T:
    def execute(self, x): ...
@Agent(**WITH,tools=[T])
class C: ...
"""
        + FLOW,
        "tool with an unseen schema": """
OPTIONS = {"schema": {"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}}
@Tool(name="t",description="t",**OPTIONS)
class T:
    def execute(self, x): ...
@Agent(**WITH,tools=[T])
class C: ...
"""
        + FLOW,
        "class with a schema": of_tool(
            "def execute(self, x: Own): ...",
            "class Own:\n    @classmethod\n    def __get_pydantic_core_schema__(cls, source, handler):\n"
            "        from pydantic_core import core_schema\n        return core_schema.str_schema()",
        ),
        "class with a schema that is set": of_tool(
            "def execute(self, x: Own): ...",
            "class Own: ...\ndef schema(source, handler):\n    from pydantic_core import core_schema\n"
            "    return core_schema.str_schema()\nOwn.__get_pydantic_core_schema__ = schema",
        ),
        "class with a schema of a base": of_tool(
            "def execute(self, x: Own): ...", "class Own(str): ...\nclass Other(enum.Enum):\n    A = 1"
        ),
        "enum": of_tool("def execute(self, x: Other): ...", "class Other(enum.Enum):\n    A = 1"),
        "typed dict": of_tool(
            "def execute(self, x: Other): ...",
            "from typing_extensions import TypedDict\nclass Other(TypedDict):\n    a: int",
        ),
        "named tuple": of_tool("def execute(self, x: Other): ...", "class Other(typing.NamedTuple):\n    a: int"),
        "pydantic model": of_tool(
            "def execute(self, x: Other): ...", "from pydantic import BaseModel\nclass Other(BaseModel):\n    a: int"
        ),
        "dataclass": of_tool("def execute(self, x: Other): ...", "@dataclass\nclass Other:\n    a: list[int]"),
        "dataclass with class variables": of_tool(
            "def execute(self, x: Other): ...", "@dataclass\nclass Other:\n    a: int\n    b: ClassVar[Plain] = Plain()"
        ),
        "dataclass with a field that isn't taken": of_tool(
            "def execute(self, x: Other): ...",
            "@dataclass\nclass Other:\n    a: int\n    b: Plain = field(init=False, default=None)",
        ),
        "dataclass of dataclasses": of_tool(
            "def execute(self, x: Other): ...",
            "@dataclass\nclass Inner:\n    a: int\n@dataclass\nclass Other:\n    a: Inner\n    b: 'Other' = 3",
        ),
        "dataclass with a plain class": of_tool(
            "def execute(self, x: Other): ...", "@dataclass\nclass Other:\n    a: Plain"
        ),
        "dataclass below another": of_tool(
            "def execute(self, x: Other): ...", "@dataclass\nclass Base:\n    a: Plain\nclass Other(Base): ..."
        ),
        "class with allowed types": of_tool(
            "def execute(self, x: Other): ...",
            "@dataclass\nclass Other:\n    a: Plain\n    __pydantic_config__ = {'arbitrary_types_allowed': True}",
        ),
        "class by a pydantic dataclass": of_tool(
            "def execute(self, x: Other): ...",
            "import pydantic.dataclasses\n@pydantic.dataclasses.dataclass\nclass Other:\n    a: int",
        ),
        "class decorated": of_tool(
            "def execute(self, x: Other): ...",
            "def made(c):\n    return dataclass(c)\n@made\nclass Other:\n    a: int",
        ),
        "class generic": of_tool("def execute(self, x: Box): ...", "class Box(Generic[V]): ..."),
        "class generic of": of_tool("def execute(self, x: 'Box[int]'): ...", "class Box(Generic[V]): ..."),
        "class rebound": of_tool("def execute(self, x: Plain): ...", "Plain = int"),
        "class rebound later": of_tool("def execute(self, x: 'Plain'): ...") + "Plain = int\n",
        "class in a union": of_tool("def execute(self, x: Plain | None = None, y: typing.Union[Plain, int] = 1): ..."),
        "class in containers": of_tool(
            "def execute(self, a: list[Plain], b: dict[str, Plain], c: tuple[int, Plain], d: set[Plain]): ..."
        ),
        "callables": of_tool(
            "def execute(self, a: typing.Callable, b: list[typing.Callable[[], int]],\n"
            "            c: typing.Optional[typing.Callable[[], int]] = None,\n"
            "            d: dict[str, typing.Callable] = {}, e: tuple[typing.Callable, ...] = (),\n"
            "            f: set[typing.Callable] = (), g: typing.Union[typing.Callable, int, str] = 1): ..."
        ),
        "callables left out": of_tool("def execute(self, g: typing.Union[typing.Callable, int, str] = 1): ..."),
        "types of the library": of_tool(
            "def execute(self, a: sqlite3.Connection, b: sqlite3.Cursor, c: socket.socket, d: logging.Logger,\n"
            "            e: asyncio.Queue, f: asyncio.Event, g: asyncio.Lock, h: queue.Queue): ...",
            "import sqlite3, socket, logging, queue",
        ),
        "annotated by the library": of_tool(
            "def execute(self, x: Annotated[Plain, SkipValidation]): ...", "from pydantic import SkipValidation"
        ),
        "annotated with a schema": of_tool(
            "def execute(self, x: Annotated[Plain, Own()], y: Annotated[Plain, 'words']): ...",
            "class Own:\n    def __get_pydantic_core_schema__(self, source, handler):\n"
            "        from pydantic_core import core_schema\n        return core_schema.str_schema()",
        ),
        "input of a dict": of_tool("def execute(self, x: Input[dict[str, int]]): ..."),
        "input of a bare dict": of_tool("def execute(self, x: Input[dict]): ..."),
        "input of a model or none": of_tool(
            "def execute(self, x: Input[Other] | None = None): ...", "@dataclass\nclass Other:\n    a: int = 0"
        ),
        "input of a list": of_tool("def execute(self, x: Input[list]): ..."),
        "input of an alias": of_tool("def execute(self, x: Args): ...", "Args = Input[dict]"),
        "input of a plain class": of_tool("def execute(self, x: Annotated[Plain, input]): ..."),
        "generator behind a wrapper": of_tool(
            "@collected\ndef execute(self, x: int):\n    yield x",
            "def collected(f):\n    @functools.wraps(f)\n    def run(*a, **k): return [*f(*a, **k)]\n    return run",
        ),
        "generator behind a method": of_tool(
            "def execute(self, x: int): return list(self.parts(x))\ndef parts(self, x: int):\n    yield x"
        ),
        "generator that is inherited": of_tool(
            "...", "class Base:\n    async def execute(self, x: int):\n        yield x", bases="(Base)"
        ),
        "runtime in the constructor": of_tool(
            "def __init__(self, runtime: WorkflowRuntime): ...\ndef execute(self): ..."
        ),
        "untyped and injected": of_tool("def execute(self, x: int, ctx: Context, s: State[S]): ..."),
        "untyped": of_tool("def execute(self, x, y=1, *, z=None): ..."),
        "helper with markers": of_tool("def execute(self): ...\ndef help(self, s: State[S], m: VectorMemory): ..."),
        "helper behind a wrapper": of_tool("def execute(self): ...\n@replaced\ndef help(self, s: State[S]): ..."),
        "workflow with a constructor": """
@Workflow(state=S,steps=[A])
class W:
    s: State[S]
    def __init__(self, s: State[S], ctx: Context): ...
    def help(self, s: State[S]): ...
""",
    }.items()
}
