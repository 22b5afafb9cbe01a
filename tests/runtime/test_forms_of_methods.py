"""Hooks, `run` and `execute` in every form that Python lets a method have: what start-up accepts is called as it is."""

import functools
import types
from collections.abc import Callable
from typing import Any

import pytest

from thena_runtime import (
    Agent,
    AgentHooks,
    Context,
    ContractError,
    Prompt,
    ScriptedProvider,
    Thena,
    Tool,
    Workflow,
    tool_call,
)

SELF = "self"


def said(*arguments: object) -> str:
    """What a method was given, as text: the agent or tool as `self`, its class as `cls`, the context as `ctx`."""
    names = ("ctx" if isinstance(one, Context) else "cls" if isinstance(one, type) else str(one) for one in arguments)
    return " ".join(names)


class Bound:
    """A descriptor that binds a function, as those of other libraries do."""

    def __init__(self, function: Callable[..., object]) -> None:
        self.function = function

    def __get__(self, owner: object, cls: type | None = None) -> object:
        return self if owner is None else types.MethodType(self.function, owner)


class Answering:
    """An object that is called, without a `__get__`."""

    def __call__(self, value: str) -> str:
        """Tell what it was given."""
        return said(value)


class AnsweringTwo:
    """An object that is called with one thing more."""

    def __call__(self, first: object, value: str) -> str:
        """Tell what it was given."""
        return said(first, value)


def traced(function: Callable[..., object]) -> Callable[..., object]:
    """Wrap a function as most decorators do."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> object:  # whatever it is given
        return function(*args, **kwargs)

    return wrapper


def plain(self: object, value: str) -> str:
    """A method."""
    return said(self, value)


def with_word(self: object, word: str, value: str) -> str:
    """A method that something is to be filled in of."""
    return said(self, word, value)


async def later(self: object, word: str, value: str) -> str:
    """An async one."""
    return said(self, word, value)


def with_option(self: object, value: str, *, word: str) -> str:
    """A method with an option."""
    return said(self, word, value)


def alone(value: str) -> str:
    """A function of the value alone."""
    return said(value)


def free(word: str, value: str) -> str:
    """A function that knows of no object."""
    return said(word, value)


FORMS: dict[str, tuple[Callable[[], object], str]] = {
    "partial": (lambda: functools.partial(free, "!"), "! x"),
    "static partial": (lambda: staticmethod(functools.partial(free, "!")), "! x"),
    "class partial": (lambda: classmethod(functools.partial(with_word, "!")), "! cls x"),
    "partialmethod": (lambda: functools.partialmethod(with_word, "!"), "self ! x"),
    "async partialmethod": (lambda: functools.partialmethod(later, "!"), "self ! x"),
    "partialmethod with an option": (lambda: functools.partialmethod(with_option, word="!"), "self ! x"),
    "partialmethod of nothing": (lambda: functools.partialmethod(plain), "self x"),
    "static partialmethod": (lambda: functools.partialmethod(staticmethod(free), "!"), "! x"),
    "class partialmethod": (lambda: functools.partialmethod(classmethod(with_word), "!"), "cls ! x"),
    "wrapped partialmethod": (lambda: functools.partialmethod(traced(with_word), "!"), "self ! x"),
    "partialmethod of a partial": (lambda: functools.partialmethod(functools.partial(with_word, "!")), "! self x"),
    "partialmethod of another": (lambda: functools.partialmethod(functools.partialmethod(with_word, "!")), "self ! x"),
    "static": (lambda: staticmethod(alone), "x"),
    "class": (lambda: classmethod(plain), "cls x"),
    "wrapped": (lambda: traced(plain), "self x"),
    "static and wrapped": (lambda: staticmethod(traced(alone)), "x"),
    "cached": (lambda: functools.lru_cache(plain), "self x"),
    "object": (Answering, "x"),
    "static object": (lambda: staticmethod(Answering()), "x"),
    "class object": (lambda: classmethod(AnsweringTwo()), "cls x"),
    "bound method": (lambda: Answering().__call__, "x"),
    "object bound to another": (lambda: types.MethodType(AnsweringTwo(), "other"), "other x"),
    "single dispatch": (lambda: functools.singledispatch(plain), "self x"),
}

ONLY_BY_POSITION: dict[str, tuple[Callable[[], object], str]] = {
    "single dispatch by the argument": (lambda: functools.singledispatchmethod(plain), "self x"),
    "descriptor": (lambda: Bound(plain), "self x"),
    "property": (lambda: property(lambda self: functools.partial(plain, self)), "self x"),
}

ANY_FORMS = FORMS | ONLY_BY_POSITION


def started(made: Callable[[], object], name: str) -> Thena[object, Any]:
    """An app of one agent that has a method of this form."""

    class Writer(AgentHooks):
        __str__ = __repr__ = lambda self: SELF

    setattr(Writer, name, made())
    agent = Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("Write."))(Writer)

    @Workflow(steps=[agent])
    class Flow:
        pass

    return Thena(Flow)


@pytest.mark.parametrize(("made", "expected"), ANY_FORMS.values(), ids=ANY_FORMS)
def test_a_hook_of_any_form_is_given_what_it_takes(made: Callable[[], object], expected: str) -> None:
    """A hook that takes the value alone is called with the value alone, whatever fills in or binds the rest."""
    assert expected == started(made, "after_response").run_sync("Go.")


@pytest.mark.parametrize(("made", "expected"), FORMS.values(), ids=FORMS)
def test_a_run_of_any_form_is_given_what_it_takes(made: Callable[[], object], expected: str) -> None:
    """So is an agent's own `run`."""
    assert expected.replace("x", "Go.") == started(made, "run").run_sync("Go.")


@pytest.mark.parametrize(("made", "expected"), FORMS.values(), ids=FORMS)
def test_an_execute_of_any_form_is_given_its_arguments(made: Callable[[], object], expected: str) -> None:
    """A tool's `execute` is told to the model without what is filled in or bound, and called with the rest."""

    class Note:
        __str__ = __repr__ = lambda self: SELF

    setattr(Note, "execute", made())  # noqa: B010 - no type says that it may be set

    @Agent(
        provider=ScriptedProvider([tool_call("note", value="x")]),
        prompt=Prompt("Write."),
        tools=[Tool(name="note", description="Note.")(Note)],
    )
    class Writer:
        pass

    @Workflow(steps=[Writer])
    class Flow:
        pass

    app = Thena(Flow)
    assert () == app.findings
    assert expected == app.run_sync("Go.")


def test_annotations_of_what_is_filled_in_are_read_where_they_stand() -> None:
    """A function of another module that something is filled in of says its types with the names of that module."""
    there = types.ModuleType("there")
    text = "Words = list[str]\ndef joined(mark: str, words: 'Words') -> str: return mark.join(words)"
    exec(compile(text, "there.py", "exec"), vars(there))

    @Tool(name="join", description="Join.")
    class Join:
        execute = functools.partial(vars(there)["joined"], "+")

    @Agent(provider=ScriptedProvider([tool_call("join", words=["a", "b"])]), prompt=Prompt("Write."), tools=[Join])
    class Writer:
        pass

    @Workflow(steps=[Writer])
    class Flow:
        pass

    app = Thena(Flow)
    assert () == app.findings
    assert "a+b" == app.run_sync("Go.")


def test_a_hook_of_the_object_itself_is_given_what_it_takes() -> None:
    """A hook that `__init__` puts in the place of the class's own may take less than that."""

    @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("Write."))
    class Writer:
        def __init__(self) -> None:
            setattr(self, "after_response", lambda response: said("own", response))  # noqa: B010

        def after_response(self, response: str, ctx: Context) -> str:
            return said(response, ctx)

    @Workflow(steps=[Writer])
    class Flow:
        pass

    assert "own x" == Thena(Flow).run_sync("Go.")


def test_a_partialmethod_that_needs_too_much_is_refused() -> None:
    """What a hook needs beside what is filled in counts, before anything runs."""

    def needing(self: object, word: str, response: str, ctx: Context, more: str) -> str:
        return said(self, word, response, ctx, more)

    with pytest.raises(ContractError, match=r"THN501 `Writer\.after_response` needs 3 arguments"):
        started(lambda: functools.partialmethod(needing, "!"), "after_response")
