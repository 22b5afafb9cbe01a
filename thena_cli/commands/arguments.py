"""The arguments and options that several commands take alike, as decorators."""

import click

target = click.argument("target", metavar="TARGET", type=click.Path())
"""A file, a folder, a module, or one of them with `:name`."""

prompt = click.argument("prompt", metavar="[PROMPT]", required=False, default="", type=click.Path(allow_dash=True))
"""What a run is asked to do: text, `-` or `@FILE`."""

state = click.option("--state", metavar="JSON", help='What the conversation begins with: {"memory": [...]} or @FILE.')

data = click.option("--data", metavar="JSON", help="The run's data, which no model sees: JSON or @FILE.")

budget = click.option(
    "--budget", metavar="LIMITS", help="What the run may spend: calls=5,tools=9,tokens=9000,usd=0.1,seconds=60."
)

json = click.option("--json", "is_json", is_flag=True, help="Print JSON, one object a line.")

traceback = click.option("--traceback", "traces", is_flag=True, help="Show whole tracebacks of errors.")
