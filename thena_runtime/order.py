"""What a child process is told to do, and the arguments of a run made of the JSON that it is told.

Left out on purpose: doing it, which is `thena_runtime.child`'s.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias, is_typeddict

from thena_runtime.budget.limits import Budget
from thena_runtime.messages import Message
from thena_runtime.scope import Seed
from thena_runtime.settings import ReportOption, ReportOptions, report_options

Act: TypeAlias = Literal["run", "check", "graph"]

_ROLES: Final = ("user", "assistant", "system")


class OrderError(Exception):
    """A run was given something that it can't take; the text says what to give."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be done. `guess` is the name that a text reader saw and nobody typed; `file` is what it read.
    `root` is imported from before all else, what is `behind` after it.

    `state`, `data` and `budget` are JSON values. `speaks` asks for every piece of what the models say, `traces` for
    whole tracebacks, `tells_files` for which files the process uses.
    `asks` is set where somebody types what the program reads from its standard input.
    `answers` are those that stand for the same calls of models, as JSON; with `None` no answer is told either.
    `report` is the folder of a report that is wanted in any case, empty for the app's own.
    """

    target: str
    act: Act = "run"
    root: str | None = None
    behind: Sequence[str] = ()
    prompt: str = ""
    cwd: str | None = None
    guess: str | None = None
    file: str | None = None
    state: Any = None  # JSON: a wire
    data: Any = None
    budget: Mapping[str, Any] | None = None
    speaks: bool = False
    traces: bool = False
    tells_files: bool = False
    asks: bool = False
    answers: Sequence[Mapping[str, Any]] | None = None
    report: str | None = None

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> "Order":
        """Read an order; what it doesn't say is as if it weren't given."""
        return cls(**{name: value for name, value in said.items() if value is not None})


def seed_of(state: object) -> Seed | None:
    """What a conversation begins with. Raises `OrderError` for what can't be one."""
    if state is None:
        return None
    if not isinstance(state, Mapping):
        raise OrderError('the state is no JSON object. Write one such as `{"memory": ["plan: pro"]}`.')
    return {bucket: _messages(values) if bucket == "history" else values for bucket, values in state.items()}


def _messages(values: object) -> Iterable[object]:
    if not isinstance(values, list):
        raise OrderError('`history` of the state is no list. Write `[{"role": "user", "content": "..."}]`.')
    return [_message(value) for value in values]


def _message(value: object) -> Message:
    match value:
        case {"role": ("user" | "assistant" | "system") as role, "content": str(content), **others} if not others:
            return Message(role, content)
    raise OrderError(
        "`history` of the state has something that is no message. "
        f'Write `{{"role": "user", "content": "..."}}` with one of the roles {", ".join(_ROLES)}.'
    )


def budget_of(limits: Mapping[str, Any] | None) -> Budget | None:
    """What a run may spend. Raises `OrderError` for limits that a budget doesn't have."""
    if limits is None:
        return None
    try:
        return Budget(**limits)
    except (TypeError, ValueError) as error:
        raise OrderError(str(error).removeprefix("[thena] ")) from None


def report_of(folder: str | None, own: ReportOption) -> ReportOptions | None:
    """The report that a run is told to write: with the app's `own` options, but where it was said. `None`: as those."""
    if folder is None:
        return None
    options = report_options(own) or ReportOptions()
    return replace(options, folder=folder) if folder else options


def data_of(data: object, wanted: type | None) -> object:
    """The data of a run, which pydantic makes of JSON where the app wants a class. Raises `OrderError` if it can't."""
    if wanted is None:
        return data
    if data is None:
        raise OrderError(f"the run needs data of which a `{wanted.__name__}` can be made. Give `--data '{{...}}'`.")
    from pydantic import PydanticUserError, TypeAdapter, ValidationError

    try:
        return TypeAdapter(wanted).validate_python(data)
    except PydanticUserError:
        # It takes `typing.TypedDict` from Python 3.12 on; a run asks of one only that it is a dict.
        if is_typeddict(wanted) and isinstance(data, dict):
            return data
        raise OrderError(
            f"the data of a run is a `{wanted.__name__}`, which can't be made of JSON. "
            "Make it a dataclass or a pydantic model, or start the run from Python."
        ) from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        at = f" at `{where}`" if where else ""
        raise OrderError(
            f"the data is no `{wanted.__name__}`: {first['msg']}{at}. Give `--data` what it asks for."
        ) from None
