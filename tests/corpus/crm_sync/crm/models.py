from dataclasses import InitVar, dataclass, field

__all__ = ["Contact", "SyncState"]


@dataclass(order=True)
class Contact:
    email: str
    name: str = field(default="", compare=False)


@dataclass
class SyncState:
    source: InitVar[str] = "crm"
    contacts: list[Contact] = field(default_factory=list)
    conflicts: int = field(default=0, kw_only=True)

    def __post_init__(self, source: str) -> None:
        self.origin = source


_private = object()
