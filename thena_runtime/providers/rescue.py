"""Tool calls that a model wrote into its text instead of marking them as calls; pure.

There are many ways to write a call, and an answer may show one without meaning it. A call counts when the answer
marks it as one, in any of the forms that models were trained on; or when its JSON stands alone in the answer; or when
it stands beside text on lines of its own, or at the end, and nothing before it says that it is an example. In strict
mode nothing but calls may stand in the answer. A call counts only if it names a tool that the model was told of.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NoReturn

from thena_runtime.messages import FunctionCall, new_call_id

_WRAPPERS: Final = ("function", "tool_call", "toolCall", "tool_use")
_NAME_KEYS: Final = ("name", "tool", "tool_name", "toolName", "function_name", "function")
_ARGUMENT_KEYS: Final = ("arguments", "parameters", "args", "input", "params")
_BARE_KEYS: Final = frozenset((*_NAME_KEYS, "id", "type", "index"))
"""What a call without arguments may hold: an object that has more, and merely names a tool, is no call."""
_DEEPEST: Final = 3

_MARK: Final = re.compile(
    r"<(?:tool_call|function_call|tool_use)>|<\|(?:tool_call|python_tag)\|>|\[TOOL_CALLS?\]", re.IGNORECASE
)
_END_MARK: Final = re.compile(
    r"\s*(?:</(?:tool_call|function_call|tool_use)>|\[/TOOL_CALLS?\]|<\|/?tool_call\|>|</function>|<\|eom_id\|>|```)",
    re.IGNORECASE,
)
_FIRST_MARK: Final = re.compile(rf"{_MARK.pattern}|<function=(?P<name>[^<>\s]+)>", re.IGNORECASE)
_PARAMETER: Final = re.compile(r"\s*<parameter=(?P<name>[^<>\s]+)>\n?(?P<value>.*?)\n?</parameter>", re.DOTALL)
_BARE_NAME: Final = re.compile(r"\s*(?P<name>[\w.-]+)\s*(?:\[ARGS\])?\s*(?=\{)")
_FENCE: Final = re.compile(r"```(?:json|tool_call|tool_code)?[ \t]*\n?", re.IGNORECASE)
_OPEN_FENCE: Final = re.compile(r"```\w*\s*\Z")
_BRACE: Final = re.compile(r"[{\[]")
_BLANKS: Final = " \t\r\n`"
_EXAMPLE: Final = re.compile(
    r"\b(?:examples?|for instance|such as|like this|looks? like|syntax|in the form(?:at)?"
    r"|you (?:can|could|may|might|would))\b|\be\.g\.",
    re.IGNORECASE,
)
_ATTEMPTS: Final = 100
"""How many braces are tried: an answer that is full of them is code, and no call."""


def rescue_calls(
    text: str, tools: Collection[str], *, strict: bool = False, is_cut_off: bool = False
) -> tuple[FunctionCall, ...]:
    """Find the calls of these tools that a text makes, each with an id of its own.

    A call that has only some of its arguments, for the text was cut off, has them all as one text.
    """
    if not tools or not text or ("{" not in text and "<function=" not in text.lower()):
        return ()
    found = _marked(text, tools, is_cut_off)
    if not found:
        found = _unmarked(text, tools)
    if strict and not _is_all(text, found):
        return ()
    return tuple(call for each in found for call in each.calls)


def read_calls(value: object, depth: int = _DEEPEST) -> tuple[FunctionCall, ...]:
    """Read the calls of one JSON value, whatever names its parts go by and whatever it is wrapped in.

    It isn't asked whether the tools exist. Arguments that are missing or null are empty; text that is no JSON stays.
    """
    if depth < 0:
        return ()
    if isinstance(value, list):
        return tuple(call for each in value for call in read_calls(each, depth - 1))
    if not isinstance(value, Mapping):
        return ()
    for key in _WRAPPERS:
        if isinstance(value.get(key), Mapping | list):
            wrapped = read_calls(value[key], depth - 1)
            if wrapped:
                return wrapped
    names = (value.get(key) for key in _NAME_KEYS)
    name = next((name.strip() for name in names if isinstance(name, str) and name.strip()), None)
    if name is None:
        return ()
    given = next((value[key] for key in _ARGUMENT_KEYS if key in value), None)
    return (FunctionCall(id=new_call_id(), name=name, arguments=_arguments(given), source="rescued"),)


class CallSplitter:
    """Holds back the text of one answer that may turn out to be a call; where it is cut into chunks changes nothing.

    What an answer begins with decides (JSON, or a code block that may hold it), and so does a mark further on. From
    there to the end everything is held back.
    """

    def __init__(self) -> None:
        self._said_something = False
        self._tail = ""
        self._held: list[str] | None = None

    def feed(self, chunk: str) -> str:
        """Take what has come, and return what is no call for certain."""
        if self._held is not None:
            self._held.append(chunk)
            return ""
        text = self._tail + chunk
        self._tail = ""
        start = _suspicion(text, is_beginning=not self._said_something)
        if start is not None:
            self._held = [text[start:]]
            return text[:start]
        end = len(text) - _undecided(text, is_beginning=not self._said_something)
        self._tail = text[end:]
        self._said_something = self._said_something or not (text[:end].isspace() or not end)
        return text[:end]

    def finish(self) -> str:
        """Say that nothing more comes, and return what was held back."""
        held = "".join(self._held) if self._held is not None else self._tail
        self._held, self._tail = None, ""
        return held


# -- where a call may begin

_LANGUAGES: Final = ("json", "tool_call", "tool_code")
_SUSPICIOUS_BEGINNING: Final = re.compile(rf"\s*(?:\{{|\[\s*\{{|```(?:{'|'.join(_LANGUAGES)})?[ \t]*\n)", re.IGNORECASE)
_FENCE_BEGINNINGS: Final = frozenset(f"```{name}"[:length] for name in _LANGUAGES for length in range(len(name) + 4))
_SUSPICIOUS: Final = re.compile(f"{_MARK.pattern}|<function=", re.IGNORECASE)
_MARKS: Final = (
    "<tool_call>",
    "<function_call>",
    "<tool_use>",
    "<|tool_call|>",
    "<|python_tag|>",
    "[tool_call]",
    "[tool_calls]",
    "<function=",
)
_MARK_BEGINNINGS: Final = frozenset(mark[:length] for mark in _MARKS for length in range(1, len(mark)))
_LONGEST_MARK: Final = max(map(len, _MARKS))


def _suspicion(text: str, *, is_beginning: bool) -> int | None:
    if is_beginning and _SUSPICIOUS_BEGINNING.match(text):
        return 0
    mark = _SUSPICIOUS.search(text)
    return None if mark is None else mark.start()


def _undecided(text: str, *, is_beginning: bool) -> int:
    """Count the last characters that may be where a call begins."""
    if is_beginning and _may_become_suspicious(text.lstrip().lower()):
        return len(text)
    for start in range(max(0, len(text) - _LONGEST_MARK), len(text)):
        if text[start] in "<[" and text[start:].lower() in _MARK_BEGINNINGS:
            return len(text) - start
    return 0


def _may_become_suspicious(beginning: str) -> bool:
    if beginning.startswith("["):
        return not beginning[1:].strip()
    line = beginning.rstrip(" \t")
    return line in _FENCE_BEGINNINGS and (line == beginning or line == "```" or line[3:] in _LANGUAGES)


# -- finding


@dataclass(frozen=True, slots=True)
class _Found:
    """Calls, and the part of the text that they take."""

    calls: tuple[FunctionCall, ...]
    start: int
    end: int


def _marked(text: str, tools: Collection[str], is_cut_off: bool) -> list[_Found]:
    found: list[_Found] = []
    position = floor = 0
    for _ in range(_ATTEMPTS):
        mark = _FIRST_MARK.search(text, position)
        if mark is None:
            break
        read = _named_call if mark["name"] else _behind_mark
        call = read(text, mark, tools, is_cut_off)
        position = mark.end()
        if call is not None:
            if not _is_shown(text[floor : mark.start()]):
                found.append(call)
            position = floor = call.end
    return found


def _behind_mark(text: str, mark: re.Match[str], tools: Collection[str], is_cut_off: bool) -> _Found | None:
    """Read the JSON behind a mark; no closing tag is needed, for an answer may be cut off."""
    start = _skip_blanks(text, mark.end())
    inner = _FIRST_MARK.match(text, start)
    if inner is not None and inner["name"]:
        call = _named_call(text, inner, tools, is_cut_off)
        return None if call is None else _Found(call.calls, mark.start(), _closed(text, call.end))
    fence = _FENCE.match(text, start)
    if fence is not None:
        start = _skip_blanks(text, fence.end())
    bare = _BARE_NAME.match(text, start)
    if bare is not None and bare["name"] in tools:
        value, end = _value_at(text, bare.end())
        return None if value is _NOTHING else _Found((_call(bare["name"], value),), mark.start(), _closed(text, end))
    value, end = _value_at(text, start)
    calls = _known(value, tools)
    return _Found(calls, mark.start(), _closed(text, end)) if calls else None


def _named_call(text: str, mark: re.Match[str], tools: Collection[str], is_cut_off: bool) -> _Found | None:
    """Read `<function=name>`, with its arguments as JSON or each in a tag of its own."""
    if mark["name"] not in tools:
        return None
    value, end = _value_at(text, _skip_blanks(text, mark.end()))
    if not isinstance(value, Mapping):
        given: dict[str, object] = {}
        end = mark.end()
        while parameter := _PARAMETER.match(text, end):
            given[parameter["name"]] = _loose(parameter["value"])
            end = parameter.end()
        value = given
        rest = text[end:].lstrip()
        if rest.startswith(("<parameter=", "{")) or (is_cut_off and not _END_MARK.match(rest)):
            return _Found((_call(mark["name"], text[mark.end() :]),), mark.start(), len(text))
    return _Found((_call(mark["name"], value),), mark.start(), _closed(text, end))


def _unmarked(text: str, tools: Collection[str]) -> list[_Found]:
    found = [_Found(calls, start, end) for value, start, end in _objects(text) if (calls := _known(value, tools))]
    if _is_all(text, found):
        return found
    meant: list[_Found] = []
    floor = 0
    for each in found:
        if _is_meant(text[floor : each.start], text[each.start : each.end], text[each.end :]):
            meant.append(each)
        floor = each.end
    return meant


def _is_meant(before: str, call: str, after: str) -> bool:
    """Say whether a call beside text is meant: by its form, its place, and the words before it."""
    value, _ = _value_at(call, 0)
    if not all(_has_arguments(each) for each in (value if isinstance(value, list) else [value])):
        return False
    begins_line = not before[before.rfind("\n") + 1 :].strip(_BLANKS)
    ends_line = after.lstrip(" \t")[:1] in ("", "\n", "\r", "`")
    ends_answer = not after.strip(_BLANKS + ".")
    return ((begins_line and ends_line) or ends_answer) and not _is_shown(before)


def _is_shown(before: str) -> bool:
    """Say whether what stands before a call introduces it as an example."""
    if before.endswith("`") and not before.endswith("```"):
        return True  # code within a sentence
    line = _OPEN_FENCE.sub("", before).rstrip()
    return _EXAMPLE.search(line[line.rfind("\n") + 1 :]) is not None


def _has_arguments(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    return any(key in value for key in _ARGUMENT_KEYS) or any(isinstance(value.get(key), Mapping) for key in _WRAPPERS)


def _objects(text: str) -> Iterator[tuple[object, int, int]]:
    """Every JSON object of a text, and every list of them, with where it stands; a stray brace is passed over."""
    position = 0
    for _ in range(_ATTEMPTS):
        brace = _BRACE.search(text, position)
        if brace is None:
            return
        value, end = _value_at(text, brace.start())
        if isinstance(value, Mapping) or (isinstance(value, list) and value and isinstance(value[0], Mapping)):
            yield value, brace.start(), end
            position = end
        else:
            position = brace.end()


def _is_all(text: str, found: list[_Found]) -> bool:
    """Say whether nothing but calls, and what encloses them, stands in a text."""
    rest, position = [], 0
    for each in found:
        rest.append(text[position : each.start])
        position = each.end
    rest.append(text[position:])
    return all(not _FENCE.sub("", piece).strip(_BLANKS + ",;") for piece in rest)


# -- values


class _Nothing:
    """There was no JSON."""


_NOTHING: Final = _Nothing()


def _refuse_constant(constant: str) -> NoReturn:
    # Python reads NaN and Infinity, JSON has neither.
    raise ValueError(constant)


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant, strict=False)


def _value_at(text: str, start: int) -> tuple[object, int]:
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return _NOTHING, start


def _known(value: object, tools: Collection[str]) -> tuple[FunctionCall, ...]:
    objects = value if isinstance(value, list) else [value]
    if not all(isinstance(each, Mapping) and (_has_arguments(each) or each.keys() <= _BARE_KEYS) for each in objects):
        return ()
    calls = read_calls(value)
    return calls if all(call.name in tools for call in calls) else ()


def _call(name: str, arguments: object) -> FunctionCall:
    return FunctionCall(id=new_call_id(), name=name, arguments=arguments, source="rescued")


def _arguments(given: object) -> object:
    if given is None:
        return {}
    if not isinstance(given, str):
        return given
    return _loose(given)


def _loose(text: str) -> object:
    """Read a text as JSON, or leave it as it is."""
    try:
        value: object = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return text
    return value


def _skip_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _closed(text: str, end: int) -> int:
    """Where a call ends that ends there, with what closes it."""
    while closing := _END_MARK.match(text, end):
        end = closing.end()
    return end
