"""THN702: what exists only inside a run is asked for outside."""

from typing import ClassVar, final

from thena_contract.fault import Fault


@final
class OutsideARun(Fault):
    """Something that exists only inside a run, or inside a step of one, is asked for outside."""

    code: ClassVar[str] = "THN702"
    name: ClassVar[str] = "outside-a-run"
    text: ClassVar[str] = "`{subject}` is used outside {place}."
    hint: ClassVar[str] = "Use it {where}."

    subject: str
    place: str
    where: str
