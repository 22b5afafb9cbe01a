"""What an agent's answer is to be: what the model is told of it, and how the answer is read."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final, Protocol

from thena_contract.frozen import frozen
from thena_runtime.build.schema import NoSchemaError, adapter_of, sentences
from thena_runtime.messages import Message

_FENCED: Final = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)


class _Adapter(Protocol):
    """The part of pydantic's `TypeAdapter` that is used here."""

    def validate_python(self, value: object, /) -> Any: ...  # whatever the declared type says

    def validate_json(self, value: str, /) -> Any: ...  # whatever the declared type says

    def json_schema(self) -> dict[str, Any]: ...  # JSON schema: a wire


class UnfitError(Exception):
    """An answer isn't what it is to be. The text says what is wrong with it."""


@frozen(kw_only=True)
class OutputType:
    """The declared type of an agent's answers."""

    name: str
    instruction: str
    adapter: _Adapter

    def read(self, text: str) -> object:
        """Read an answer: JSON, alone, in a fenced block, or between other words. Raises `UnfitError`."""
        from pydantic import ValidationError

        complaint = ""
        for candidate in _candidates(text):
            try:
                return self.adapter.validate_json(candidate)
            except ValidationError as error:
                complaint = complaint or sentences(error)
        raise UnfitError(complaint)

    def check(self, value: object) -> object:
        """Take a value that an agent's own `run` returned. Raises `UnfitError`."""
        from pydantic import ValidationError

        if isinstance(value, str):
            return self.read(value)
        try:
            return self.adapter.validate_python(value)
        except ValidationError as error:
            raise UnfitError(sentences(error)) from None


def output_type(declared: Any) -> OutputType:  # any type expression
    """Make the output type out of what `@Agent(output=...)` was given. Raises `NoSchemaError`."""
    adapter: _Adapter = adapter_of(declared)
    try:
        schema = adapter.json_schema()
    except Exception as error:
        raise NoSchemaError(str(error).splitlines()[0]) from error
    return OutputType(
        name=getattr(declared, "__name__", str(declared)),
        instruction=(
            "Your answer must be one JSON value that fits this schema, and nothing else:\n"
            + json.dumps(schema, ensure_ascii=False)
        ),
        adapter=adapter,
    )


def opening(prompt: str, output: OutputType | None) -> tuple[Message, ...]:
    """What a turn begins with: the prompt, and what the answer is to be."""
    head = Message("system", prompt)
    return (head,) if output is None else (head, Message("system", output.instruction))


def _candidates(text: str) -> Iterator[str]:
    """Where the JSON of an answer may stand, the likeliest place first."""
    yield text.strip()
    for block in _FENCED.findall(text):
        yield block.strip()
    decoder = json.JSONDecoder()
    # Only outermost values: one that was read is passed over whole.
    position = 0
    while found := re.compile(r"[{\[]").search(text, position):
        try:
            _, position = decoder.raw_decode(text, found.start())
        except ValueError:
            position = found.end()
            continue
        yield text[found.start() : position]
