"""What the user wrote, as neutral frozen data: the input of every rule.

Two readers make these values, one from class objects and one from text. A part that a reader can't see is
`UNKNOWN`, and a rule that meets it says nothing.
"""

from collections.abc import Collection, Iterator
from enum import Enum
from typing import Final, Literal

from thena_contract.anchor import Anchor, Ref
from thena_contract.frozen import frozen
from thena_contract.vocabulary import RequestKind


class Unknown(Enum):
    """The type of `UNKNOWN`: a value that a reader can't see. It is neither true nor false."""

    UNKNOWN = "unknown"

    def __bool__(self) -> bool:
        raise TypeError("UNKNOWN is neither true nor false; compare it with `is`")


UNKNOWN: Final = Unknown.UNKNOWN


class ParamKind(Enum):
    """How an argument reaches a parameter; the values are those of `inspect`."""

    POSITIONAL_ONLY = 0
    POSITIONAL_OR_KEYWORD = 1
    VAR_POSITIONAL = 2
    KEYWORD_ONLY = 3
    VAR_KEYWORD = 4


_LONGEST_LITERAL: Final = 40

PLAIN_TYPES: Final = frozenset({"NoneType", "bool", "int", "float", "str", "list", "dict"})
"""The types of values of which texts say what to write for them."""

POSITIONAL: Final = frozenset({ParamKind.POSITIONAL_ONLY, ParamKind.POSITIONAL_OR_KEYWORD})


ThingKind = Literal["class", "agent", "tool", "workflow", "instance", "function", "block", "value"]


@frozen(kw_only=True)
class Thing:
    """Something that a user gave, as its author would recognise it.

    `name` is a class's or function's own, an instance's class's, a value's type's, or `loop` or `parallel` of a block.
    `literal` is the value itself where it is a short string or a whole number, `None` where texts don't show it.
    """

    kind: ThingKind
    name: str
    literal: str | int | Unknown | None = None

    @property
    def text(self) -> str:
        """What texts call it; its literal isn't told."""
        match self.kind:
            case "class" | "agent" | "tool" | "workflow" | "function":
                return f"the {self.kind} `{self.name}`"
            case "instance":
                return f"an instance of `{self.name}`"
            case "block":
                return f"a `{self.name}`"
            case "value" if self.name == "NoneType":
                return "`None`"
            case "value":
                return f"a value of type `{self.name}`"

    @property
    def text_as_entry(self) -> str:
        """What texts call it among things that should have been declared."""
        return f"the undecorated class `{self.name}`" if self.kind == "class" else self.text

    @property
    def text_as_value(self) -> str:
        """What texts call it where its literal matters, which is told then."""
        match self.literal:
            case str(literal):
                return f'`"{literal}"`'
            case int(literal):
                return f"`{literal}`"
        return self.text


def literal_of(value: object) -> str | int | None:
    """The value itself, if texts may show it: a whole number, or a string that is short and in one line."""
    if type(value) is int:
        return value
    if isinstance(value, str) and len(value) <= _LONGEST_LITERAL and value.isprintable():
        return str.__str__(value)
    return None


@frozen(kw_only=True)
class OptionDecl:
    """One option by its name, and its value as far as it can be told what that is."""

    name: str
    value: Thing | Unknown = UNKNOWN


@frozen(kw_only=True)
class Given:
    """What a decorator, `loop`, `parallel` or `ThenaConfig` was given.

    `unnamed` counts what was given by position beside the steps. Where not all can be seen (`**options`), `is_whole` is
    false, and those that are seen are certain all the same.
    """

    options: tuple[OptionDecl, ...] = ()
    unnamed: int = 0
    is_whole: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the options that are seen."""
        return tuple(option.name for option in self.options)

    def has_only(self, known: Collection[str]) -> bool:
        """Say whether nothing else was given that may have been meant for one of these options."""
        return self.is_whole and self.unnamed == 0 and set(self.names) <= set(known)

    def value(self, name: str) -> Thing | Unknown | None:
        """The value of an option; `None` where it certainly isn't given."""
        for option in self.options:
            if option.name == name:
                return option.value
        return None if self.is_whole else UNKNOWN


@frozen(kw_only=True)
class ClassDecl:
    """A class that stands for a type: a state, a store, the app's data. `bases` are all above it but `object`."""

    ref: Ref
    bases: tuple[Ref, ...] | Unknown = UNKNOWN

    def is_a(self, wanted: Ref) -> bool | Unknown:
        """Say whether this is the wanted class or derived from it."""
        if wanted in (self.ref, Ref("builtins", "object")):
            return True
        return UNKNOWN if self.bases is UNKNOWN else wanted in self.bases


ShapeKind = Literal["plain", "abstract", "enum", "protocol", "typed_dict"]


@frozen(kw_only=True)
class Shape:
    """Whether objects can be made of a class. `missing` is a method that an abstract class leaves to others.

    `new` is what its own `__new__` takes; `None` where that is Python's.
    """

    kind: ShapeKind = "plain"
    missing: str | None = None
    new: "Signature | Unknown | None" = None

    @property
    def text(self) -> str:
        """What texts call a class of this shape."""
        match self.kind:
            case "plain":
                return "a plain class"
            case "abstract":
                return f"abstract: it has no `{self.missing}` of its own"
            case "enum":
                return "an `Enum`, which has its members and no other objects"
            case "protocol":
                return "a `Protocol`, which only describes other classes"
            case "typed_dict":
                return "a `TypedDict`, which only describes dicts"


@frozen
class Request:
    """What one marker asks for, or a type that can mean only one thing (then it isn't marked).

    `of` is the class inside `State[...]`, `Context[...]` or `Input[...]`, or the store of a memory; `None` where none
    is named, `UNKNOWN` where it can't be compared with another (`Any`, a `Protocol`, a type variable, a union).
    """

    kind: RequestKind
    of: Ref | Unknown | None = None
    is_marked: bool = True

    @property
    def text(self) -> str:
        """What texts call it."""
        if self.kind is RequestKind.MEMORY:
            return f"the memory over `{self.of.name}`" if isinstance(self.of, Ref) else "a memory"
        return {
            RequestKind.STATE: "the state",
            RequestKind.CONTEXT: "the context",
            RequestKind.INPUT: "the input",
            RequestKind.RUNTIME: "the workflow runtime",
        }[self.kind]


@frozen(kw_only=True)
class AnnotationDecl:
    """What a parameter is annotated with.

    `of` is the class that it names, alone or beside `None`. `missing` are the names in it that can't be evaluated when
    the app is made. `has_schema` says whether a model can be told of the type, without the markers.
    """

    of: Ref | Unknown = UNKNOWN
    missing: tuple[str, ...] | Unknown = UNKNOWN
    has_schema: bool | Unknown = UNKNOWN


@frozen(kw_only=True)
class StrayMarker:
    """A marker that is written where it asks for nothing.

    As a default value, as the whole annotation, or inside another type (`list[State[S]]`, `State[S] | int`).
    """

    kind: RequestKind
    where: Literal["default", "annotation", "inside"]


@frozen(kw_only=True)
class ParamDecl:
    """One parameter. `index` counts from 0 without `self`. `requests` is empty when it asks for nothing.

    `annotation`, `stray` and `default` are `None` where it has none. The default is told by its type's name, if that is
    one of `PLAIN_TYPES`.
    """

    name: str
    index: int
    kind: ParamKind
    has_default: bool
    requests: tuple[Request, ...] | Unknown
    anchor: Anchor
    annotation: AnnotationDecl | Unknown | None = UNKNOWN
    stray: StrayMarker | Unknown | None = UNKNOWN
    default: str | Unknown | None = UNKNOWN

    def asked(self) -> tuple[Request, ...]:
        """What the parameter certainly asks for."""
        return () if self.requests is UNKNOWN else self.requests

    def asks_for(self, kind: RequestKind) -> bool:
        """Say whether the parameter certainly asks for this."""
        return any(request.kind is kind for request in self.asked())

    @property
    def has_schema(self) -> bool | Unknown:
        """Say whether a model can be told of its type."""
        return self.annotation.has_schema if isinstance(self.annotation, AnnotationDecl) else UNKNOWN

    @property
    def is_variadic(self) -> bool:
        """Say whether it takes any number of arguments."""
        return self.kind in (ParamKind.VAR_POSITIONAL, ParamKind.VAR_KEYWORD)

    @property
    def is_required(self) -> bool:
        """Say whether a call without it fails."""
        return not self.has_default and not self.is_variadic


@frozen(kw_only=True)
class Signature:
    """The parameters of a callable, without the bound first one. `subject` is what texts call it: `Search.execute`.

    `makes_object` says that it is a class, whose objects all count as true.
    """

    subject: str
    params: tuple[ParamDecl, ...] = ()
    is_generator: bool | Unknown = UNKNOWN
    makes_object: bool | Unknown = False

    @property
    def positional(self) -> tuple[ParamDecl, ...]:
        """The parameters that a positional argument can fill."""
        return tuple(param for param in self.params if param.kind in POSITIONAL)

    @property
    def required_positional(self) -> tuple[ParamDecl, ...]:
        """Those of them without a default."""
        return tuple(param for param in self.positional if not param.has_default)

    @property
    def required_keyword(self) -> tuple[ParamDecl, ...]:
        """The keyword-only parameters without a default."""
        kind = ParamKind.KEYWORD_ONLY
        return tuple(param for param in self.params if param.kind is kind and not param.has_default)

    @property
    def takes_any_positional(self) -> bool:
        """Say whether there is a `*args`."""
        return any(param.kind is ParamKind.VAR_POSITIONAL for param in self.params)


Called = Signature | Thing | Unknown | None
"""Something that is called: its signature, a thing that can't be called, or nothing."""


@frozen(kw_only=True)
class MethodDecl:
    """A method of an agent, tool or workflow, hooks included; of a base only what the project's own bases define.

    Methods with two underscores at both ends aren't among them, but a workflow's constructor. Of what isn't a method,
    only what has the name of one that the runtime calls.

    It `is_mentioned` where the name is that of a hook or resembles one, and other methods of the class speak of it, so
    that they may call it themselves.
    """

    name: str
    called: Signature | Thing | Unknown
    anchor: Anchor
    is_mentioned: bool | Unknown = False


@frozen(kw_only=True)
class FieldDecl:
    """An annotation in a class body that the constructor doesn't take as a parameter."""

    name: str
    requests: tuple[Request, ...] | Unknown
    anchor: Anchor


@frozen(kw_only=True)
class PromptFile:
    """`prompt="./x.agent.md"` as written, and whether the file stands beside the agent's file."""

    literal: str
    exists: bool | Unknown


@frozen(kw_only=True)
class PromptText:
    """`prompt=Prompt("...")`: inline text."""

    is_empty: bool | Unknown = UNKNOWN


@frozen(kw_only=True)
class BareDecl:
    """A decorator that declares nothing: on a function, or on a class without its call."""

    ref: Ref
    decorator: str
    on: Literal["class", "function"]

    @property
    def anchor(self) -> Anchor:
        """The class or function itself."""
        return Anchor(self.ref)


@frozen(kw_only=True)
class ProviderDecl:
    """What `provider=` was given, where it may be one. `call` is how a class or factory is called; `None` else."""

    thing: Thing
    call: Signature | Unknown | None
    has_complete: bool | Unknown
    shape: Shape | Unknown = UNKNOWN


@frozen(kw_only=True)
class ToolDecl:
    """A `@Tool` class (or a plain function used as a tool), and what its constructor and `execute` ask for.

    `name` and `description` are `None` where missing. `decorators` are those of ours that stand on the class, the one
    that counts first. `has_own_schema` says that `schema=` tells the model what to send.
    """

    ref: Ref
    constructor: Signature | Unknown
    execute: Called
    name: str | Thing | Unknown | None = UNKNOWN
    description: str | Thing | Unknown | None = UNKNOWN
    has_own_schema: bool | Unknown = UNKNOWN
    is_function: bool = False
    given: Given | Unknown = UNKNOWN
    decorators: tuple[str, ...] | Unknown = UNKNOWN
    shape: Shape | Unknown = UNKNOWN
    methods: tuple[MethodDecl, ...] | Unknown = UNKNOWN
    fields: tuple[FieldDecl, ...] | Unknown = UNKNOWN

    # All that it holds would have to be looked at, for a number that its name gives as well.
    def __hash__(self) -> int:
        return hash(self.ref)

    @property
    def anchor(self) -> Anchor:
        """The class or function itself."""
        return Anchor(self.ref)


@frozen(kw_only=True)
class ToolEntry:
    """One entry of an agent's `tools=`; a `Thing` is certainly no tool."""

    tool: ToolDecl | BareDecl | Thing | Unknown
    anchor: Anchor


@frozen(kw_only=True)
class AgentDecl:
    """An `@Agent` class. `prompt` and `provider` are `None` where missing; a `Thing` is certainly of the wrong kind.

    `sampling` is a `Thing` where it is no mapping, and `None` where it is one or not given.
    """

    ref: Ref
    prompt: PromptFile | PromptText | Thing | Unknown | None
    tools: tuple[ToolEntry, ...] | Thing | Unknown
    constructor: Signature | Unknown
    provider: ProviderDecl | Thing | Unknown | None = UNKNOWN
    sampling: Thing | Unknown | None = UNKNOWN
    given: Given | Unknown = UNKNOWN
    decorators: tuple[str, ...] | Unknown = UNKNOWN
    shape: Shape | Unknown = UNKNOWN
    methods: tuple[MethodDecl, ...] | Unknown = UNKNOWN
    fields: tuple[FieldDecl, ...] | Unknown = UNKNOWN

    # As of a tool: what it holds needn't be looked at.
    def __hash__(self) -> int:
        return hash(self.ref)

    @property
    def anchor(self) -> Anchor:
        """The class itself."""
        return Anchor(self.ref)

    @property
    def entries(self) -> tuple[ToolEntry, ...]:
        """The entries of `tools=` that are seen."""
        return self.tools if isinstance(self.tools, tuple) else ()

    def method(self, name: str) -> MethodDecl | Unknown | None:
        """The method of this name; `None` where there is certainly none."""
        if self.methods is UNKNOWN:
            return UNKNOWN
        return next((method for method in self.methods if method.name == name), None)


@frozen(kw_only=True)
class AgentStep:
    """An agent class in a list of steps."""

    agent: AgentDecl
    anchor: Anchor


@frozen(kw_only=True)
class NestedStep:
    """A workflow class in a list of steps: a nested run, judged on its own.

    `reaches` are the workflows that it is known to contain, at any depth: itself among them if it comes back to itself.
    """

    workflow: Ref
    anchor: Anchor
    reaches: tuple[Ref, ...] = ()


@frozen(kw_only=True)
class LoopStep:
    """`loop([...], until=...)`. What is `None` isn't given. `state` is what `loop(state=...)` names."""

    steps: "Steps"
    until: Called
    anchor: Anchor
    given: Given | Unknown = UNKNOWN
    on_exhausted: Called = UNKNOWN
    on_fail: Called = UNKNOWN
    state: ClassDecl | Thing | Unknown | None = UNKNOWN


@frozen(kw_only=True)
class ParallelStep:
    """`parallel([...])`."""

    steps: "Steps"
    anchor: Anchor
    given: Given | Unknown = UNKNOWN


@frozen(kw_only=True)
class BareStep:
    """A class or function in a list of steps whose decorator declares nothing."""

    bare: BareDecl
    anchor: Anchor


@frozen(kw_only=True)
class OtherStep:
    """Something that is certainly no step."""

    thing: Thing
    anchor: Anchor


@frozen(kw_only=True)
class UnknownStep:
    """A step, or any number of them, that a reader can't see."""

    anchor: Anchor


StepDecl = AgentStep | NestedStep | LoopStep | ParallelStep | BareStep | OtherStep | UnknownStep

Steps = tuple[StepDecl, ...] | Thing | None
"""A list of steps; something that is no list; or nothing."""


def walk(steps: Steps) -> Iterator[StepDecl]:
    """Every step, outer ones before those inside them."""
    for step in steps if isinstance(steps, tuple) else ():
        yield step
        if isinstance(step, LoopStep | ParallelStep):
            yield from walk(step.steps)


@frozen(kw_only=True)
class StateDecl(ClassDecl):
    """The class of a workflow's state, of which every run makes an object without arguments.

    `uncopied` is a class attribute of which no run can be given its own copy; only a copy can show it.
    """

    shape: Shape | Unknown = UNKNOWN
    constructor: Signature | Unknown = UNKNOWN
    is_frozen: bool | Unknown = UNKNOWN
    uncopied: str | Unknown | None = UNKNOWN


@frozen(kw_only=True)
class WorkflowDecl:
    """A `@Workflow` class. `state` is `None` where none is declared, and a `Thing` where it is no class."""

    ref: Ref
    state: StateDecl | Thing | Unknown | None
    steps: Steps
    given: Given | Unknown = UNKNOWN
    decorators: tuple[str, ...] | Unknown = UNKNOWN
    methods: tuple[MethodDecl, ...] | Unknown = UNKNOWN
    fields: tuple[FieldDecl, ...] | Unknown = UNKNOWN

    @property
    def anchor(self) -> Anchor:
        """The class itself."""
        return Anchor(self.ref)


@frozen(kw_only=True)
class AppDecl:
    """What `Thena(Flow, ThenaConfig(...), data=...)` gives to the runs of a workflow; `data` may be `None`.

    A store may be there of which it can't be seen what it is.
    """

    stores: tuple[ClassDecl | Unknown, ...] | Unknown = UNKNOWN
    data: ClassDecl | Unknown | None = UNKNOWN
    config: Given | Unknown = UNKNOWN
