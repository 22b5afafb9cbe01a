"""The reviewer's tools: the folder comes through the context, and what they did goes into the state."""

from pathlib import Path

from review.state import ReviewState
from thena_runtime import Context, State, Tool

SAMPLE = Path(__file__).parent / "sample"
"""What is reviewed when nobody says otherwise."""

LONGEST = 20_000


def folder_under_review(ctx: Context) -> Path:
    """The folder that the run was started with (`data={"folder": ...}`), which the model never sees."""
    return Path(ctx.data.get("folder", SAMPLE)).resolve()


@Tool(name="list_files", description="List the source files of the folder under review.")
class ListFiles:
    """Tell the model which files there are, and the state as well."""

    def execute(self, ctx: Context, s: State[ReviewState]) -> str:
        """Return one path a line, relative to the folder under review."""
        folder = folder_under_review(ctx)
        s.files_found = [
            path.relative_to(folder).as_posix()
            for path in sorted(folder.rglob("*.py"))
            if not any(part.startswith(".") for part in path.relative_to(folder).parts)
        ]
        return "\n".join(s.files_found) or "There are no Python files here."


@Tool(name="read_file", description="Read a source file of the folder under review.")
class ReadFile:
    """`path` is what the model fills in; `ctx` and `s` are injected."""

    def execute(self, path: str, ctx: Context, s: State[ReviewState]) -> str:
        """Return the text of one file; a path that leaves the folder is refused."""
        folder = folder_under_review(ctx)
        file = (folder / path).resolve()
        if not file.is_relative_to(folder):
            raise PermissionError(f"{path} lies outside the folder under review.")
        text = file.read_text(encoding="utf-8", errors="replace")
        s.files_read.append(file.relative_to(folder).as_posix())
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n(cut off: the file has {len(text)} characters)"
