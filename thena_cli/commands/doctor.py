"""`thena doctor`: what a user, or whoever helps one, wants to know of the environment first."""

import click

from thena_cli.commands import arguments


@click.command("doctor")
@click.option("--offline", is_flag=True, help="Don't ask the provider.")
@arguments.json
def command(offline: bool, is_json: bool) -> int:
    """Look at the environment, project, provider and editor.

    Nothing is changed and no code of yours is imported. One request is sent, to the provider that OPENAI_API_KEY and
    OPENAI_BASE_URL name, if one is set; the key is never shown.

    Exit code: 0 all is well, 1 something has to be mended.
    """
    import json
    import os
    import sys
    from dataclasses import asdict
    from pathlib import Path

    from thena_cli.commands.output import write
    from thena_cli.commands.target import current_folder
    from thena_cli.doctor.environment import look_at_environment
    from thena_cli.doctor.project import look_at_editor, look_at_project
    from thena_cli.doctor.provider import look_at_provider
    from thena_cli.paragraph import paragraph
    from thena_runtime.providers.openai import DEFAULT_BASE_URL

    folder = current_folder()
    checks = [
        *look_at_environment(folder),
        *look_at_project(folder),
        *look_at_provider(os.environ, DEFAULT_BASE_URL, asks=not offline),
        *look_at_editor(Path(os.path.expanduser("~"))),  # noqa: PTH111 - pathlib's own raises where there is no home
    ]
    for check in checks:
        if is_json:
            write(f"{json.dumps(asdict(check), ensure_ascii=False)}\n")
            continue
        sign, colour = {"good": ("✓", "green"), "note": ("·", "cyan"), "bad": ("✗", "red")}[check.health]
        head = f"{click.style(sign, fg=colour)} {click.style(f'{check.subject:<10}', bold=True)}  "
        told = check.fact if check.repair is None else f"{check.fact}\n{check.repair}"
        write(f"{head}{paragraph(told, sys.stdout, indent=14)}\n")
    return 1 if any(check.health == "bad" for check in checks) else 0
