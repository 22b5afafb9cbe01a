import pytest

from thena_runtime.testing import ScriptedProvider, tool_call


@pytest.fixture
def model() -> ScriptedProvider:
    return ScriptedProvider([tool_call("attach", path="a.pdf"), "Dear Ann"])
