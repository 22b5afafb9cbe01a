"""The `thena` command: it composes the linter, the runtime's child process and a screen; nobody imports it.

Left out on purpose: any judgement of its own (that is `thena_contract`) and any import of user code (that happens
only in the child process).
"""
