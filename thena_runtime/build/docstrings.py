"""What a docstring says about a function and its parameters, in Google's, NumPy's or Sphinx's style.

The parser is imported only for a docstring of several lines, when a tool is planned.
"""

import inspect
from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

from thena_contract.frozen import frozen


@frozen
class Documented:
    """A docstring taken apart: its text without the sections, and what it says about each parameter."""

    text: str = ""
    parameters: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def documented(function: object) -> Documented:
    """Read the docstring of a function or class. One in no known style is text as a whole."""
    text = inspect.getdoc(function) or ""
    if "\n" not in text:
        return Documented(text)
    from docstring_parser import ParseError, parse

    try:
        parsed = parse(text)
    except ParseError:
        return Documented(text)
    parameters = {
        each.arg_name: " ".join(each.description.split()) for each in parsed.params if each.description is not None
    }
    if not parameters:
        return Documented(text)
    return Documented((parsed.description or "").strip(), MappingProxyType(parameters))
