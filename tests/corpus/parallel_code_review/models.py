from pydantic import BaseModel, Field


class Remark(BaseModel):
    file: str
    line: int = Field(ge=1)
    text: str


class Verdict(BaseModel):
    approved: bool
    remarks: list[Remark] = []


class ReviewState(BaseModel):
    """What the reviewers share; pydantic checks what they write."""

    model_config = {"validate_assignment": True}

    remarks: list[Remark] = Field(default_factory=list)
    verdict: Verdict | None = None
