"""The language server: an editor's view of what the linter knows. Only its version lives here."""


def version() -> str:
    """The version that is installed, for `--version` and for the client."""
    # Here, since the look-up reads the metadata of the installation, which costs more than parsing the arguments.
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("thena")
    except PackageNotFoundError:
        return "(not installed)"
