"""The commands of `thena`, one module each, which has a click command called `command` that returns the exit code.

A module imports what its command needs only when it runs, so that `thena --help` stays quick.
"""
