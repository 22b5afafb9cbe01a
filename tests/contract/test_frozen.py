"""`@frozen` is what a frozen dataclass is, but for refusing assignments."""

import inspect
from dataclasses import field, fields, replace
from functools import cached_property

import pytest

from thena_contract.frozen import frozen


@frozen
class Point:
    """A place."""

    x: int
    y: int = 0
    seen: int = field(default=0, compare=False, repr=False)


@frozen(kw_only=True)
class Named(Point):
    name: str


@frozen(slots=False)
class Sum:
    numbers: tuple[int, ...]

    @cached_property
    def total(self) -> int:
        return sum(self.numbers)


@frozen
class Nothing:
    """It has no field."""


@frozen
class Sameness:
    """Equal whatever it holds."""

    held: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sameness)

    def __hash__(self) -> int:
        return 1


def test_equal_by_fields() -> None:
    """Objects of one class are equal by the fields that are compared, and hashed by them."""
    assert Point(1, 2, 3) == Point(1, 2, 4)
    assert hash(Point(1, 2, 3)) == hash(Point(1, 2, 4))
    assert Point(1, 2) != Point(2, 1)
    assert Nothing() == Nothing()


def test_of_another_class() -> None:
    """Objects of different classes are never equal, be one the other's base."""
    assert Named(x=1, y=2, name="a") != Point(1, 2)


def test_fields_of_a_base() -> None:
    """A class below has the fields of its base, and compares them too."""
    assert ["x", "y", "seen", "name"] == [one.name for one in fields(Named)]
    assert Named(x=1, name="a") != Named(x=2, name="a")
    assert len({Named(x=1, name="a"), Named(x=1, name="a"), Named(x=1, name="b")}) == 2


def test_keywords_alone() -> None:
    """With `kw_only` the fields of the class itself are taken by keyword alone."""
    with pytest.raises(TypeError):
        Named(1, 2, 3, "a")  # type: ignore[call-arg]


def test_text() -> None:
    """An object shows its fields, but for those that are left out."""
    assert "Point(x=1, y=2)" == repr(Point(1, 2, 3))
    assert "Nothing()" == repr(Nothing())


def test_replace_and_match() -> None:
    """What takes dataclasses takes these: `replace`, and patterns by position."""
    match replace(Point(1, 2), x=5):
        case Point(x, y):
            assert (5, 2) == (x, y)


def test_slots() -> None:
    """Objects have room for their fields alone, unless the class wants more."""
    with pytest.raises(AttributeError):
        Point(1).other = 2  # type: ignore[attr-defined]
    assert 6 == Sum((1, 2, 3)).total


def test_own_methods() -> None:
    """What a class says itself of equality and hashes counts."""
    assert Sameness(1) == Sameness(2)
    assert 1 == hash(Sameness(5))


def test_docstring() -> None:
    """A class keeps its docstring, and without one its name stands there: no signature is worked out."""
    assert "A place." == Point.__doc__
    assert "Named" == Named.__doc__


@frozen
class Given:
    """Fields of every kind."""

    first: int
    names: list[str] = field(default_factory=list)
    kept: dict[str, int] = field(default_factory=dict, init=False)
    last: int = field(default=3, kw_only=True)
    shown: bool = field(default=False, init=False)


def test_every_kind_of_field() -> None:
    """The first object and those after it have what they are given, or a default that is their own."""
    one, other = Given(1), Given(1, ["x"], last=4)

    assert [(1, [], {}, 3, False), (1, ["x"], {}, 4, False)] == [
        (each.first, each.names, each.kept, each.last, each.shown) for each in (one, other)
    ]
    assert one.names is not Given(1).names
    assert ["first", "names", "last"] == list(inspect.signature(Given).parameters)


def test_wrong_arguments() -> None:
    """What can't be taken is refused by the name of the class, by the first call and by any other."""
    for _ in range(2):
        with pytest.raises(TypeError, match=r"Nothing\.__init__\(\) takes 1 positional argument but 2 were given"):
            Nothing(1)  # type: ignore[call-arg]
