"""Changes of what a call is given."""

from collections.abc import Iterator

import libcst

from thena_lint.edit import Edit
from thena_lint.rewrite.region import Region, indentation_at, is_alone, lines_around


def argument(call: libcst.Call, name: str) -> libcst.Arg | None:
    """An argument by its keyword."""
    return next((one for one in call.args if one.keyword is not None and one.keyword.value == name), None)


def by_position(call: libcst.Call) -> tuple[libcst.Arg, ...]:
    """The arguments without keywords, those that are spread by one star included."""
    return tuple(one for one in call.args if one.keyword is None and one.star != "**")


def with_option(region: Region, call: libcst.Call, name: str, value: str, *, is_last: bool = False) -> Edit:
    """Give an option: in the place of its value, if it has one, else as the first or last of those with a name."""
    given = argument(call, name)
    if given is not None:
        return region.swap(given.value, value)
    option = f"{name}={value}"
    if not call.args:
        return region.insert(region.bare_end(call) - 1, option)
    leading = call.args if is_last else by_position(call)
    if leading:
        last = leading[-1]
        between = _between(region, call, last)
        return region.insert(region.end(last.value), f",{between}{option}")
    first = call.args[0]
    return region.insert(region.start(first), f"{option},{_between(region, call, first)}")


def with_entry(region: Region, entries: libcst.List | libcst.Tuple, text: str) -> Edit:
    """Put one more entry at the end of a list that is written out."""
    if not entries.elements:
        return region.insert(region.end(entries) - 1, text if isinstance(entries, libcst.List) else f"{text},")
    last = entries.elements[-1].value
    at = region.start(last)
    begins = is_alone(region.source.text, at, region.end(last))
    between = f"\n{indentation_at(region.source.text, at)}" if begins else " "
    return region.insert(region.end(last), f",{between}{text}")


def without_argument(region: Region, call: libcst.Call, gone: libcst.Arg) -> Edit | None:
    """Take an argument out, with its comma; `None` where a comment would go with it."""
    text = region.source.text
    number = next(number for number, one in enumerate(call.args) if one is gone)
    start, end = region.start(gone), _end(region, gone)
    if is_alone(text, start, end) and region.start(call) < lines_around(text, start, end)[0]:
        return region.edit(*lines_around(text, start, end), "")
    if number > 0:
        start = _end(region, call.args[number - 1])
    elif len(call.args) > 1:
        end = region.start(call.args[1])
    elif isinstance(gone.comma, libcst.Comma):
        end = region.bare_end(call) - 1
    return None if "#" in text[start:end] else region.edit(start, end, "")


def mentioned(node: libcst.CSTNode) -> Iterator[str]:
    """Every name and attribute that a node mentions."""
    if isinstance(node, libcst.Name):
        yield node.value
    for child in node.children:
        yield from mentioned(child)


def _end(region: Region, one: libcst.Arg) -> int:
    return region.end(one.value)


def _between(region: Region, call: libcst.Call, one: libcst.Arg) -> str:
    """What stands between two arguments: a new line, if each has its own."""
    text = region.source.text
    start = region.start(one)
    is_below = not text[lines_around(text, start, start)[0] : start].strip()
    return f"\n{indentation_at(text, start)}" if is_below and region.start(call) < start else " "
