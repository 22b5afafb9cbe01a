"""What every fault class has from `Fault`: the constructor, and the ways of a frozen value."""

import copy
import pickle
from typing import ClassVar, final

import pytest

from thena_contract.catalogue import FAULTS
from thena_contract.fault import Fault


@final
class Sample(Fault):
    """A fault with a field that must be given and one that needn't be."""

    code: ClassVar[str] = "THN000"
    name: ClassVar[str] = "sample"
    text: ClassVar[str] = "`{subject}` is wrong {times} times."
    hint: ClassVar[str] = "Mend `{subject}`."

    subject: str
    times: int = 2


@final
class Other(Fault):
    """A fault with the fields of `Sample`."""

    code: ClassVar[str] = "THN001"
    name: ClassVar[str] = "other"
    text: ClassVar[str] = "`{subject}` is odd {times} times."
    hint: ClassVar[str] = "Mend `{subject}`."

    subject: str
    times: int = 2


def test_the_fields_fill_the_text() -> None:
    """Text and hint are filled with what is given, and with the defaults."""
    assert Sample(subject="a").render() == "[thena] THN000 `a` is wrong 2 times. Mend `a`."


def test_faults_are_equal_by_kind_and_fields() -> None:
    """Faults of one class with equal fields are one key, in whatever order they are given; others are not."""
    faults = {Sample(subject="a"), Sample(times=2, subject="a"), Sample(subject="b"), Other(subject="a")}

    assert {Sample(subject="a"), Sample(subject="b"), Other(subject="a")} == faults
    assert len(faults) == 3


def test_a_fault_shows_its_fields() -> None:
    """The representation is the call that makes the fault, in the order of the declaration."""
    assert repr(Sample(times=3, subject="a")) == "Sample(subject='a', times=3)"


def test_a_copy_is_equal() -> None:
    """A fault that went to another process, or was copied, is what it was."""
    fault = Sample(subject="a", times=3)

    assert [fault, fault] == [copy.deepcopy(fault), pickle.loads(pickle.dumps(fault))]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"times": 1}, "`Sample` has no value for `subject`. Give it `subject=`, `times=`."),
        ({"subject": "a", "time": 1}, "`Sample` has no field `time`. Give it `subject=`, `times=`."),
    ],
)
def test_a_wrong_construction_is_refused(values: dict[str, object], text: str) -> None:
    """A value too few or too many is a `TypeError` that names the field and says which there are."""
    with pytest.raises(TypeError) as raised:
        Sample(**values)  # type: ignore[arg-type]

    assert text == str(raised.value)


def test_a_fault_is_frozen() -> None:
    """No field can be set or deleted."""
    fault = Sample(subject="a")

    with pytest.raises(AttributeError, match=r"`Sample\.subject` can't be set"):
        setattr(fault, "subject", "b")  # noqa: B010 - a plain assignment is refused by the type checker already
    with pytest.raises(AttributeError, match=r"`Sample\.subject` can't be deleted"):
        del fault.subject
    assert fault == Sample(subject="a")


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_the_holes_are_filled_by_fields(fault: type[Fault]) -> None:
    """Every fault can be made of the annotations of its class and base, and then tells its text."""
    names = [
        name
        for cls in fault.__mro__
        if issubclass(cls, Fault) and cls is not Fault
        for name in cls.__annotations__
        if not hasattr(Fault, name) and name not in {"code", "name", "text", "hint"}
    ]
    made = fault(**{name: name.upper() for name in names})

    assert set(names) == set(vars(made))
    assert "{" not in made.message.replace("{{", "")
