"""Which model answers: a scripted one by default, a real one with `THENA_PROVIDER=openai`.

The real one is any server that speaks OpenAI's chat completions: `OPENAI_BASE_URL`, `OPENAI_MODEL` and
`OPENAI_API_KEY` say which.
"""

import os

from review.scripted import editor_turn, reviewer_turn
from thena_runtime import OpenAIProvider, ScriptedProvider


def reviewer_model() -> OpenAIProvider | ScriptedProvider:
    """The model behind the reviewer."""
    return OpenAIProvider() if _is_real() else ScriptedProvider([reviewer_turn])


def editor_model() -> OpenAIProvider | ScriptedProvider:
    """The model behind the editor."""
    return OpenAIProvider() if _is_real() else ScriptedProvider([editor_turn])


def _is_real() -> bool:
    return os.environ.get("THENA_PROVIDER") == "openai"
