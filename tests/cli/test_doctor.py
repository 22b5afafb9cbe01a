"""`thena doctor`: what it finds, and what it keeps to itself."""

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.cli.flow_project import write_project
from tests.cli.thena_process import thena
from thena_cli.doctor.check import Check
from thena_cli.doctor.project import look_at_project
from thena_cli.doctor.provider import look_at_provider

KEY = "sk-secret-of-the-user"


@contextmanager
def server(status: int, body: object) -> Iterator[str]:
    """A provider on loopback that answers every request alike; gives its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            sent = json.dumps(body).encode()
            self.send_response(status if self.path == "/v1/models" else 404)
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, format: str, *args: object) -> None:
            return

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listening.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.server_address[1]}/v1"
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()


def test_a_healthy_place_has_nothing_to_mend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each check is a line, the project's start is found, and the exit code is 0; with `--json` each is an object."""
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    write_project(tmp_path)
    done = thena("doctor", "--offline", cwd=tmp_path)
    assert ("", 0) == (done.stderr, done.returncode), done.stdout
    subjects = [line.split()[1] for line in done.stdout.splitlines() if line[0] in "✓·"]
    wanted = ["python", "thena", "libraries", "commands", "target", "pre-commit", "provider", "server", "extension"]
    assert wanted == [subject for subject in subjects if subject != "watching"]
    assert "✓ target      `thena run .` starts flow.workflow:app\n" in done.stdout
    rows = [json.loads(line) for line in thena("doctor", "--offline", "--json", cwd=tmp_path).stdout.splitlines()]
    assert subjects == [row["subject"] for row in rows]


LOCAL = """repos:
  - repo: local
    hooks:
      - id: thena-lint
        name: thena-lint
        entry: thena-lint
        language: system
        pass_filenames: false
"""
HAS = "good: {file} has `thena-lint`"
NEVER = "note: {file} starts `thena-lint` only for some files, and never for one that is deleted"
OTHER = """repos:
  - repo: https://example.invalid/formatter
    rev: v1
    hooks:
      - id: format
        always_run: true
"""
OWN = """  - repo: https://example.invalid/thena
    rev: v1
    hooks:
      - id: thena-lint
        args: [--no-cache]
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (OTHER + OWN, HAS),
        (LOCAL + "        always_run: true\n", HAS),
        ('{"repos": [{"repo": "local", "hooks": [{"entry": "thena-lint", "always_run": true}]}]}', HAS),
        (LOCAL, NEVER),
        (LOCAL + "        types_or: [python]\n" + OTHER.removeprefix("repos:\n"), NEVER),
        (OTHER + OWN + "        always_run: false\n", NEVER),
        (OTHER + "      # - id: thena-lint\n", "note: {file} doesn't have `thena-lint`"),
    ],
)
def test_a_hook_that_misses_deletions_isnt_good(tmp_path: Path, text: str, told: str) -> None:
    """One of this machine has to be started always; that of Thena's repository is, unless it is told otherwise."""
    file = tmp_path / ".pre-commit-config.yaml"
    file.write_text(text, encoding="utf-8")
    [check] = [one for one in look_at_project(tmp_path) if one.subject == "pre-commit"]
    assert told.format(file=file) == f"{check.health}: {check.fact}"
    assert (check.health == "good") == (check.repair is None)


@pytest.mark.parametrize(
    ("status", "body", "model", "fact"),
    [
        (200, {"data": [{"id": "small"}]}, "small", "good: {url} answers and takes the key"),
        (200, {"data": [{"id": "small"}]}, "large", "bad: {url} answers and has no model `large`"),
        (200, "anything", "large", "good: {url} answers and takes the key"),
        (401, {}, None, "bad: {url} refuses the key (status 401)"),
        (404, {}, None, "good: {url} answers and takes the key"),
        (503, {}, None, "bad: {url} fails (status 503)"),
    ],
)
def test_a_provider_is_asked_for_its_models(status: int, body: object, model: str | None, fact: str) -> None:
    """What it answers is told with a repair where there is one, and never with the key."""
    with server(status, body) as url:
        variables = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{url}/"} | ({"OPENAI_MODEL": model} if model else {})
        [check] = look_at_provider(variables, "unused", asks=True)
    assert fact.format(url=url) == f"{check.health}: {check.fact}"
    assert (check.health == "bad") == (check.repair is not None)
    assert KEY not in str(check)


def test_a_provider_that_is_down_is_told_with_what_helps() -> None:
    """The address, the reason and the repair."""
    with server(200, {}) as url:
        pass
    [check] = look_at_provider({"OPENAI_BASE_URL": url}, "unused", asks=True)
    assert ("bad", True) == (check.health, check.fact.startswith(f"{url} can't be reached: "))


def test_without_variables_nothing_is_asked() -> None:
    """Scripts need no provider, so that its lack is a note."""
    [check] = look_at_provider({"OPENAI_API_KEY": ""}, "http://127.0.0.1:9/nowhere", asks=True)
    told = "OPENAI_API_KEY and OPENAI_BASE_URL aren't set; scripts and providers of your own need neither"
    assert Check(subject="provider", health="note", fact=told) == check
