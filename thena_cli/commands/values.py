"""Values of the command line that are written as text and mean more: a prompt, JSON, a budget."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypedDict

from thena_cli.commands.command_error import CommandError

_LIMITS: Final = {
    "calls": "max_chat_calls",
    "tools": "max_tool_calls",
    "tokens": "max_tokens",
    "usd": "max_cost_usd",
    "seconds": "max_duration",
}
_MODES: Final = ("stop", "raise")
_EXAMPLE: Final = "`--budget calls=5,usd=0.10`"


class Given(TypedDict):
    """What a run is given, as the fields of an order."""

    prompt: str
    state: object
    data: object
    budget: Mapping[str, object] | None


def given_to_run(prompt: str, *, state: str | None, data: str | None, budget: str | None) -> Given:
    """Read what the command line gives to a run. Raises `CommandError`."""
    return Given(
        prompt=read_prompt(prompt),
        state=read_json(state, "--state"),
        data=read_json(data, "--data"),
        budget=read_budget(budget),
    )


def read_prompt(text: str) -> str:
    """The prompt: `-` is standard input, `@FILE` a file, `@@...` a text that begins with `@`; anything else is itself.

    Line breaks at the end of an input or a file aren't part of the prompt. Raises `CommandError`.
    """
    if text == "-":
        if sys.stdin is None:
            raise CommandError("standard input is closed. Type the prompt, or send it through a pipe.")
        return _decoded(sys.stdin.buffer.read(), "standard input").rstrip("\r\n")
    if text.startswith("@@"):
        return text[1:]
    if text.startswith("@"):
        hint = " A prompt that begins with `@` is typed with two of them."
        return _read_file(text[1:], "the prompt", hint).rstrip("\r\n")
    return text


def read_json(text: str | None, option: str) -> object:
    """The JSON value of an option, written out or as `@FILE`; `None` where it isn't given. Raises `CommandError`."""
    if text is None:
        return None
    source = _read_file(text[1:], f"`{option}`", "") if text.startswith("@") else text
    try:
        value: object = json.loads(source)
    except json.JSONDecodeError as error:
        where = f" in `{text[1:]}`" if text.startswith("@") else ""
        raise CommandError(
            f"`{option}` is no JSON{where}: {error.msg} at line {error.lineno}, column {error.colno}. "
            f"Write JSON, or `{option} @FILE` for a file that has it."
        ) from None
    return value


def read_budget(text: str | None) -> Mapping[str, object] | None:
    """The limits of `calls=5,usd=0.10`, by the names of `Budget`; `None` without any. Raises `CommandError`."""
    if text is None:
        return None
    return dict(_read_limit(part.strip()) for part in text.split(","))


def _read_limit(part: str) -> tuple[str, object]:
    name, is_written, value = part.partition("=")
    if name == "mode" and value in _MODES:
        return "mode", value
    limit = _LIMITS.get(name)
    if limit is None or not is_written:
        known = ", ".join([*_LIMITS, "mode"])
        raise CommandError(f"`{part}` is no limit of a budget. Write {_EXAMPLE}, with any of: {known}.")
    try:
        return limit, float(value) if limit in ("max_cost_usd", "max_duration") else int(value)
    except ValueError:
        raise CommandError(f"`{value}` is no number for `{name}` of a budget. Write {_EXAMPLE}.") from None


def _read_file(path: str, what: str, hint: str) -> str:
    try:
        return _decoded(Path(path).read_bytes(), f"`{path}`")
    except OSError as error:
        raise CommandError(f"the file `{path}` for {what} can't be read: {error.strerror}.{hint}") from None


def _decoded(data: bytes, what: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CommandError(f"{what} is no UTF-8 text, at byte {error.start}. Save it as UTF-8.") from None
