"""What is right: faults, declarations and the verdict that the runtime and the linter share.

Only the standard library is imported here. Import the owning module: this face re-exports nothing, so that
importing one fault doesn't drag in every rule.
"""
