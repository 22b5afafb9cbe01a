"""Changes of the parameters of a function or lambda."""

from collections.abc import Sequence

import libcst

from thena_lint.edit import Edit
from thena_lint.rewrite.region import Region, indentation_at, is_alone, lines_around, nodes_in

Function = libcst.FunctionDef | libcst.Lambda


def written_parameters(params: libcst.Parameters) -> tuple[libcst.Param, ...]:
    """The parameters in the order in which they are written."""
    star = [params.star_arg] if isinstance(params.star_arg, libcst.Param) else []
    rest = [] if params.star_kwarg is None else [params.star_kwarg]
    return (*params.posonly_params, *params.params, *star, *params.kwonly_params, *rest)


def by_position(params: libcst.Parameters) -> tuple[libcst.Param, ...]:
    """The parameters that an argument without a keyword fills."""
    return (*params.posonly_params, *params.params)


def parameter(params: libcst.Parameters, name: str) -> libcst.Param | None:
    """A parameter by its name."""
    return next((one for one in written_parameters(params) if one.name.value == name), None)


def with_parameter(region: Region, function: Function, text: str, *, at: int | None = None) -> Edit | None:
    """Add a parameter behind all that are filled by position, or before the one at a position (from 0).

    `None` where that isn't Python: behind a parameter with a default.
    """
    known = by_position(function.params)
    if at is not None and at < len(known):
        first = known[at]
        return region.insert(region.start(first), f"{text},{_between(region, first)}")
    if not known:
        return _with_first(region, function, text)
    last = known[-1]
    if last.default is not None:
        return None
    slash = function.params.posonly_ind
    if not function.params.params and isinstance(slash, libcst.ParamSlash):
        last_end = region.source.text.index("/", region.end(last)) + 1
        return region.insert(last_end, f", {text}")
    return region.insert(region.end(last), f",{_between(region, last)}{text}")


def without_parameters(region: Region, function: Function, gone: Sequence[libcst.Param]) -> tuple[Edit, ...] | None:
    """Take parameters out, each with its comma; `None` where a star, a slash or a comment would be left alone."""
    params = function.params
    left = [one for one in written_parameters(params) if one not in gone]
    loses_star = isinstance(params.star_arg, libcst.ParamStar) and all(one in gone for one in params.kwonly_params)
    loses_slash = bool(params.posonly_params) and all(one in gone for one in params.posonly_params)
    if loses_star or loses_slash:
        return None
    if not left:
        every = written_parameters(params)
        start, end = region.start(every[0]), region.end(every[-1])
        if isinstance(function, libcst.Lambda):
            start -= 1
        return None if "#" in region.source.text[start:end] else (region.edit(start, end, ""),)
    edits = [_without(region, params, one, gone) for one in gone]
    return tuple(edit for edit in edits if edit is not None) if None not in edits else None


def _without(region: Region, params: libcst.Parameters, one: libcst.Param, gone: Sequence[libcst.Param]) -> Edit | None:
    text = region.source.text
    every = written_parameters(params)
    number = next(number for number, each in enumerate(every) if each is one)
    start, end = region.start(one), region.end(one)
    if is_alone(text, start, end):
        return region.edit(*lines_around(text, start, end), "")
    before = next((each for each in reversed(every[:number]) if each not in gone), None)
    if before is not None:
        # What stands between, a star or a slash, belongs to others; the comma goes with what follows it.
        start = _last_comma(text, region.end(before), start)
    else:
        end = region.start(every[number + 1])
    return None if "#" in text[start:end] else region.edit(start, end, "")


def _last_comma(text: str, start: int, end: int) -> int:
    return text.rindex(",", start, end)


def _with_first(region: Region, function: Function, text: str) -> Edit:
    """Add a parameter where none is filled by position."""
    has_more = bool(written_parameters(function.params)) or isinstance(function.params.star_arg, libcst.ParamStar)
    if isinstance(function, libcst.Lambda):
        begins = region.source.text.index("lambda", region.start(function)) + len("lambda")
        return region.insert(begins, f" {text}," if has_more else f" {text}")
    head = function.name if function.type_parameters is None else function.type_parameters
    begins = region.source.text.index("(", region.bare_end(head)) + 1
    return region.insert(begins, f"{text}, " if has_more else text)


def _between(region: Region, one: libcst.Param) -> str:
    """What stands between two parameters: a new line, if each has its own."""
    text = region.source.text
    start = region.start(one)
    return f"\n{indentation_at(text, start)}" if is_alone(text, start, region.end(one)) else " "


def is_mentioned(function: Function, name: str) -> bool:
    """Say whether a function's body, or what its parameters begin with, mentions a name; a text in it may be code."""
    for node in nodes_in(function.body):
        if isinstance(node, libcst.Name) and node.value == name:
            return True
        if isinstance(node, libcst.SimpleString | libcst.FormattedString) and _may_be_evaluated(node, name):
            return True
    return False


def _may_be_evaluated(node: libcst.CSTNode, name: str) -> bool:
    """Say whether a text is nothing but a name."""
    return isinstance(node, libcst.SimpleString) and node.raw_value == name
