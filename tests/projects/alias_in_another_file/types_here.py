from typing import Annotated, TypeAlias

import thena_runtime as th
from thena_runtime import state as the_state

from draft import Draft as Shared

_Inner = th.State[Shared]
DraftState = _Inner
Spelt: TypeAlias = Annotated[Shared, the_state()]
Meant = th.State
Quoted: TypeAlias = "Meant[Shared]"
Optional_ = Spelt | None
