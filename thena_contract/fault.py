"""What is wrong, as a value with a code; and the one rendering of its text.

A fault knows no file, no line, no colour and no reader. Its fields are only names that both readers can see, so
the same mistake gives equal values whether it was read from text or from class objects.
"""

from enum import StrEnum
from typing import ClassVar, dataclass_transform

from thena_contract.anchor import Anchor
from thena_contract.frozen import frozen


class Severity(StrEnum):
    """How bad a fault is. Errors stop an app from being made; warnings are told once."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


@dataclass_transform(eq_default=True, frozen_default=True, kw_only_default=True)
class Fault:
    """The base of every fault. A subclass sets `code`, `name`, `text` and `hint`; its fields fill the holes.

    A subclass is what a frozen dataclass of its annotations would be: made by keyword, equal and hashed by its fields.
    There are so many that generating code for each, as `dataclass` does, would take a good part of every start.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity] = Severity.ERROR
    text: ClassVar[str]
    hint: ClassVar[str]

    _fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        """Add the annotations of the subclass to the fields, without those of the class itself."""
        super().__init_subclass__()
        own = (name for name, kind in cls.__annotations__.items() if getattr(kind, "__origin__", None) is not ClassVar)
        cls._fields = (*cls._fields, *own)

    def __init__(self, **values: object) -> None:
        """Take a value for each field.

        Raises:
            TypeError: A field without a default has no value, or a value has no field.
        """
        cls = type(self)
        for name in cls._fields:
            if name in values:
                self.__dict__[name] = values.pop(name)
            elif hasattr(cls, name):
                self.__dict__[name] = getattr(cls, name)
            else:
                raise TypeError(f"`{cls.__name__}` has no value for `{name}`. Give it {_keywords(cls._fields)}.")
        if values:
            raise TypeError(f"`{cls.__name__}` has no field `{min(values)}`. Give it {_keywords(cls._fields)}.")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({values})"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"`{type(self).__name__}.{name}` can't be set, as a fault is frozen. Make another one.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"`{type(self).__name__}.{name}` can't be deleted, as a fault is frozen.")

    @property
    def message(self) -> str:
        """Subject, fact and repair, as one line without the code."""
        return f"{self.text} {self.hint}".format_map(vars(self))

    def render(self) -> str:
        """The whole line, as an error shows it: `[thena] THN201 ...`."""
        return f"[thena] {self.code} {self.message}"


def _keywords(fields: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}=`" for name in fields) or "nothing"


class ReasonedFault(Fault):
    """A fault whose reason somebody else gives, in words that say what to do; the hint stands on its page alone."""

    reason: str

    @property
    def message(self) -> str:
        """Subject and reason, as they are."""
        return self.text.format_map(vars(self))


@frozen
class Related:
    """Another place that explains a finding: a link of the chain from the workflow to the subject."""

    message: str
    anchor: Anchor


@frozen
class Finding:
    """A fault at an anchor, with the chain that leads to it."""

    fault: Fault
    anchor: Anchor
    related: tuple[Related, ...] = ()

    @property
    def sort_key(self) -> tuple[tuple[str, str, tuple[str, ...]], str, str]:
        """By place in the declarations, then by code, then by text."""
        return (self.anchor.sort_key, self.fault.code, self.fault.message)
