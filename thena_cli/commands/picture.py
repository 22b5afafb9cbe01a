"""A graph on its way to a stream or a file, in a format."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Final, Literal, TypeAlias, cast

from thena_cli.commands.command_error import CommandError
from thena_cli.commands.output import write
from thena_cli.pictures.mermaid import draw_mermaid
from thena_cli.pictures.svg import draw_svg
from thena_cli.pictures.tree import draw_tree
from thena_contract.graph import Graph

Format: TypeAlias = Literal["text", "mermaid", "json", "svg"]

_SUFFIXES: Final[dict[str, Format]] = {
    ".txt": "text",
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".json": "json",
    ".svg": "svg",
}


def format_of(asked: str | None, output: str | None) -> Format:
    """The format that was asked for, or that the name of the file says. Raises `CommandError` if neither does."""
    if asked is not None:
        return cast(Format, asked)
    if output is None:
        return "text"
    known = _SUFFIXES.get(Path(output).suffix.lower())
    if known is None:
        raise CommandError(
            f"the name `{output}` says no format. Add `--format`, or end it with one of: {', '.join(_SUFFIXES)}."
        )
    return known


def drawn(graph: Graph, kind: Format) -> str:
    """The picture as text."""
    match kind:
        case "text":
            return draw_tree(graph)
        case "mermaid":
            return draw_mermaid(graph)
        case "svg":
            return draw_svg(graph)
        case "json":
            told = {"nodes": [asdict(node) for node in graph.nodes], "edges": [asdict(edge) for edge in graph.edges]}
            return f"{json.dumps(told, ensure_ascii=False, indent=2)}\n"


def deliver(text: str, output: str | None) -> None:
    """Write it to standard output, or to a file. Raises `CommandError` where that can't be written."""
    if output is None:
        write(text)
        return
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandError(
            f"`{output}` can't be written: {error.strerror}. Name a file in a folder that is there."
        ) from None
