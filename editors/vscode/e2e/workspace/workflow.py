"""A workflow that forgot to declare the state its agent asks for: the fault that the tests want to see."""

from agents import Reviewer
from state import ReviewState

from thena_runtime import Workflow

__all__ = ["Review", "ReviewState"]


@Workflow(steps=[Reviewer])
class Review: ...
