"""`--report`: the page about a run, where it is said to be, and what opens it."""

import json
import stat
from pathlib import Path

from tests.cli.flow_project import edit, write_project
from tests.cli.terminal import Terminal, shown
from tests.cli.thena_process import thena

RESTING = "q to leave"


def pages(folder: Path) -> list[Path]:
    """The pages about runs in a folder."""
    return sorted(folder.glob("*/index.html"))


def test_a_run_tells_where_its_report_is(tmp_path: Path) -> None:
    """Below its end; the name alone takes nothing away from the arguments, and a folder comes with `=`."""
    write_project(tmp_path)
    done = thena("run", "--report", "flow", "a question", cwd=tmp_path)
    [page] = pages(tmp_path / "report")
    assert f"  report {page.relative_to(tmp_path)}\n" in done.stderr

    other = thena("run", "flow", "--report=pages/mine", cwd=tmp_path)
    [page] = pages(tmp_path / "pages" / "mine")
    assert f"  report {page.relative_to(tmp_path)}\n" in other.stderr
    assert (0, 0, 1) == (done.returncode, other.returncode, len(pages(tmp_path / "report")))


def test_the_apps_own_report_is_told_and_keeps_its_options(tmp_path: Path) -> None:
    """Also where nobody asked; `--report` asks for nothing but a report, and changes its folder alone."""
    flow = write_project(tmp_path)
    edit(
        flow / "workflow.py",
        "app = Thena(Flow)",
        "from thena_runtime import ReportOptions, ThenaConfig\n\n"
        "app = Thena(Flow, ThenaConfig(report=ReportOptions(folder='own', content=False)))",
    )
    told = [
        json.loads(line)
        for arguments in ((), ("--report",), ("--report=other",))
        for line in thena("run", "flow", "--json", *arguments, cwd=tmp_path).stdout.splitlines()
    ]

    found = [Path(line["page"]) for line in told if line["type"] == "reported"]
    assert ["own", "own", "other"] == [page.parents[1].name for page in found]
    assert [False] * 3 == [
        json.loads(page.with_name("run.json").read_text("utf-8"))["run"]["has_content"] for page in found
    ]


def test_a_run_that_fails_has_a_report_and_one_that_can_not_be_written_is_a_warning(tmp_path: Path) -> None:
    """The exit code is the run's either way."""
    flow = write_project(tmp_path)
    (tmp_path / "a file").touch()
    done = thena("run", "flow", "--report=a file", cwd=tmp_path)
    assert (0, True, False) == (done.returncode, "couldn't be written to" in done.stderr, "\n  report " in done.stderr)

    edit(flow / "models.py", 'return "answer one', '1 / 0; return "answer one')
    failed = thena("run", "flow", "--report", cwd=tmp_path)
    [page] = pages(tmp_path / "report")
    assert (1, True) == (failed.returncode, f"  report {page.relative_to(tmp_path)}\n" in failed.stderr)


def test_a_session_writes_a_report_of_each_run_and_is_not_woken_by_it(tmp_path: Path) -> None:
    """Not in a folder among the sources either; `o` opens the last one in a browser, or says where it is."""
    flow = write_project(tmp_path)
    opener = tmp_path / "opener"
    opener.write_text('#!/bin/sh\necho "$1" >> opened\n', encoding="utf-8")
    opener.chmod(opener.stat().st_mode | stat.S_IXUSR)
    terminal = Terminal(
        "dev", "flow", "--report=flow/pages", cwd=tmp_path, has_keys=True, BROWSER=f"{opener} %s", DISPLAY=""
    )
    assert "  report flow/pages/" in shown(terminal.until(RESTING))
    [first] = pages(flow / "pages")

    terminal.type("o")
    terminal.until("opened")
    terminal.type("r")
    told = shown(terminal.until(RESTING))
    [second] = set(pages(flow / "pages")) - {first}
    assert ("saved" in told, f"  report {second.parent.relative_to(tmp_path)}" in told) == (False, True)
    terminal.type("q")
    assert 0 == terminal.end()
    assert f"{first.as_uri()}\n" == (tmp_path / "opened").read_text("utf-8")


def test_without_a_display_the_place_of_the_report_is_said(tmp_path: Path) -> None:
    """A browser would take the terminal; where no run has a report, it is said how to have one."""
    write_project(tmp_path)
    nowhere = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "BROWSER": ""}
    terminal = Terminal("dev", "flow", cwd=tmp_path, has_keys=True, **nowhere)
    terminal.until(RESTING)
    terminal.type("o")
    assert "no run has a report; `thena dev --report` writes them" in shown(terminal.until("writes them"))
    terminal.type("q")
    terminal.end()

    terminal = Terminal("dev", "flow", "--report", cwd=tmp_path, has_keys=True, **nowhere)
    terminal.until(RESTING)
    terminal.type("o")
    told = shown(terminal.until("index.html"))
    terminal.type("q")
    terminal.end()
    [page] = pages(tmp_path / "report")
    assert f"the report is {page}" in " ".join(told.split())
