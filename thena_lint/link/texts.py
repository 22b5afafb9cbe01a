"""Texts as options: names, descriptions, and prompts, which may stand in a file."""

from pathlib import Path
from typing import Final

from thena_contract.declarations import UNKNOWN, PromptFile, PromptText, Thing, Unknown
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import PROMPT, External, Scope, ValueAt, is_framework, resolve
from thena_lint.link.things import thing_of
from thena_lint.source.disk import CLOSED, FILE, kind_of
from thena_lint.summary.expressions import Attribute, Call, Constant, Expression, Name

_PATH: Final = External("pathlib.Path")
_TEXT: Final = "text"


def read_prompt(
    index: ProjectIndex, folder: Path, scope: Scope, expression: Expression
) -> PromptFile | PromptText | Thing | Unknown | None:
    """Read what `prompt=` is given; a file is looked for in the folder."""
    match expression:
        case Constant(type="str", value=str(literal)):
            return PromptFile(literal=literal, exists=_is_there(folder / literal))
        case Constant(type="str"):
            return UNKNOWN
        case Call(function=function) as call:
            what = resolve(index, scope, function)
            if is_framework(what, PROMPT):
                return _text(index, scope, call)
            match call.arguments:
                case (one,) if what == _PATH and isinstance(one.value, Constant):
                    if isinstance(one.value.value, str) and not one.star:
                        # A path tells its text without a leading `./`, and so do both readers.
                        literal = str(Path(one.value.value))
                        return PromptFile(literal=literal, exists=_is_there(folder / literal))
        case Name() | Attribute():
            what = resolve(index, scope, expression)
            if isinstance(what, ValueAt) and isinstance(what.value.expression, Constant | Call):
                return read_prompt(index, folder, what.scope, what.value.expression)
    thing = thing_of(index, scope, expression)
    if thing is UNKNOWN or (thing.kind == "value" and thing.name == "str"):
        return UNKNOWN
    return None if thing.kind == "value" and thing.name == "NoneType" else thing


def text_of(index: ProjectIndex, scope: Scope, expression: Expression) -> str | Thing | Unknown | None:
    """What stands in the place of a text: the text itself, however long, `None`, or a thing that certainly is none."""
    while isinstance(expression, Name | Attribute):
        what = resolve(index, scope, expression)
        if not isinstance(what, ValueAt) or isinstance(what.value.expression, Name | Attribute):
            break
        scope, expression = what.scope, what.value.expression
    if isinstance(expression, Constant) and expression.type == "str":
        return expression.value if isinstance(expression.value, str) else UNKNOWN
    thing = thing_of(index, scope, expression)
    if thing is UNKNOWN or (thing.kind == "value" and thing.name == "str"):
        return UNKNOWN
    return None if thing.kind == "value" and thing.name == "NoneType" else thing


def _text(index: ProjectIndex, scope: Scope, call: Call) -> PromptText | Thing | Unknown:
    """The text inside `Prompt(...)`."""
    match call.arguments:
        case (one,) if not one.star and one.keyword in (None, _TEXT):
            match text_of(index, scope, one.value):
                case str(text):
                    return PromptText(is_empty=not text.strip())
                case Thing() as thing:
                    return thing
                case None:
                    return Thing(kind="value", name="NoneType")
    return PromptText()


def _is_there(path: Path) -> bool | Unknown:
    """Say whether a file is there; unknown where this process may not look, or the disk doesn't answer."""
    kind = kind_of(path)
    return UNKNOWN if kind == CLOSED else kind == FILE
