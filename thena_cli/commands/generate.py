"""`thena generate KIND NAME`: a new agent, tool, workflow, state or provider in the project."""

import click

KINDS = ("agent", "tool", "workflow", "state", "provider")


@click.command("generate")
@click.argument("kind", metavar="KIND", type=click.Choice(KINDS))
@click.argument("name", metavar="NAME")
@click.option("--into", metavar="FOLDER", type=click.Path(), help="The package that it belongs to (the only one here).")
def command(kind: str, name: str, into: str | None) -> int:
    """Add an agent, tool, workflow, state or provider.

    KIND is one of these words, NAME that of the class, in any form: TextSummarizer, text-summarizer. It gets a file of
    its own, an agent a prompt beside it; nothing is overwritten.
    """
    import os
    from typing import cast

    from thena_cli.commands.command_error import CommandError
    from thena_cli.commands.scaffolding import show, written
    from thena_cli.commands.target import current_folder
    from thena_cli.scaffold.names import NameRefusedError, part_name
    from thena_cli.scaffold.part import Kind, PackageUnclearError, dotted, find_package, part_files

    here = current_folder()
    try:
        part = part_name(name, kind)
        package = find_package(here) if into is None else here / into
    except (NameRefusedError, PackageUnclearError) as error:
        raise CommandError(str(error)) from None
    if not os.path.isdir(package):  # noqa: PTH112 - pathlib's own raises for a name that is too long
        raise CommandError(f"`{into}` is no folder. Name the folder of a package.")
    written(part_files(cast(Kind, kind), part, package), here)
    module = f"{dotted(package)}.{part.snake}"
    show(f"from {module} import {part.name}", then=_USES[kind].format(name=part.name, module=module))
    return 0


_USES = {
    "agent": "Put `{name}` into the `steps` of a workflow.",
    "tool": "Put `{name}` into the `tools` of an agent.",
    "workflow": "`thena run {module}` starts it; or put `{name}` into the `steps` of another workflow.",
    "state": "Give it to a workflow: `@Workflow(state={name}, ...)`; `State[{name}]` asks for it.",
    "provider": "Give it to an agent: `@Agent(provider={name}, ...)`.",
}
