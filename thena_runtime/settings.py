"""What an app can be told beside its workflow. Only options that are honoured stand here."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import wraps
from os import PathLike
from typing import Literal, TypeAlias, TypeVar

from thena_runtime.budget.limits import Budget
from thena_runtime.clock import SYSTEM_CLOCK, Clock
from thena_runtime.memory.store import VectorStore
from thena_runtime.observability.events import Event
from thena_runtime.redaction import Redactor, redact_text

StoreSource: TypeAlias = VectorStore | type[VectorStore]
"""A vector store, or a class that can be made without arguments: one is made for the app."""

LogOption: TypeAlias = bool | Literal["verbose"] | Callable[[Event], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """Where the reports of runs are written, and what stands in them.

    Each run has a folder of its own in `folder`, which is relative to where the program was when the run began. Without
    `content` a report has no prompts, answers, arguments, results and texts of errors. `redact` masks secrets in
    whatever is written: `True` as `thena_runtime.redaction.redact_text` does, which a function of the same parameters
    (a name and a text) may call before or after masking more.
    """

    folder: str | PathLike[str] = "report"
    content: bool = True
    redact: bool | Redactor = True

    def __post_init__(self) -> None:
        subject = "[thena] `{}` of `ReportOptions` is"
        if not isinstance(self.folder, str | PathLike) or not str(self.folder):
            raise TypeError(f"{subject.format('folder')} {self.folder!r}. Give the path of a folder.")
        if not isinstance(self.content, bool):
            raise TypeError(f"{subject.format('content')} {self.content!r}. Give `True` or `False`.")
        if not isinstance(self.redact, bool) and not callable(self.redact):
            raise TypeError(
                f"{subject.format('redact')} {self.redact!r}. Give `True`, `False` or a function of a name and a text."
            )

    @property
    def redactor(self) -> Redactor | None:
        """What masks each text, if anything does."""
        match self.redact:
            case True:
                return redact_text
            case False:
                return None
        return self.redact


ReportOption: TypeAlias = bool | ReportOptions


def report_options(report: object) -> ReportOptions | None:
    """The options of a report that is to be written. Raises `TypeError` for what can't be any."""
    match report:
        case ReportOptions():
            return report
        case True:
            return ReportOptions()
        case False:
            return None
    raise TypeError(
        f"[thena] `report` is of type `{type(report).__name__}`. Give `True`, `False` or `ReportOptions(...)`."
    )


C = TypeVar("C")


class _Given(dict[str, object]):
    """What a config was made with. It has a type of its own, so that no option of a user's is taken for it."""


def _remembering(cls: type[C]) -> type[C]:
    """Let a dataclass take any option by name and keep all as `given`, so that an app tells what is wrong with them.

    For type checkers its constructor stays what it is.
    """
    make = cls.__init__
    known = inspect.signature(cls).parameters
    # Has `dataclasses.replace` hand it on, so that a changed copy forgets nothing.
    next(each for each in fields(cls) if each.name == "given").init = True  # type: ignore[arg-type]

    @wraps(make)
    def init(self: C, *args: object, **options: object) -> None:
        before = options.get("given")
        if isinstance(before, _Given):
            del options["given"]
            options = {**before, **options}
        make(self, *args, **{name: value for name, value in options.items() if name in known})
        object.__setattr__(self, "given", _Given(options))

    setattr(cls, "__init__", init)  # noqa: B010 - no type says that it may be set
    return cls


@_remembering
@dataclass(frozen=True, slots=True, kw_only=True)
class ThenaConfig:
    """The settings of an app.

    `log=True` prints the tree of every run to stdout, `"verbose"` with the details of each node; a callable gets the
    events instead. `report=True` writes a page about each run to `report/`, and `ReportOptions` says otherwise what and
    where. `budget` is what each run may spend. `clock` is what runs tell and spend their time by; a test gives
    one that it moves itself. `keep_bytes` is about how much of a run's events, and of what its models say, is kept for
    listeners that come late or are slow; who misses something by that is told how much. `memory` are the vector stores
    that memories are about, in the order in which agents that don't name one get them.
    """

    log: LogOption = False
    report: ReportOption = False
    budget: Budget | None = None
    clock: Clock = SYSTEM_CLOCK
    keep_bytes: int = 4 * 1024 * 1024
    memory: Sequence[StoreSource] = ()
    given: Mapping[str, object] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What it was made with, whether or not there is such an option: `Thena(...)` judges that."""

    def __post_init__(self) -> None:
        _check_stores(self.memory)
        report_options(self.report)
        if not isinstance(self.keep_bytes, int) or self.keep_bytes < 0:
            raise ValueError(
                f"[thena] `keep_bytes` of `ThenaConfig` is {self.keep_bytes!r}. Give a number of bytes, not below zero."
            )


def _check_stores(stores: object) -> None:
    if not isinstance(stores, Sequence) or isinstance(stores, str):
        raise TypeError(
            f"[thena] `memory` of `ThenaConfig` is of type `{type(stores).__name__}`. Write `[...]` around the stores."
        )
    for store in stores:
        # A class has the methods of its instances, so one look does for both.
        if not isinstance(store, VectorStore):
            name = store.__name__ if isinstance(store, type) else type(store).__name__
            raise TypeError(
                f"[thena] `memory` of `ThenaConfig` has `{name}`, which is no vector store. "
                "Give it the methods of `VectorStore`."
            )
        if isinstance(store, type):
            _check_made_alone(store)


def _check_made_alone(store: type) -> None:
    try:
        inspect.signature(store).bind()
    except TypeError as error:
        raise TypeError(
            f"[thena] the vector store `{store.__name__}` can't be made without arguments ({error}). "
            f"Make it yourself: `ThenaConfig(memory=[{store.__name__}(...)])`."
        ) from None
    except ValueError:
        return  # Python can't tell its parameters
