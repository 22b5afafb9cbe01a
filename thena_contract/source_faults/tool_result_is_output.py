"""THN802: a tool's result becomes the output."""

from typing import ClassVar, final

from thena_contract.fault import Fault, Severity


@final
class ToolResultIsOutput(Fault):
    """An agent with tools takes the last turn of a workflow, so a tool's result may be what the workflow returns."""

    code: ClassVar[str] = "THN802"
    name: ClassVar[str] = "tool-result-is-output"
    severity: ClassVar[Severity] = Severity.INFORMATION
    text: ClassVar[str] = (
        "`{agent}` has tools and takes the last turn of `{workflow}`, so what a tool returns may become the "
        "output, unread by the model."
    )
    hint: ClassVar[str] = "Put it into a loop: `loop([{agent}], until=until_answered)`."

    agent: str
    workflow: str
