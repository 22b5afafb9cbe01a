"""The arguments and options that several commands take alike, as decorators."""

import click

target = click.argument("target", metavar="TARGET", type=click.Path())
"""A file, a folder, a module, or one of them with `:name`."""

prompt = click.argument("prompt", metavar="[PROMPT]", required=False, default="", type=click.Path(allow_dash=True))
"""What a run is asked to do: text, `-` or `@FILE`."""

json = click.option("--json", "is_json", is_flag=True, help="Print JSON, one object a line.")

traceback = click.option("--traceback", "traces", is_flag=True, help="Show whole tracebacks of errors.")
