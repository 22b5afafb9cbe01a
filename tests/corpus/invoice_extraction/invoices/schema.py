from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator


class Line(BaseModel):
    model_config = ConfigDict(frozen=True)

    text: str
    amount: Annotated[Decimal, Field(gt=0)]


class Invoice(BaseModel):
    number: str
    issued: date
    lines: list[Line]

    @field_validator("number")
    @classmethod
    def _has_digits(cls, value: str) -> str:
        if not any(character.isdigit() for character in value):
            raise ValueError("an invoice number has digits")
        return value

    @property
    def total(self) -> Decimal:
        return sum((line.amount for line in self.lines), Decimal(0))
