"""Saves that count at once, or wait: nothing but sets of paths."""

from pathlib import Path

from thena_cli.dev.gate import Gate

FLOW, TOOLS, PROMPT = (frozenset({Path(name)}) for name in ("flow.py", "tools.py", "writer.agent.md"))


def test_saves_wait_while_it_is_paused_and_while_a_prompt_is_typed() -> None:
    """Those that waited count together, once nothing keeps them any more; without any, nothing counts."""
    counted: list[frozenset[Path]] = []
    gate = Gate(counted.append)
    gate.save(FLOW)
    assert [FLOW] == counted
    assert gate.pause()
    gate.save(FLOW)
    gate.hold(True)
    gate.save(TOOLS)
    assert not gate.pause()
    gate.save(PROMPT)
    assert ([FLOW], FLOW | TOOLS | PROMPT) == (counted, gate.waiting)
    gate.hold(False)
    gate.hold(False)
    assert ([FLOW, FLOW | TOOLS | PROMPT], frozenset()) == (counted, gate.waiting)
