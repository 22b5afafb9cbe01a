"""An answer as it is kept: what was told, and all that it rests on. Reading one carries nothing out, whoever wrote it.

It is text and a row of numbers, with a digest in front: fast to read without importing anything.
"""

import struct

from thena_lint.source.disk import Signature, digest

_MAGIC = b"thena-lint answer\n"
_DIGEST = 32
_LENGTH = 8


class SpoiltError(Exception):
    """What is kept isn't an answer, or not all of one."""


class Folder:
    """What a folder held: the source files that were looked at, with their signatures, and what else may matter."""

    __slots__ = ("looked_at", "others")

    def __init__(self, looked_at: dict[str, Signature], others: list[str]) -> None:
        self.looked_at = looked_at
        self.others = others


class Answer:
    """What was told (an exit code, and a text for standard output), and what it rests on, as in a `Journal`."""

    __slots__ = ("code", "contents", "folders", "kinds", "text", "words")

    def __init__(
        self,
        *,
        code: int,
        text: str,
        words: list[str],
        kinds: dict[str, str],
        contents: dict[str, str],
        folders: dict[str, Folder],
    ) -> None:
        self.code = code
        self.text = text
        self.words = words
        self.kinds = kinds
        self.contents = contents
        self.folders = folders


def packed(answer: Answer) -> bytes | None:
    """An answer as bytes; `None` for one that can't be kept."""
    fields = [str(answer.code), answer.text, str(len(answer.words)), *answer.words]
    for pairs in (answer.kinds, answer.contents):
        fields.append(str(len(pairs)))
        for pair in pairs.items():
            fields += pair
    fields.append(str(len(answer.folders)))
    numbers: list[int] = []
    for path, folder in answer.folders.items():
        # No name is empty or holds a slash.
        fields += (path, "/".join(folder.looked_at), "/".join(folder.others))
        for signature in folder.looked_at.values():
            numbers += signature
    if any("\0" in field for field in fields):
        return None
    text = "\0".join(fields).encode("utf-8", "surrogatepass")
    payload = len(text).to_bytes(_LENGTH, "little") + text + struct.pack(f"<{len(numbers)}Q", *numbers)
    return _MAGIC + digest(payload).encode() + payload


def unpacked(data: bytes) -> Answer:
    """The answer in these bytes.

    Raises:
        SpoiltError: if there is none.
    """
    start = len(_MAGIC) + _DIGEST
    payload = data[start:]
    if data[: len(_MAGIC)] != _MAGIC or data[len(_MAGIC) : start] != digest(payload).encode():
        raise SpoiltError
    try:
        return _unpacked(payload)
    except (ValueError, StopIteration, struct.error):
        raise SpoiltError from None


def _unpacked(payload: bytes) -> Answer:
    end = _LENGTH + int.from_bytes(payload[:_LENGTH], "little")
    fields = iter(payload[_LENGTH:end].decode("utf-8", "surrogatepass").split("\0"))
    numbers = iter(struct.unpack(f"<{len(payload[end:]) // 8}Q", payload[end:]))
    signatures = zip(numbers, numbers, numbers, numbers, strict=True)
    code, text = int(next(fields)), next(fields)
    words = [next(fields) for _ in range(int(next(fields)))]
    kinds = {next(fields): next(fields) for _ in range(int(next(fields)))}
    contents = {next(fields): next(fields) for _ in range(int(next(fields)))}
    folders: dict[str, Folder] = {}
    for _ in range(int(next(fields))):
        path, looked_at, others = next(fields), _names(next(fields)), _names(next(fields))
        folders[path] = Folder({name: next(signatures) for name in looked_at}, others)
    return Answer(code=code, text=text, words=words, kinds=kinds, contents=contents, folders=folders)


def _names(joined: str) -> list[str]:
    return joined.split("/") if joined else []
