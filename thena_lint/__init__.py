"""The linter: reads a project's text, makes the declarations that the runtime makes from classes, and has them judged.

No user code is imported or run here.
"""
