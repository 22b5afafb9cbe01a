"""`@Agent`, `@Tool` and `@Workflow`: they remember what they were given on the class, and decide nothing.

The strict signatures are for type checkers alone. At run time anything is accepted, so that one judge can report every
mistake at once (`thena_runtime.build`), instead of an import that stops at the first.
"""

import re
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import CO_NEWLOCALS
from pathlib import Path
from types import FrameType, FunctionType
from typing import ClassVar, Final, Literal, Never, TypeAlias, TypeVar, overload

from thena_contract import vocabulary
from thena_runtime.messages import Sampling
from thena_runtime.providers.provider import Provider
from thena_runtime.steps import Step

C = TypeVar("C")

KEY: Final = vocabulary.REMEMBERED
_NAME: Final = re.compile(r"[A-Za-z_]\w*")

ProviderSource: TypeAlias = Provider | Callable[[], Provider | Awaitable[Provider]]
"""A provider, or a class or function (sync or async) that makes one for each run."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """Inline text, where a bare string would be the path of a file."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What a decorator was given. `names` are those of an enclosing function that annotations of the class use."""

    decorator: str
    args: tuple[object, ...]
    options: Mapping[str, object]
    names: Mapping[str, object]
    before: "Remembered | None"


def remembered_on(thing: object) -> Remembered | None:
    """What a decorator left on this very class; nothing is inherited."""
    found = getattr(thing, "__dict__", {}).get(KEY)
    return found if isinstance(found, Remembered) else None


class Declaration:
    """What the three decorators share: keep the options, then leave them on the class."""

    decorator: ClassVar[str]

    def __init__(self, *args: object, **options: object) -> None:
        self.args = args
        self.options = options

    def __call__(self, cls: type[C]) -> type[C]:
        """Leave the options on the class and return it."""
        remembered = Remembered(
            decorator=self.decorator,
            args=self.args,
            options=self.options,
            names=_enclosing_names(cls, sys._getframe(1)),
            before=remembered_on(cls),
        )
        setattr(cls, KEY, remembered)
        return cls


class Agent(Declaration):
    """Declare a class to be an agent: a prompt, a model and tools. Its optional hooks are methods of the class.

    Of the tool calls of one answer the first is executed, or all of them at the same time with `tool_calls="all"`.
    With `output=` an answer is to be JSON that fits a type, and `ctx.output` is a value of it. After a turn that
    calls a tool it is the tool's text: put an agent that has tools in a loop with `until=until_answered`.
    """

    decorator = vocabulary.AGENT

    @overload
    def __init__(
        self,
        *,
        provider: ProviderSource,
        prompt: str | Path | Prompt,
        tools: Sequence[object] = (),
        sampling: Sampling | None = None,
        tool_calls: Literal["first", "all"] = "first",
        output: type | None = None,
    ) -> None: ...

    # Nothing has the type `Never`: this second overload only says that `@Agent` without a call is refused.
    @overload
    def __init__(self, cls: Never, /) -> None: ...

    def __init__(self, *args: object, **options: object) -> None:
        super().__init__(*args, **options)


class Tool(Declaration):
    """Declare a class to be a tool: what a model may call. Its `execute` does the work.

    The model is told of the parameters of `execute`, or of `schema=`: a model class, or a JSON schema. A `repeatable`
    tool may give the same result to the same call for ever without a loop taking that for being stuck.
    """

    decorator = vocabulary.TOOL

    @overload
    def __init__(
        self,
        *,
        name: str,
        description: str,
        schema: type | Mapping[str, object] | None = None,
        repeatable: bool = False,
    ) -> None: ...

    @overload
    def __init__(self, cls: Never, /) -> None: ...

    def __init__(self, *args: object, **options: object) -> None:
        super().__init__(*args, **options)


class Workflow(Declaration):
    """Declare a class to be a workflow: steps in order, and the class of the state that they share."""

    decorator = vocabulary.WORKFLOW

    @overload
    def __init__(self, *, steps: Sequence[Step], state: type | None = None) -> None: ...

    @overload
    def __init__(self, cls: Never, /) -> None: ...

    def __init__(self, *args: object, **options: object) -> None:
        super().__init__(*args, **options)


def _enclosing_names(cls: object, frame: FrameType | None) -> Mapping[str, object]:
    """The names that string annotations of the class use and that only the code around the class knows."""
    found: dict[str, object] = {}
    while frame is not None and frame.f_locals is not frame.f_globals:
        local = frame.f_locals
        for name in _names_in_annotations(cls):
            if name in local:
                found.setdefault(name, local[name])
        # A class body is run by the code around it, so its caller is what encloses it. A function's caller is not.
        if frame.f_code.co_flags & CO_NEWLOCALS:
            break
        frame = frame.f_back
    return found


def _names_in_annotations(cls: object) -> Iterator[str]:
    for annotation in _annotations(cls):
        if isinstance(annotation, str):
            yield from _NAME.findall(annotation)


def _annotations(cls: object) -> Iterator[object]:
    for base in getattr(cls, "__mro__", ()):
        own = vars(base)
        yield from own.get("__annotations__", {}).values()
        for method in (vocabulary.CONSTRUCTOR, vocabulary.EXECUTE):
            function = own.get(method)
            if isinstance(function, FunctionType):
                yield from function.__annotations__.values()
