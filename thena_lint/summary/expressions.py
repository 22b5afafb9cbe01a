"""Expressions as data: what a linker needs of `loop([Writer], until=done)` once the tree is gone.

Only forms that can name a declaration are kept; every other form is `OPAQUE`, so that editing inside one changes no
fact. `parts` numbers the sub-expressions of a tree node in the same order as those of the data made from it: that is
how a place is found again.
"""

import ast
import warnings
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from typing import Final, Literal

import libcst

from thena_contract.declarations import ParamKind
from thena_contract.frozen import frozen

_DEEPEST: Final = 60
_REMEMBERED: Final = 1_024


class Opaque(Enum):
    """The type of `OPAQUE`: an expression whose form says nothing about declarations."""

    OPAQUE = "opaque"


OPAQUE: Final = Opaque.OPAQUE


@frozen
class Name:
    """`Writer`."""

    id: str


@frozen
class Attribute:
    """`agents.Writer`."""

    value: "Expression"
    name: str


@frozen
class Constant:
    """A value that is no name: its type's name, and the value itself where it is short and plain."""

    type: str
    value: str | int | bool | None = None


NONE: Final = Constant("NoneType")
VALUE: Final = Constant("object")
"""Stands for a value of which nothing matters but that it is no name."""


@frozen
class Sequence:
    """`[a, b]` or `(a, b)`."""

    type: Literal["list", "tuple"]
    items: "tuple[Expression, ...]"


@frozen
class Dictionary:
    """`{"state": Draft}`, where every key is written as a plain string."""

    keys: tuple[str, ...]
    values: "tuple[Expression, ...]"


@frozen
class Spread:
    """`*items` inside a sequence."""

    value: "Expression"


@frozen
class Argument:
    """One argument of a call. `star` is `*` or `**` where it is spread.

    `position` is that of the `**` argument whose dict this one was written in; `None` for an argument of its own.
    """

    value: "Expression"
    keyword: str | None = None
    star: Literal["", "*", "**"] = ""
    position: int | None = None


@frozen
class Call:
    """`loop([Writer], until=done)`."""

    function: "Expression"
    arguments: tuple[Argument, ...] = ()

    def keyword(self, name: str) -> "tuple[int, Expression] | None":
        """The position (as `parts` counts) and value of a keyword argument."""
        for position, argument in enumerate(self.arguments, start=1):
            if argument.keyword == name:
                return position if argument.position is None else argument.position, argument.value
        return None

    @property
    def positional(self) -> "tuple[Expression, ...]":
        """The leading arguments given by position, up to the first that is spread."""
        found = []
        for argument in self.arguments:
            if argument.keyword is not None or argument.star:
                break
            found.append(argument.value)
        return tuple(found)

    @property
    def spreads_positional(self) -> bool:
        """Say whether there is a `*args`."""
        return any(argument.star == "*" for argument in self.arguments)

    @property
    def spreads_keywords(self) -> bool:
        """Say whether there is a `**kwargs`."""
        return any(argument.star == "**" for argument in self.arguments)


@frozen
class Subscript:
    """`State[Draft]`."""

    value: "Expression"
    items: "tuple[Expression, ...]"


@frozen
class Binary:
    """`A + B` or `A | B`."""

    operator: Literal["+", "|"]
    left: "Expression"
    right: "Expression"


@frozen
class Parameter:
    """One parameter as written; of its default only the names are kept, and none where it can't be seen."""

    name: str
    kind: ParamKind
    has_default: bool
    annotation: "Expression | None" = None
    default: "Expression | None" = None


@frozen
class Lambda:
    """`lambda ctx, s: ...`."""

    parameters: tuple[Parameter, ...]


Expression = Name | Attribute | Constant | Sequence | Dictionary | Spread | Call | Subscript | Binary | Lambda | Opaque


def read(node: libcst.CSTNode, depth: int = 0) -> Expression:
    """The expression of a tree node as data."""
    if depth > _DEEPEST:
        return OPAQUE
    if isinstance(node, libcst.Name):
        return _word(node.value)
    inner = tuple(read(part, depth + 1) for part in parts(node))
    match node:
        case libcst.Attribute(attr=libcst.Name(value=name)):
            return Attribute(inner[0], name)
        case libcst.SimpleString() | libcst.ConcatenatedString():
            return _string(node)
        case libcst.FormattedString():
            return Constant("str")
        case libcst.Integer():
            return _integer(node.value, 1)
        case libcst.UnaryOperation(operator=libcst.Minus(), expression=libcst.Integer(value=digits)):
            return _integer(digits, -1)
        case libcst.Float():
            return Constant("float")
        case libcst.Ellipsis():
            return Constant("ellipsis")
        case libcst.Dict():
            keys = _plain_keys(node)
            return Constant("dict") if keys is None else Dictionary(keys, inner)
        case libcst.DictComp():
            return Constant("dict")
        case libcst.Set() | libcst.SetComp():
            return Constant("set")
        case libcst.ListComp():
            return Constant("list")
        case libcst.GeneratorExp():
            return Constant("generator")
        case libcst.List():
            return Sequence("list", inner)
        case libcst.Tuple():
            return Sequence("tuple", inner)
        case libcst.StarredElement():
            return Spread(inner[0])
        case libcst.Call():
            return Call(inner[0], _arguments(node, inner[1:]))
        case libcst.Subscript():
            return Subscript(inner[0], inner[1:])
        case libcst.BinaryOperation(operator=libcst.Add()):
            return Binary("+", inner[0], inner[1])
        case libcst.BinaryOperation(operator=libcst.BitOr()):
            return Binary("|", inner[0], inner[1])
        case libcst.Lambda(params=params):
            return Lambda(tuple(read_parameters(params)))
    return OPAQUE


def _word(word: str) -> Expression:
    match word:
        case "None":
            return NONE
        case "True" | "False":
            return Constant("bool", word == "True")
    return Name(word)


def parts(node: libcst.CSTNode) -> tuple[libcst.CSTNode, ...]:
    """The sub-expressions of a node, in the order in which they are written."""
    match node:
        case libcst.Name():
            return ()
        case libcst.Attribute():
            return (node.value,)
        case libcst.List() | libcst.Tuple():
            return tuple(one.value if isinstance(one, libcst.Element) else one for one in node.elements)
        case libcst.StarredElement():
            return (node.value,)
        case libcst.Dict() if _plain_keys(node) is not None:
            return tuple(element.value for element in node.elements)
        case libcst.Call():
            return (node.func, *(argument.value for argument in node.args))
        case libcst.Subscript():
            return (node.value, *(_slice(element) for element in node.slice))
        case libcst.BinaryOperation(operator=libcst.Add() | libcst.BitOr()):
            return (node.left, node.right)
    return ()


def _plain_keys(node: libcst.Dict) -> tuple[str, ...] | None:
    """The keys of a dict, if all are plain strings and none comes twice."""
    keys = []
    for element in node.elements:
        match element:
            case libcst.DictElement(key=libcst.SimpleString() as key) if (text := text_of(key)) is not None:
                keys.append(text)
            case _:
                return None
    return tuple(keys) if len(set(keys)) == len(keys) else None


def read_parameters(params: libcst.Parameters) -> Iterator[Parameter]:
    """The parameters of a function or lambda, in the order in which they are written."""
    for one in params.posonly_params:
        yield _parameter(one, ParamKind.POSITIONAL_ONLY)
    for one in params.params:
        yield _parameter(one, ParamKind.POSITIONAL_OR_KEYWORD)
    if isinstance(params.star_arg, libcst.Param):
        yield _parameter(params.star_arg, ParamKind.VAR_POSITIONAL)
    for one in params.kwonly_params:
        yield _parameter(one, ParamKind.KEYWORD_ONLY)
    if params.star_kwarg is not None:
        yield _parameter(params.star_kwarg, ParamKind.VAR_KEYWORD)


def _parameter(node: libcst.Param, kind: ParamKind) -> Parameter:
    annotation = None if node.annotation is None else read(node.annotation.annotation)
    default = None if node.default is None else _default(node.default)
    return Parameter(node.name.value, kind, node.default is not None, annotation, default)


def _default(node: libcst.CSTNode) -> "Expression":
    """What kind of thing a default value is, since nothing rests on what exactly it is."""
    match read(node):
        case Constant(type=name) | Sequence(type=name):
            return Constant(name)
        case Lambda():
            return VALUE
        case Call(function=function):
            return Call(function)
        case expression:
            return expression


def _arguments(node: libcst.Call, values: tuple[Expression, ...]) -> tuple[Argument, ...]:
    found = []
    for argument, value in zip(node.args, values, strict=True):
        keyword = argument.keyword.value if argument.keyword is not None else None
        star: Literal["", "*", "**"] = "**" if argument.star == "**" else "*" if argument.star == "*" else ""
        found.append(Argument(value, keyword, star))
    return tuple(found)


def _slice(element: libcst.SubscriptElement) -> libcst.CSTNode:
    return element.slice.value if isinstance(element.slice, libcst.Index) else element.slice


def text_of(node: libcst.SimpleString | libcst.ConcatenatedString) -> str | None:
    """The value of a string; `None` for bytes, for what is known once it runs, and for an escape that is none."""
    value = _string(node).value
    return value if isinstance(value, str) else None


def _string(node: libcst.SimpleString | libcst.ConcatenatedString) -> Constant:
    match node:
        case libcst.SimpleString():
            if "b" in node.prefix.lower():
                return Constant("bytes")
            if "\\" not in node.value or "r" in node.prefix.lower():
                return Constant("str", node.raw_value)
            return Constant("str", _unescaped(node.value))
        case libcst.ConcatenatedString(left=left, right=right):
            first = _string(left) if isinstance(left, libcst.SimpleString) else Constant("str")
            second = (
                _string(right)
                if isinstance(right, libcst.SimpleString | libcst.ConcatenatedString)
                else Constant("str")
            )
            if first.type != second.type or not isinstance(first.value, str) or not isinstance(second.value, str):
                return Constant(first.type)
            return Constant("str", first.value + second.value)


@lru_cache(maxsize=_REMEMBERED)
def _unescaped(literal: str) -> str | None:
    """The value of a string with escapes. An unknown escape warns, which is no business of ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            # `ast.literal_eval` leaves a dozen objects behind that only the garbage collector takes away.
            tree = ast.parse(literal, mode="eval").body
        except (ValueError, SyntaxError):
            return None
    return tree.value if isinstance(tree, ast.Constant) and isinstance(tree.value, str) else None


def _integer(digits: str, sign: int) -> Constant:
    try:
        return Constant("int", sign * int(digits.replace("_", ""), 0))
    except ValueError:
        return Constant("int")
