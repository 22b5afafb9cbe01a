"""The commands of `thena`, one module each: `NAME`, `HELP`, `add_arguments(parser)` and `run(arguments)`.

A module imports what its command needs only when it runs, so that `thena --help` stays quick.
"""
