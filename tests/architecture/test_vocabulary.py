"""The names that the contract lists are those that the runtime has: what one reader knows, the other knows too."""

import inspect
import typing

import pytest

import thena_runtime
from thena_contract import vocabulary
from thena_runtime.build.annotations import Names, read_annotation
from thena_runtime.conversation import BUCKETS, Conversation
from thena_runtime.hooks import AgentHooks
from thena_runtime.markers import Marker
from thena_runtime.run_context import OWNED


def options(declared: inspect.Signature) -> tuple[str, ...]:
    """The keyword options of a signature."""
    return tuple(name for name, param in declared.parameters.items() if param.kind is param.KEYWORD_ONLY)


def named(declared: inspect.Signature) -> tuple[str, ...]:
    """The parameters of a signature, but what only takes in mistakes to be told of them."""
    every = declared.parameters.values()
    return tuple(param.name for param in every if param.kind not in (param.VAR_POSITIONAL, param.VAR_KEYWORD))


@pytest.mark.parametrize("name", vocabulary.DECORATORS)
def test_a_decorator_accepts_what_the_table_says(name: str) -> None:
    """The strict signature for type checkers has exactly the options of the table."""
    decorator = getattr(thena_runtime, name)
    strict = [inspect.signature(each) for each in typing.get_overloads(decorator.__init__)]

    assert vocabulary.DECORATORS[name] == next(options(each) for each in strict if options(each))
    assert name == decorator.decorator


def test_the_table_has_every_decorator_and_builder() -> None:
    """Each name of the table is a public one."""
    names = {*vocabulary.DECORATORS, *vocabulary.STEP_BUILDERS, *vocabulary.MARKERS, *vocabulary.ALIASES}

    assert [] == sorted(name for name in names if not hasattr(thena_runtime, name))
    assert vocabulary.PACKAGE == thena_runtime.__name__


def test_the_table_has_every_provider() -> None:
    """The providers of the table are the public ones of the runtime, and one of each can be given to an agent."""
    every = [getattr(thena_runtime, name) for name in thena_runtime.__all__ if name.endswith("Provider")]
    made = [one for one in every if not getattr(one, "_is_protocol", False)]

    assert sorted(one.__name__ for one in made) == sorted(vocabulary.PROVIDERS)
    assert all(issubclass(one, thena_runtime.Provider) for one in made)


def test_the_settings_accept_what_the_table_says() -> None:
    """The table has every option of `ThenaConfig`, in the order of its signature."""
    assert vocabulary.CONFIG_OPTIONS == options(inspect.signature(getattr(thena_runtime, vocabulary.CONFIG)))


@pytest.mark.parametrize("name", vocabulary.STEP_BUILDERS)
def test_a_builder_of_steps_accepts_what_the_table_says(name: str) -> None:
    """The options of `loop` and `parallel`, the same in every overload, with the steps first."""
    builder = getattr(thena_runtime, name)
    signatures = [named(inspect.signature(each)) for each in typing.get_overloads(builder)]

    for signature in signatures:
        assert set(vocabulary.STEP_BUILDERS[name]) == set(signature)
        assert "steps" == signature[0]
    assert signatures


@pytest.mark.parametrize("name", vocabulary.MARKERS)
def test_a_marker_asks_for_what_the_table_says(name: str) -> None:
    """The runtime's marker has the kind that the table gives to its name."""
    marker = getattr(thena_runtime, name)

    assert isinstance(marker, Marker)
    assert vocabulary.MARKERS[name] is marker.kind
    assert marker == marker()  # type: ignore[operator]


@pytest.mark.parametrize("name", vocabulary.ALIASES)
def test_an_alias_asks_for_what_the_table_says(name: str) -> None:
    """`State[int]` and its like are read as the table says."""
    read = read_annotation(getattr(thena_runtime, name)[int], Names((), {}))

    assert isinstance(read.requests, tuple)
    assert [vocabulary.ALIASES[name]] == [request.kind for request in read.requests]


def test_a_type_that_marks_itself_is_read_as_the_table_says() -> None:
    """Each asks for the kind of the table without any marker."""
    for name, kind in vocabulary.SELF_MARKING.items():
        read = read_annotation(getattr(thena_runtime, name), Names((), {}))
        assert isinstance(read.requests, tuple)
        assert [kind] == [request.kind for request in read.requests]


def test_the_hooks_are_those_of_the_table() -> None:
    """`AgentHooks` has each hook, in order, with the parameters that it is given."""
    declared = {
        name: tuple(inspect.signature(function).parameters)[1:]
        for name, function in vars(AgentHooks).items()
        if not name.startswith("_")
    }

    assert list(vocabulary.HOOKS.items()) == list(declared.items())


def test_the_table_has_the_buckets_of_the_conversation() -> None:
    """`ctx.state` has exactly these buckets, and no other public name than the table says."""
    public = {name for name in vars(Conversation) if not name.startswith("_")}

    assert vocabulary.BUCKETS == BUCKETS
    assert public == vocabulary.CONVERSATION


def test_the_table_has_the_names_that_the_context_owns() -> None:
    """What can't be set on a context is what the table says, beside Python's own names."""
    assert {name for name in OWNED if not name.startswith("_")} == vocabulary.OWNED_BY_CONTEXT
