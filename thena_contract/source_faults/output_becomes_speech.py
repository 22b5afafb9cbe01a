"""THN803: one agent's output becomes the next one's speech."""

from typing import ClassVar, final

from thena_contract.fault import Fault, Severity


@final
class OutputBecomesSpeech(Fault):
    """An agent reads the answer of the agent before it as something that it said itself."""

    code: ClassVar[str] = "THN803"
    name: ClassVar[str] = "output-becomes-speech"
    severity: ClassVar[Severity] = Severity.HINT
    text: ClassVar[str] = "`{second}` reads the answer of `{first}` as if it had given that itself."
    hint: ClassVar[str] = (
        "Take it out of the history in `{first}.after_response` and append it to `memory`, if it is meant as context."
    )

    first: str
    second: str
