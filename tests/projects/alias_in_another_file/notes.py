from thena_runtime import Tool as T

import types_here
from types_here import DraftState as DS
from types_here import Optional_, Quoted, Spelt

Meant = list
Shared = int


@T(name="one", description="Through a renamed alias of an alias.")
class One:
    async def execute(self, text: str, s: DS) -> str:  # error: THN201
        return text


@T(name="two", description="Through an alias of Annotated, read from its module.")
class Two:
    async def execute(self, text: str, s: types_here.Spelt) -> str:  # error: THN201
        return text


@T(name="three", description="An alias that is a string is evaluated here, where its names mean something else.")
class Three:
    async def execute(self, text: str, s: Quoted) -> str:
        return text


@T(name="four", description="Through an alias of a union with None; without default it is required.")
class Four:
    async def execute(self, text: str, s: Optional_) -> str:  # error: THN201
        return text


@T(name="five", description="Optional.")
class Five:
    async def execute(self, text: str, s: Optional_ = None) -> str:
        return text
