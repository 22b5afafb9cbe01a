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

report = click.option(
    "--report", metavar="[=FOLDER]", help="Write a page about the run, to report/ or the folder that the app says."
)
"""A folder, or nothing after the name; for a command of the class `Reporting`."""


class Reporting(click.Command):
    """A command whose `--report` may stand alone: what follows it without a `=` is an argument of its own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments. Raises `UsageError`."""
        end = args.index("--") if "--" in args else len(args)
        given = ["--report=" if arg == "--report" else arg for arg in args[:end]]
        return super().parse_args(ctx, [*given, *args[end:]])


json = click.option("--json", "is_json", is_flag=True, help="Print JSON, one object a line.")

traceback = click.option("--traceback", "traces", is_flag=True, help="Show whole tracebacks of errors.")
