"""THN704: a tool ends the run."""

from typing import ClassVar, final

from thena_contract.fault import ReasonedFault


@final
class FatalTool(ReasonedFault):
    """A tool asks for the end of the run. `reason` is the tool's own text."""

    code: ClassVar[str] = "THN704"
    name: ClassVar[str] = "fatal-tool"
    text: ClassVar[str] = "`{tool}` ends the run: {reason}"
    hint: ClassVar[str] = "Mend what the tool names, or have it raise any other exception, which the model is told of."

    tool: str
