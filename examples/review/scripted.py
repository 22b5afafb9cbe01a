"""A stand-in for a model that needs no key and no network, and still reviews the real files.

Each turn is a function of the conversation, as a model's answer is: it asks for the tools that the prompt names,
reads what they return, and finds a few well-known problems in it.
"""

import re
from collections.abc import Sequence

from thena_runtime import Message, ScriptedCall, tool_call

CHECKS = {
    r"^\s*except\s*:": "a bare `except:` hides every error, Ctrl-C included",
    r"=\s*\[\]\s*[,)].*:\s*$": "a mutable default argument is shared by all calls",
    r"==\s*None\b": "compare with `is None`",
    r"\beval\(": "`eval` runs whatever it is given",
    r"#\s*(TODO|FIXME)\b": "something is left to do",
}


def reviewer_turn(messages: Sequence[Message]) -> str | ScriptedCall:
    """List the files, read the next one, or say what is wrong with those that were read."""
    listed = _observation(messages, "list_files")
    if listed is None:
        return tool_call("list_files")
    texts = _texts_by_path(messages)
    unread = [path for path in listed.splitlines() if path.endswith(".py") and path not in texts]
    if unread:
        return tool_call("read_file", path=unread[0])
    notes = [note for path, text in texts.items() for note in _notes(path, text)]
    return "\n".join(notes) or "No problems found."


def editor_turn(messages: Sequence[Message]) -> str:
    """Group the notes by file, the file with the most problems first."""
    by_file: dict[str, list[str]] = {}
    for note in messages[-1].content.splitlines():
        path, found, rest = note.partition(":")
        if found:
            by_file.setdefault(path, []).append(f"  line {rest}")
    if not by_file:
        return "No problems found."
    count = sum(len(notes) for notes in by_file.values())
    lines = [f"{_counted(count, 'problem')} in {_counted(len(by_file), 'file')}."]
    for path, notes in sorted(by_file.items(), key=lambda item: (-len(item[1]), item[0])):
        lines += ["", path, *notes]
    return "\n".join(lines)


def _observation(messages: Sequence[Message], tool: str) -> str | None:
    return next((message.content for message in messages if message.tool_name == tool), None)


def _texts_by_path(messages: Sequence[Message]) -> dict[str, str]:
    """What `read_file` returned, by the path that it was asked for."""
    answers = {message.tool_call_id: message.content for message in messages if message.tool_name == "read_file"}
    return {
        str(call.arguments["path"]): answers[call.id]
        for message in messages
        for call in message.tool_calls
        if call.name == "read_file" and isinstance(call.arguments, dict) and call.id in answers
    }


def _notes(path: str, text: str) -> list[str]:
    return [
        f"{path}:{number}: {problem}"
        for number, line in enumerate(text.splitlines(), start=1)
        for pattern, problem in CHECKS.items()
        if re.search(pattern, line)
    ]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
