"""What a model may send to a tool: a JSON schema, and the validation of what it did send.

Unmarked parameters become a dataclass, and `Input[Model]` is taken as it is; both are pydantic's to check. Pydantic is
imported here and only when a tool is planned, for importing the runtime must stay cheap.
"""

import dataclasses
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Protocol, get_origin, get_type_hints, is_typeddict

from thena_contract.frozen import frozen

_SIMPLE: Final = (str, int, float, bool, type(None))


class _Validator(Protocol):
    """The part of pydantic's `SchemaValidator` that is used here."""

    def validate_python(self, value: object, /) -> Any: ...  # whatever the tool's annotation says


class ArgumentsError(Exception):
    """What a model sent doesn't fit. The text names each argument that is wrong."""


class NoSchemaError(Exception):
    """A type has no JSON schema, or none that is an object's."""


@dataclass(slots=True)
class Arguments:
    """Validated arguments: by name for hooks, and `whole` for a parameter that asks for the input."""

    by_name: Mapping[str, Any]  # of whatever types the tool declares
    whole: object


@frozen(kw_only=True)
class ToolInput:
    """The schema and the validator of one tool."""

    schema: Mapping[str, Any]  # JSON schema: a wire
    validator: _Validator

    def validate(self, arguments: object) -> Arguments:
        """Check and convert arguments. Raises `ArgumentsError`."""
        if isinstance(arguments, str):
            raise ArgumentsError("the arguments are no JSON object")
        try:
            whole = self.validator.validate_python({} if arguments is None else arguments)
        except ValueError as error:
            from pydantic import ValidationError

            if not isinstance(error, ValidationError):
                raise
            raise ArgumentsError(sentences(error)) from None
        return Arguments(_by_name(whole), whole)


@frozen
class Argument:
    """One unmarked parameter of `execute`."""

    name: str
    annotation: object
    has_default: bool
    default: object
    description: str | None = None


def input_of_parameters(arguments: Sequence[Argument]) -> ToolInput:
    """Make a schema out of parameters. Raises `NoSchemaError`."""
    fields = [(each.name, each.annotation, _field(each)) for each in arguments]
    made = dataclasses.make_dataclass("Arguments", fields, kw_only=True)
    tool_input = input_of_model(made)
    schema = {key: value for key, value in tool_input.schema.items() if key != "title"}
    schema["properties"] = {
        name: _untitled(name, value) for name, value in dict(schema.get("properties") or {}).items()
    }
    for each in arguments:
        # What `Field(description=...)` says is meant for the model, and wins over the docstring.
        if each.description:
            schema["properties"][each.name] = {"description": each.description, **schema["properties"][each.name]}
    return ToolInput(schema=schema, validator=tool_input.validator)


def input_of_model(model: Any) -> ToolInput:  # any type expression
    """Take a model's own schema. Raises `NoSchemaError`."""
    from pydantic import PydanticUserError

    adapter = adapter_of(model)
    try:
        schema = _at_root(adapter.json_schema())
    except PydanticUserError as error:
        raise NoSchemaError(str(error).splitlines()[0]) from error
    if schema.get("type") != "object":
        raise NoSchemaError(f"its JSON schema is of type `{schema.get('type', 'any')}` and not `object`")
    return ToolInput(schema=schema, validator=adapter.validator)


def adapter_of(model: Any) -> Any:  # any type expression, and pydantic's `TypeAdapter`, imported late
    """Let pydantic look at a type. Raises `NoSchemaError`."""
    from pydantic import PydanticUserError, TypeAdapter
    from pydantic.errors import PydanticSchemaGenerationError
    from pydantic_core import SchemaError

    try:
        return TypeAdapter(_typed_dict(model) if is_typeddict(model) else model)
    except (PydanticUserError, PydanticSchemaGenerationError, SchemaError, NameError, TypeError) as error:
        raise NoSchemaError(str(error).splitlines()[0]) from error


def is_model(annotation: object) -> bool:
    """Say whether a type is one that holds several arguments: a pydantic model, a dataclass, a `TypedDict`."""
    cls = get_origin(annotation) or annotation
    return isinstance(cls, type) and (
        dataclasses.is_dataclass(cls) or hasattr(cls, "__pydantic_fields__") or is_typeddict(cls)
    )


def field_names(model: Any) -> tuple[str, ...]:  # a JSON schema, or any type expression with one
    """The names by which a model's arguments reach hooks and parameters."""
    if isinstance(model, Mapping):
        return tuple(model.get("properties") or ())
    cls = get_origin(model) or model
    if dataclasses.is_dataclass(cls):
        return tuple(field.name for field in dataclasses.fields(cls))
    fields = getattr(cls, "__pydantic_fields__", None)
    return tuple(getattr(cls, "__annotations__", ()) if fields is None else fields)


def _field(argument: Argument) -> Any:  # what `dataclasses.field` returns is typed as the field's value
    if not argument.has_default:
        return dataclasses.field()
    # A default that is no plain value (a list, an object) is left out of the schema; dataclasses refuse some of them.
    if isinstance(argument.default, _SIMPLE):
        return dataclasses.field(default=argument.default)
    return dataclasses.field(default_factory=lambda: argument.default)


def _typed_dict(model: Any) -> Any:  # a `TypedDict` class, which has no type of its own
    """Rebuild a `typing.TypedDict` as the kind that pydantic takes before Python 3.12."""
    import typing_extensions

    if sys.version_info >= (3, 12) or type(model).__module__ != "typing":
        return model
    hints = get_type_hints(model, include_extras=True)
    wrapped = {
        name: hint if name in model.__required_keys__ else typing_extensions.NotRequired[hint]
        for name, hint in hints.items()
    }
    return typing_extensions.TypedDict(model.__name__, wrapped)  # type: ignore[operator]


def _at_root(schema: dict[str, Any]) -> dict[str, Any]:
    """A recursive model's schema is a reference to itself; a provider wants the object at the root."""
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return schema
    return {**schema["$defs"][reference.rpartition("/")[2]], "$defs": schema["$defs"]}


def _untitled(name: str, schema: object) -> object:
    """Leave out the title that pydantic makes up, which tells the model nothing and costs tokens."""
    if isinstance(schema, dict) and schema.get("title") == name.replace("_", " ").title():
        return {key: value for key, value in schema.items() if key != "title"}
    return schema


def _by_name(whole: object) -> dict[str, object]:
    if isinstance(whole, Mapping):
        return dict(whole)
    cls: Any = type(whole)  # mypy takes no class for hashable
    names = _dataclass_fields(cls)
    return dict(vars(whole)) if names is None else {name: getattr(whole, name) for name in names}


@lru_cache(maxsize=256)
def _dataclass_fields(cls: Any) -> tuple[str, ...] | None:  # any class
    return tuple(field.name for field in dataclasses.fields(cls)) if dataclasses.is_dataclass(cls) else None


def sentences(error: Any) -> str:  # pydantic's `ValidationError`, imported late
    """Say what is wrong with what a model sent, each part by its place."""
    return "; ".join(_sentence(each["loc"], each["msg"]) for each in error.errors())


def _sentence(location: tuple[int | str, ...], message: str) -> str:
    path = ".".join(str(part) for part in location)
    return f"{path}: {message}" if path else message


def as_text(value: object) -> str:
    """What a tool returned, as the model reads it: a string as it is, nothing as nothing, anything else as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    from pydantic_core import to_jsonable_python

    return json.dumps(to_jsonable_python(value), ensure_ascii=False)


def json_of_output(value: object) -> object:
    """An output as a JSON value; what JSON doesn't know is its `str`."""
    if value is None or isinstance(value, str):
        return value
    from pydantic_core import to_jsonable_python

    result: object = to_jsonable_python(value, fallback=str)
    return result


def text_of_output(value: object) -> str:
    """An output as text: like a tool's result, and by its `str` where it can't be written as JSON."""
    try:
        return as_text(value)
    except ValueError:
        return str(value)
