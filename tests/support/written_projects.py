"""Whole projects, written by chance: files, imports, aliases, states, tools, agents, workflows, and mistakes in them.

Nothing here knows what is a mistake: both readers are asked afterwards, and must agree. Only forms are written that the
reader of text promises to see; what it can't see belongs to other tests.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from hypothesis import strategies as st

Draw = Callable[[st.SearchStrategy[Any]], Any]  # of whatever a strategy makes

FRAMEWORK: Final = "thena_runtime"
PROMPT_FILE: Final = "prompts/agent.md"


@dataclass(frozen=True, slots=True)
class Project:
    """The files of a project by their path, and the module that makes its app."""

    files: dict[str, str]
    module: str


@dataclass(slots=True)
class _Module:
    """A module that is being written: what it imports, and its body."""

    path: str
    dotted: str
    framework: str
    postpones: bool
    imports: dict[str, None] = field(default_factory=dict)
    body: list[str] = field(default_factory=list)
    styles: dict[str, str] = field(default_factory=dict)
    bound: dict[str, str] = field(default_factory=dict)

    def use(self, name: str) -> str:
        """A name of the framework, imported as this module does it."""
        match self.framework:
            case "from":
                self.imports[f"from {FRAMEWORK} import {name}"] = None
                return name
            case "renamed":
                self.imports[f"from {FRAMEWORK} import {name} as The_{name}"] = None
                return f"The_{name}"
            case "star" if name not in ("input", "memory"):
                self.imports[f"from {FRAMEWORK} import *"] = None
                return name
            case "module":
                self.imports[f"import {FRAMEWORK}"] = None
                return f"{FRAMEWORK}.{name}"
        self.imports[f"import {FRAMEWORK} as th"] = None
        return f"th.{name}"

    def library(self, module: str, name: str) -> str:
        """A name of the standard library or a third package."""
        self.imports[f"from {module} import {name}"] = None
        return name

    def write(self, *lines: str) -> None:
        self.body += [*lines, "", ""]

    @property
    def text(self) -> str:
        head = ["from __future__ import annotations"] if self.postpones else []
        return "\n".join([*head, *self.imports, "", "", *self.body]).rstrip() + "\n"


@dataclass(slots=True)
class _Writer:
    """Writes one project. Owned by one draw."""

    draw: Draw
    modules: dict[str, _Module] = field(default_factory=dict)
    home: dict[str, str] = field(default_factory=dict)
    count: int = 0

    # -- choices

    def pick(self, *options: str) -> str:
        return str(self.draw(st.sampled_from(options)))

    def likely(self, usual: str, *others: str) -> str:
        """The usual choice most of the time, so that every tenth project or so has no mistake at all."""
        return self.pick(*others) if others and self.draw(st.integers(0, 9)) == 9 else usual

    def chance(self, one_in: int = 4) -> bool:
        return bool(self.draw(st.integers(0, one_in - 1)) == one_in - 1)

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    # -- modules and what they call each other

    def module(self, role: str) -> _Module:
        return self.modules[role]

    def define(self, role: str, name: str) -> None:
        self.home[name] = role

    def name(self, role: str, symbol: str) -> str:
        """What a symbol of the project is called in this module, imported if it is another's."""
        home = self.home[symbol]
        here, there = self.modules[role], self.modules[home]
        if here is there:
            return symbol
        style = here.styles.setdefault(home, self.pick("from", "from", "renamed", "module", "module_renamed", "star"))
        is_package = "." in there.dotted
        package, _, last = there.dotted.rpartition(".")
        relative = is_package and here.dotted.startswith(f"{package}.") and style != "module_renamed"
        source = f".{last}" if relative else there.dotted
        match style:
            case "from":
                here.imports[f"from {source} import {symbol}"] = None
                return symbol
            case "renamed":
                here.imports[f"from {source} import {symbol} as {symbol}_"] = None
                return f"{symbol}_"
            case "star":
                here.imports[f"from {source} import *"] = None
                return symbol
            case "module" if is_package:
                here.imports[f"from {'.' if relative else package} import {last}"] = None
                return f"{last}.{symbol}"
            case "module":
                here.imports[f"import {there.dotted}"] = None
                return f"{there.dotted}.{symbol}"
        here.imports[f"import {there.dotted} as {last or there.dotted}_module"] = None
        return f"{last or there.dotted}_module.{symbol}"


def _layout(writer: _Writer) -> None:
    roles = ("states", "tools", "agents", "flow")
    layout = writer.pick("single", "flat", "package", "pair")
    for role in roles:
        name = {"single": "flow", "pair": "parts" if role in ("states", "tools") else "flow"}.get(layout, role)
        dotted = f"app.{name}" if layout == "package" else name
        known = next((one for one in writer.modules.values() if one.dotted == dotted), None)
        writer.modules[role] = known or _Module(
            path=dotted.replace(".", "/") + ".py",
            dotted=dotted,
            framework=writer.pick("from", "from", "renamed", "star", "module", "module_renamed"),
            postpones=writer.chance(3),
        )


# -- states, data, stores


def _states(writer: _Writer) -> list[str]:
    found = []
    for stem in ("Draft", "Other"):
        module, name = writer.module("states"), writer.fresh(stem)
        writer.define("states", name)
        kind = writer.likely(
            "plain", "dataclass", "pydantic", "frozen", "needs", "abstract", "enum", "derived", "slots"
        )
        match kind:
            case "plain":
                module.write(f"class {name}:", "    done = False", "    count: int = 0")
            case "dataclass":
                decorator = module.library("dataclasses", "dataclass")
                module.write(f"@{decorator}", f"class {name}:", "    done: bool = False")
            case "pydantic":
                base = module.library("pydantic", "BaseModel")
                module.write(f"class {name}({base}):", "    done: bool = False")
            case "frozen":
                decorator = module.library("dataclasses", "dataclass")
                module.write(f"@{decorator}(frozen=True)", f"class {name}:", "    done: bool = False")
            case "needs":
                module.write(
                    f"class {name}:", "    def __init__(self, title: str) -> None:", "        self.done = False"
                )
            case "abstract":
                base = module.library("abc", "ABC")
                mark = module.library("abc", "abstractmethod")
                module.write(
                    f"class {name}({base}):", "    done = False", "", f"    @{mark}", "    def save(self) -> None: ..."
                )
            case "enum":
                base = module.library("enum", "Enum")
                module.write(f"class {name}({base}):", "    done = False")
            case "slots":
                module.write(f"class {name}:", '    __slots__ = ("done",)')
            case _:
                base = found[0] if found else None
                module.write(f"class {name}{f'({base})' if base else ''}:", "    done = False")
        found.append(name)
    return found


def _data(writer: _Writer) -> list[str]:
    module = writer.module("states")
    found = []
    for stem in ("RunData", "OtherData"):
        name = writer.fresh(stem)
        writer.define("states", name)
        module.write(f"class {name}:", "    account = 'acme'")
        found.append(name)
    return found


def _stores(writer: _Writer) -> list[str]:
    module = writer.module("states")
    found: list[str] = []
    for stem in ("Shelf", "Cellar"):
        name = writer.fresh(stem)
        writer.define("states", name)
        base = f"({found[0]})" if found and writer.chance(2) else ""
        methods = [
            f"    async def {method}(self, *args: object) -> object: ..."
            for method in ("ensure_collection", "upsert", "search", "remove", "close")
        ]
        module.write(f"class {name}{base}:", *methods)
        found.append(name)
    return found


# -- annotations


@dataclass(frozen=True, slots=True)
class _World:
    states: list[str]
    data: list[str]
    stores: list[str]


def _quoted(writer: _Writer, annotation: str) -> str:
    return f'"{annotation}"' if '"' not in annotation and writer.chance(5) else annotation


def _state_annotation(writer: _Writer, role: str, world: _World) -> str:
    module = writer.module(role)
    wanted = writer.likely(world.states[0], *world.states)
    state = writer.name(role, wanted)
    match writer.pick("short", "short", "long", "called", "alias", "optional", "union_none"):
        case "short":
            return _quoted(writer, f"{module.use('State')}[{state}]")
        case "long":
            return f"{module.library('typing', 'Annotated')}[{state}, {module.use('state')}]"
        case "called":
            return _quoted(writer, f"{module.library('typing', 'Annotated')}[{state}, {module.use('state')}()]")
        case "alias":
            alias = writer.fresh("Injected")
            module.write(f"{alias} = {module.use('State')}[{state}]")
            return alias
        case "optional":
            return f"{module.library('typing', 'Optional')}[{module.use('State')}[{state}]]"
    return f"{module.use('State')}[{state}] | None"


def _context_annotation(writer: _Writer, role: str, world: _World) -> str:
    module = writer.module(role)
    if writer.chance(3):
        return f"{module.use('Context')}[{writer.name(role, writer.likely(world.data[0], *world.data))}]"
    return _quoted(writer, module.use("Context"))


def _memory_annotation(writer: _Writer, role: str, world: _World) -> str:
    module = writer.module(role)
    match writer.pick("bare", "marked", "store"):
        case "bare":
            return module.use("VectorMemory")
        case "marked":
            return f"{module.library('typing', 'Annotated')}[{module.use('VectorMemory')}, {module.use('memory')}()]"
    store = writer.name(role, writer.pick(*world.stores))
    marker = f"{module.use('memory')}({store})"
    return f"{module.library('typing', 'Annotated')}[{module.use('VectorMemory')}, {marker}]"


def _input_annotation(writer: _Writer, role: str, world: _World) -> str:
    module = writer.module(role)
    match writer.likely("pydantic", "dataclass", "plain", "scalar"):
        case "scalar":
            inner = "int"
        case "plain":
            inner = writer.name(role, world.data[0])
        case "dataclass":
            inner = writer.fresh("Args")
            module.write(f"@{module.library('dataclasses', 'dataclass')}", f"class {inner}:", "    path: str")
        case _:
            inner = writer.fresh("Args")
            module.write(f"class {inner}({module.library('pydantic', 'BaseModel')}):", "    path: str")
    return f"{module.use('Input')}[{inner}]"


def _parameter(writer: _Writer, role: str, world: _World, kind: str, name: str) -> str:
    module = writer.module(role)
    match kind:
        case "state":
            text = f"{name}: {_state_annotation(writer, role, world)}"
            return f"{text} = None" if writer.chance(6) else text
        case "context":
            return f"{name}: {_context_annotation(writer, role, world)}"
        case "memory":
            text = f"{name}: {_memory_annotation(writer, role, world)}"
            return f"{text} = None" if writer.chance(6) else text
        case "runtime":
            return f"{name}: {module.use('WorkflowRuntime')}"
        case "input":
            return f"{name}: {_input_annotation(writer, role, world)}"
        case "typed":
            return f"{name}: {writer.pick('str', 'int', 'list[str]', 'dict[str, int]', 'str | None', 'bool')}"
        case "default":
            return f"{name}: int = 3"
        case "untyped":
            return name
        case "callable":
            return f"{name}: {module.library('collections.abc', 'Callable')}[[int], int]"
        case "unmarked":
            return f"{name}: {writer.name(role, world.states[0])}"
        case "inside":
            return f"{name}: list[{module.use('State')}[{writer.name(role, world.states[0])}]]"
        case "two":
            state = writer.name(role, world.states[0])
            return (
                f"{name}: {module.library('typing', 'Annotated')}[{state}, {module.use('state')}(), "
                f"{module.use('context')}()]"
            )
        case "args":
            return f"*{name}"
        case "kwargs":
            return f"**{name}"
    raise AssertionError(kind)


_ORDER: Final = ("args", "kwargs")


def _parameters(writer: _Writer, role: str, world: _World, kinds: Sequence[str], *, methods: bool = True) -> str:
    written = [_parameter(writer, role, world, kind, writer.fresh("p")) for kind in kinds]
    plain = [one for one in written if not one.startswith("*") and "=" not in one]
    defaults = [one for one in written if not one.startswith("*") and "=" in one]
    stars = sorted({one[: one.count("*")]: one for one in written if one.startswith("*")}.values(), key=len)
    lone = [one for one in stars if not one.startswith("**")]
    double = [one for one in stars if one.startswith("**")]
    keyword = ["*"] if plain and not lone and writer.chance(6) else []
    positional = plain[:-1] if keyword else plain
    only = plain[-1:] if keyword else []
    return ", ".join([*(["self"] if methods else []), *positional, *defaults, *lone, *keyword, *only, *double])


# -- tools

_ARGUMENTS: Final = (
    *("typed", "typed", "typed", "default", "state", "state", "context", "memory"),
    *("untyped", "input", "callable", "unmarked", "inside", "two", "args", "kwargs", "runtime"),
)


def _execute_kinds(writer: _Writer) -> list[str]:
    if writer.chance(5):
        return ["input", *(["context"] if writer.chance(2) else []), *(["typed"] if writer.chance(5) else [])]
    usual = ["typed", *(["state"] if writer.chance(3) else []), *(["context"] if writer.chance(3) else [])]
    return [*usual, writer.pick(*_ARGUMENTS)] if writer.chance(3) else usual


def _execute(writer: _Writer, role: str, world: _World) -> list[str]:
    parameters = _parameters(writer, role, world, _execute_kinds(writer))
    prefix = writer.pick("async def", "def")
    body = writer.likely("return 'done'", "yield 'done'")
    return [f"    {prefix} execute({parameters}) -> object:", f"        {body}"]


def _tool(writer: _Writer, world: _World) -> str:
    role, module = "tools", writer.module("tools")
    if writer.chance(5):
        return _function_tool(writer, world)
    name = writer.fresh("Read")
    options = [f"name={writer.likely(repr(name.lower()), repr('read it'), repr('same'))}", "description='Reads.'"]
    if writer.chance(10):
        options[1] = writer.pick("description=''", "descripton='Reads.'", "description='Reads.', repeatabel=True")
    base = ""
    if writer.chance(5):
        base_name, base_role = writer.fresh("Base"), writer.pick("states", "tools")
        lines = _execute(writer, base_role, world)
        writer.define(base_role, base_name)
        writer.module(base_role).write(f"class {base_name}:", *lines)
        base = f"({writer.name(role, base_name)})"
    lines = []
    if writer.chance(4):
        kinds = [writer.likely("runtime", "state", "typed", "default", "memory", "context", "input")]
        lines += [f"    def __init__({_parameters(writer, role, world, kinds)}) -> None: ...", ""]
    if not base and not writer.chance(15):
        lines += _execute(writer, role, world)
    if writer.chance(12):
        state = writer.name(role, world.states[0])
        lines += ["", f"    field: {module.use('State')}[{state}]"]
    writer.define(role, name)
    decorator = writer.likely("call", "call", "call", "bare")
    head = f"@{module.use('Tool')}({', '.join(options)})" if decorator == "call" else f"@{module.use('Tool')}"
    second = [f"@{module.use('Agent')}(prompt='x')"] if writer.chance(25) else []
    module.write(*second, head, f"class {name}{base}:", *(lines or ["    pass"]))
    return name


def _function_tool(writer: _Writer, world: _World) -> str:
    name, module = writer.fresh("search"), writer.module("tools")
    parameters = _parameters(writer, "tools", world, _execute_kinds(writer), methods=False)
    doc = [writer.likely('    """Looks for something."""', "    # nothing said")]
    writer.define("tools", name)
    decorated = [f"@{module.use('Tool')}(name='x', description='y')"] if writer.chance(15) else []
    module.write(*decorated, f"{writer.pick('async def', 'def')} {name}({parameters}) -> str:", *doc, "    return ''")
    return name


# -- agents


def _provider(writer: _Writer, role: str) -> str:
    module = writer.module(role)
    scripted = f"{module.use('ScriptedProvider')}(['ok'])"
    match writer.likely("instance", "name", "lambda", "function", "class", "value", "needs", "empty"):
        case "instance":
            return scripted
        case "name":
            name = writer.fresh("model")
            module.write(f"{name} = {scripted}")
            return name
        case "lambda":
            return f"lambda: {scripted}"
        case "function":
            name = writer.fresh("make")
            module.write(f"def {name}():", f"    return {scripted}")
            return name
        case "needs":
            name = writer.fresh("make")
            module.write(f"def {name}(key: str):", f"    return {scripted}")
            return name
        case "class" | "empty" as kind:
            name = writer.fresh("Model")
            complete = "    async def complete(self, request, emit): ..." if kind == "class" else "    pass"
            module.write(f"class {name}:", complete, "    async def close(self): ..." if kind == "class" else "")
            return name
    return writer.pick("5", "'gpt'", "None")


_HOOKS: Final = ("before_prompt", "before_tool", "after_tool", "after_response", "on_error")


def _hook(writer: _Writer, world: _World) -> list[str]:
    name = writer.pick(*_HOOKS)
    name = writer.likely(name, name + "s", name.title().replace("_", ""), name.replace("_", ""))
    count = int(writer.likely("1", "0", "2", "2", "3"))
    parameters = ["self", *(f"a{index}" for index in range(count))]
    if count == 2 and writer.chance(3):
        parameters[2] += f": {_context_annotation(writer, 'agents', world)}"
    if count and writer.chance(8):
        parameters[1] += f": {_context_annotation(writer, 'agents', world)}"
    if count and writer.chance(12):
        parameters[-1] += f": {_state_annotation(writer, 'agents', world)}"
    body = writer.likely("return None", "yield None")
    return [f"    {writer.pick('async def', 'def')} {name}({', '.join(parameters)}):", f"        {body}"]


def _agent(writer: _Writer, world: _World, tools: Sequence[str]) -> str:
    role, module = "agents", writer.module("agents")
    name = writer.fresh("Writer")
    options = [f"provider={_provider(writer, role)}"]
    prompt = writer.likely("text", "file", "lost", "none", "empty", "value")
    prompts = {
        "text": f"prompt={module.use('Prompt')}('Write.')",
        "file": f"prompt='{PROMPT_FILE}'",
        "lost": "prompt='./lost.agent.md'",
        "empty": f"prompt={module.use('Prompt')}('')",
        "value": "prompt=7",
    }
    options += [prompts[prompt]] if prompt in prompts else []
    if tools:
        options.append(f"tools={_tool_list(writer, tools)}")
    if writer.chance(10):
        options.append(writer.pick("tool_calls='every'", "tool_calls='all'", "sampling=3", "promt='x'", "repeat=True"))
    dataclass_head: list[str] = []
    lines: list[str] = []
    kinds = [
        writer.pick("state", "memory", "state", "default", "typed", "untyped", "context", "runtime", "input", "kwargs")
        for _ in range(int(writer.likely("1", "0", "2")))
    ]
    match writer.pick("init", "init", "dataclass", "none", "base"):
        case "init":
            lines += [f"    def __init__({_parameters(writer, role, world, kinds)}) -> None: ..."]
        case "dataclass":
            dataclass_head = [f"@{module.library('dataclasses', 'dataclass')}"]
            kept = [kind for kind in kinds if kind not in ("untyped", "kwargs")]
            texts = [_parameter(writer, role, world, kind, writer.fresh("f")) for kind in kept]
            lines += [f"    {one}" for one in sorted(texts, key=lambda one: "=" in one)]
        case "base":
            base_role, base_name = writer.pick("states", "tools", "agents"), writer.fresh("AgentBase")
            head = f"    def __init__({_parameters(writer, base_role, world, kinds)}) -> None: ..."
            writer.define(base_role, base_name)
            writer.module(base_role).write(f"class {base_name}:", head)
            return _write_agent(writer, name, options, [], lines, f"({writer.name(role, base_name)})", world)
    return _write_agent(writer, name, options, dataclass_head, lines, "", world)


def _write_agent(
    writer: _Writer,
    name: str,
    options: Sequence[str],
    dataclass_head: Sequence[str],
    lines: list[str],
    base: str,
    world: _World,
) -> str:
    module = writer.module("agents")
    for _ in range(int(writer.likely("0", "1", "1", "2"))):
        lines += ["", *_hook(writer, world)]
    if writer.chance(8):
        parameters = writer.pick("self, input, ctx", "self", "self, input", "self, input, ctx, more")
        lines += ["", f"    async def run({parameters}):", "        return 'x'"]
    if not base and writer.chance(20):
        base = f"({module.library('abc', 'ABC')})"
        lines += ["", f"    @{module.library('abc', 'abstractmethod')}", "    def later(self) -> None: ..."]
    bare = writer.chance(25)
    head = f"@{module.use('Agent')}" if bare else f"@{module.use('Agent')}({', '.join(options)})"
    writer.define("agents", name)
    module.write(head, *dataclass_head, f"class {name}{base}:", *(lines or ["    pass"]))
    return name


def _tool_list(writer: _Writer, tools: Sequence[str]) -> str:
    names = [writer.name("agents", tool) for tool in tools]
    entries = [f"{name}()" if name.split(".")[-1].startswith("Read") and writer.chance(8) else name for name in names]
    if writer.chance(15):
        entries.append(writer.pick("5", "'read'", "print", "object"))
    return _list(writer, "agents", entries)


def _list(writer: _Writer, role: str, entries: Sequence[str]) -> str:
    literal = f"[{', '.join(entries)}]"
    match writer.likely("list", "tuple", "name", "sum", "unpacked", "copied"):
        case "list":
            return literal
        case "tuple":
            return f"({', '.join(entries)},)" if entries else "()"
        case "name":
            name = writer.fresh("LIST")
            writer.module(role).write(f"{name} = {literal}")
            return name
        case "sum":
            return f"[{', '.join(entries[:1])}] + [{', '.join(entries[1:])}]"
        case "unpacked":
            return f"[*{literal}]"
    return f"list({literal})"


# -- workflows


def _until(writer: _Writer, world: _World) -> str | None:
    module = writer.module("flow")
    name = writer.fresh("until")
    annotated = f"s: {writer.name('flow', writer.likely(world.states[0], *world.states))}"
    functions = {
        "one": "def {}(ctx): return True",
        "two": "def {}(ctx, s): return s.done",
        "annotated": f"def {{}}(ctx, {annotated}): return s.done",
        "three": "def {}(ctx, s, more): return True",
        "none": "def {}(): return True",
        "default": "def {}(ctx, s=None): return True",
        "star": "def {}(*args): return True",
        "keyword": "def {}(ctx, *, s): return True",
        "positional": "def {}(ctx, s, /): return True",
        "async": "async def {}(ctx, s): return s.done",
        "generator": "def {}(ctx): yield True",
    }
    kind = writer.pick(
        *functions, "lambda", "lambda2", "lambda3", "partial", "method", "object", "class", "missing", "value", "ready"
    )
    if kind in functions:
        module.write(functions[kind].format(name))
        return name
    match kind:
        case "lambda":
            return "lambda ctx: True"
        case "lambda2":
            return "lambda ctx, s: s.done"
        case "lambda3":
            return "lambda ctx, s, more: True"
        case "partial":
            module.write(f"def {name}(limit, ctx, s): return s.done")
            return f"{module.library('functools', 'partial')}({name}, {writer.pick('3', 'limit=3', '3, s=1')})"
        case "method" | "object" | "class":
            cls = writer.fresh("Done")
            method = "check" if kind == "method" else "__call__"
            module.write(f"class {cls}:", f"    def {method}(self, ctx{writer.pick('', ', s')}): return True")
            return {"method": f"{cls}().check", "object": f"{cls}()", "class": cls}[kind]
        case "value":
            return writer.pick("True", "3", "'done'")
        case "ready":
            return module.use("until_answered")
    return None


def _loop(writer: _Writer, world: _World, agents: Sequence[str], depth: int) -> str:
    module = writer.module("flow")
    given = [_steps(writer, world, agents, depth + 1)]
    until = _until(writer, world)
    given += [] if until is None else [f"until={until}"]
    if writer.chance(4):
        given.append(f"max_iterations={writer.pick('3', '0', '-1', 'None', '1')}")
    if writer.chance(6):
        given.append(f"max_fails={writer.pick('3', '0', 'None')}")
    if writer.chance(5):
        name = writer.fresh("callback")
        module.write(f"def {name}({writer.pick('', 'a', 'a, b', 'a, b, c', '*a')}): ...")
        given.append(f"{writer.pick('on_exhausted', 'on_fail')}={writer.likely(name, '5')}")
    if writer.chance(6):
        given.append(f"state={writer.name('flow', writer.pick(*world.states))}")
    if writer.chance(12):
        given.append("max_iteration=3")
    return f"{module.use('loop')}({', '.join(given)})"


def _step(writer: _Writer, world: _World, agents: Sequence[str], depth: int) -> str:
    module = writer.module("flow")
    kind = writer.likely("agent", "loop", "loop", "parallel", "other") if depth < 2 else "agent"
    match kind:
        case "loop":
            return _loop(writer, world, agents, depth)
        case "parallel":
            return f"{module.use('parallel')}({_steps(writer, world, agents, depth + 1)})"
        case "other" if writer.chance(2):
            return writer.pick("5", "print", "'agent'", "object", writer.name("flow", world.data[0]))
    return writer.name("flow", writer.pick(*agents))


def _steps(writer: _Writer, world: _World, agents: Sequence[str], depth: int = 0) -> str:
    count = int(writer.likely("1", "2", "2", "0"))
    return _list(writer, "flow", [_step(writer, world, agents, depth) for _ in range(count)])


def _workflow(writer: _Writer, world: _World, agents: Sequence[str]) -> str:
    module, name = writer.module("flow"), writer.fresh("Flow")
    options = []
    match writer.pick("state", "state", "state", "none", "missing", "value"):
        case "state":
            options.append(f"state={writer.name('flow', writer.likely(world.states[0], *world.states))}")
        case "none":
            options.append("state=None")
        case "value" if writer.chance(4):
            options.append("state=5")
    if not writer.chance(20):
        options.append(f"steps={_steps(writer, world, agents)}")
    if writer.chance(20):
        options.append("step=[]")
    writer.define("flow", name)
    body = ["    pass"]
    if writer.chance(15):
        body = [f"    def __init__(self, s: {_state_annotation(writer, 'flow', world)}) -> None: ..."]
    module.write(f"@{module.use('Workflow')}({', '.join(options)})", f"class {name}:", *body)
    return name


def _app(writer: _Writer, world: _World, workflow: str) -> None:
    module = writer.module("flow")
    stores = [writer.name("flow", store) for store in world.stores]
    given = [workflow]
    match writer.pick("none", "empty", "memory", "one", "two", "named"):
        case "empty":
            given.append(f"{module.use('ThenaConfig')}()")
        case "memory":
            given.append(f"{module.use('ThenaConfig')}(memory=[])")
        case "one":
            given.append(f"{module.use('ThenaConfig')}(memory=[{stores[1]}])")
        case "two":
            given.append(f"{module.use('ThenaConfig')}(memory=[{', '.join(stores)}])")
        case "named":
            name = writer.fresh("config")
            module.write(f"{name} = {module.use('ThenaConfig')}(memory=[{stores[0]}])")
            given.append(name)
    if writer.chance(3):
        given.append(f"data={writer.name('flow', writer.likely(world.data[0], *world.data))}")
    module.write(f"app = {module.use('Thena')}({', '.join(given)})")


@st.composite
def projects(draw: Draw) -> Project:
    """A project whose last line makes its app."""
    writer = _Writer(draw)
    _layout(writer)
    world = _World(_states(writer), _data(writer), _stores(writer))
    tools = [_tool(writer, world) for _ in range(int(writer.likely("1", "0", "2")))]
    agents = [_agent(writer, world, tools if index == 0 else ()) for index in range(int(writer.pick("1", "2")))]
    workflow = _workflow(writer, world, agents)
    if writer.chance(4):
        workflow = _workflow(writer, world, [*agents, workflow])
    _app(writer, world, workflow)
    files = {one.path: one.text for one in writer.modules.values()}
    if any("/" in path for path in files):
        files["app/__init__.py"] = ""
    folder = "app/" if "app/__init__.py" in files else ""
    files[f"{folder}{PROMPT_FILE}"] = "Write.\n"
    return Project(files, writer.module("flow").dotted)
