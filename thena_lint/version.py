"""Which version is installed."""


def version() -> str:
    """The version of the distribution, or `(not installed)`."""
    # Imported here since it costs more than parsing the arguments does.
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as of

    try:
        return of("thena")
    except PackageNotFoundError:
        return "(not installed)"
