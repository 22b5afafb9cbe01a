"""What a command answers where it can't do what it is told: a sentence for standard error, and exit code 2."""


class CommandError(Exception):
    """A command can't do what it is told; the text names what is in the way and what to type instead."""
