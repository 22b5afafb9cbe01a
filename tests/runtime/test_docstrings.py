"""What a model is told about a tool's arguments comes from the docstring, in the three styles that Python knows."""

from typing import Annotated, Any

import pytest
from pydantic import Field

from thena_runtime import Agent, Context, Prompt, ScriptedProvider, Thena, Tool, Workflow


def told(tool: object) -> tuple[str, dict[str, Any]]:
    """The description and the properties that a model is sent for one tool."""
    provider = ScriptedProvider(["done"])

    @Agent(provider=provider, prompt=Prompt("Work."), tools=[tool])
    class Worker:
        pass

    @Workflow(steps=[Worker])
    class Flow:
        pass

    Thena(Flow).run_sync("go")
    [spec] = provider.calls[0].tools
    return spec.description, dict(spec.parameters["properties"])


def google(path: str, limit: int = 10) -> str:
    """Read a file.

    Only text is read.

    Args:
        path: Where the file is,
            relative to the project.
        limit: The most lines.
    """
    return path * limit


def numpy(path: str, limit: int = 10) -> str:
    """Read a file.

    Only text is read.

    Parameters
    ----------
    path : str
        Where the file is,
        relative to the project.
    limit : int
        The most lines.
    """
    return path * limit


def sphinx(path: str, limit: int = 10) -> str:
    """Read a file.

    Only text is read.

    :param path: Where the file is,
        relative to the project.
    :param limit: The most lines.
    """
    return path * limit


@pytest.mark.parametrize("function", [google, numpy, sphinx])
def test_each_style_describes_the_arguments(function: object) -> None:
    """The description of the tool is the text without its sections; each argument has its own."""
    description, properties = told(function)

    assert description == "Read a file.\n\nOnly text is read."
    assert properties == {
        "path": {"description": "Where the file is, relative to the project.", "type": "string"},
        "limit": {"description": "The most lines.", "type": "integer", "default": 10},
    }


def test_a_docstring_without_sections_is_the_description_whole() -> None:
    """Nothing is taken out of a text that describes no argument."""

    def free(path: str) -> str:
        """Read a file.

        Note: it is read as UTF-8.
        """
        return path

    assert told(free) == ("Read a file.\n\nNote: it is read as UTF-8.", {"path": {"type": "string"}})


def test_a_class_tool_describes_its_arguments_in_execute() -> None:
    """The decorator gives the description, the docstring of `execute` the arguments; what is injected stays out."""

    @Tool(name="read", description="Read a file.")
    class Read:
        async def execute(self, path: str, ctx: Context) -> str:
            """Read.

            Args:
                path: Where the file is.
                ctx: The run's.
            """
            return path

    assert told(Read) == ("Read a file.", {"path": {"description": "Where the file is.", "type": "string"}})


def test_a_field_s_description_wins() -> None:
    """What `Field(description=...)` says is what the model reads."""

    def read(path: Annotated[str, Field(description="The file's path.")]) -> str:
        """Read a file.

        Args:
            path: Something for programmers.
        """
        return path

    assert told(read) == ("Read a file.", {"path": {"description": "The file's path.", "type": "string"}})
