"""The faults that only a run can show: no rule looks for them, and the runtime's typed exceptions carry them.

They have one reader, so a hole may be filled with what only a run knows: what was spent, what a model or a tool said.
"""
