"""Loaded lazily: importing `crm` costs nothing."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crm.flows import Sync
    from crm.models import Contact

_HOMES = {"Sync": "crm.flows", "Contact": "crm.models"}
__all__ = ["Contact", "Sync"]


def __getattr__(name: str):
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(name)
