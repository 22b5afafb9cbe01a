"""What a command line target means."""

import os
from pathlib import Path

import pytest

from thena_lint.target import Target, TargetError, find_target

FLOW = "from thena_runtime import Thena, Workflow\n\n@Workflow(steps=[])\nclass {name}:\n    pass\n"
APP = "\napp = Thena({name})\n"


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    """Two packages with one app each, scripts with several things, and files with none."""
    files = {
        "shop/__init__.py": "",
        "shop/flow.py": FLOW.format(name="Shop") + APP.format(name="Shop"),
        "shop/other.py": FLOW.format(name="Other"),
        "src/bank/__init__.py": "",
        "src/bank/deep/__init__.py": "",
        "src/bank/deep/flow.py": FLOW.format(name="Bank"),
        "scripts/both.py": FLOW.format(name="One") + FLOW.format(name="Two"),
        "scripts/made.py": "from somewhere import make\n\napp = make()\n",
        "scripts/broken.py": "from thena_runtime import Thena\napp = Thena(\n",
        "empty/plain.py": "x = 1\n",
        "notes.txt": "",
        "bare/flow.py": "from thena_runtime import Workflow\n\n@Workflow\nclass Bare:\n    pass\n",
        "a.b.py": FLOW.format(name="Dotted"),
        "v1.2/__init__.py": "",
        "v1.2/flow/__init__.py": "",
        "v1.2/flow/flow.py": FLOW.format(name="Dotted"),
        "scripts/__main__.py": FLOW.format(name="Program"),
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    os.mkfifo(tmp_path / "fifo.py")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "root", "module", "name", "watch"),
    [
        ("shop", ".", "shop.flow", "app", "shop"),
        ("shop/", ".", "shop.flow", "app", "shop"),
        ("shop/flow.py", ".", "shop.flow", "app", "shop"),
        ("./shop/flow.py:Shop", ".", "shop.flow", "Shop", "shop"),
        ("shop.flow", ".", "shop.flow", "app", "shop"),
        ("shop.flow:Shop", ".", "shop.flow", "Shop", "shop"),
        ("shop:Other", ".", "shop.other", "Other", "shop"),
        ("shop.other", ".", "shop.other", "Other", "shop"),
        ("bank.deep", "src", "bank.deep.flow", "Bank", "src/bank"),
        ("src/bank/deep/flow.py", "src", "bank.deep.flow", "Bank", "src/bank"),
        ("scripts/both.py:Two", "scripts", "both", "Two", "scripts"),
        ("scripts/made.py", "scripts", "made", None, "scripts"),
        ("scripts/made.py:app", "scripts", "made", "app", "scripts"),
        ("scripts/broken.py:app", "scripts", "broken", "app", "scripts"),
    ],
)
def test_what_is_meant(cwd: Path, text: str, root: str, module: str, name: str | None, watch: str) -> None:
    """A file, folder or module, with or without a name; the only app stands before workflows."""
    file = (cwd / root).joinpath(*module.split(".")).with_suffix(".py")
    found = find_target(text, cwd)
    expected = Target(
        root=cwd / root,
        module=module,
        file=file,
        name=name,
        is_typed=":" in text,
        watch=cwd / watch,
        behind=found.behind,
    )
    assert expected == found


@pytest.mark.parametrize(
    ("text", "root", "module", "behind"),
    [
        ("shop.flow", ".", "shop.flow", ["src"]),
        ("scripts.both:One", ".", "scripts.both", ["scripts", "src"]),
        ("scripts/both.py:One", "scripts", "both", [".", "src"]),
        ("bank.deep", "src", "bank.deep.flow", ["."]),
        ("src.bank.deep", "src", "bank.deep.flow", ["."]),
    ],
)
def test_what_a_program_may_import_besides(cwd: Path, text: str, root: str, module: str, behind: list[str]) -> None:
    """A typed module keeps its name, as `python -m` has it; its neighbours, this folder and its sources come behind."""
    found = find_target(text, cwd)

    assert (cwd / root, module, tuple(cwd / one for one in behind)) == (found.root, found.module, found.behind)


def test_the_folder_of_the_project_comes_behind(cwd: Path) -> None:
    """Where somebody stands below it, what is imported from it is still found."""
    (cwd / "pyproject.toml").touch()

    assert (cwd, cwd / "src") == find_target("both.py:One", cwd / "scripts").behind


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gone", "`gone` is no file, folder or module here ({cwd}). Name one that is."),
        ("shop.gone:app", "`shop.gone` is no file, folder or module here ({cwd}). Name one that is."),
        ("notes.txt", "`notes.txt` is no Python file. Name a `.py` file, a folder or a module."),
        (
            "scripts/both.py",
            "`scripts/both.py` has several things to start. Type one of:\n  scripts/both.py:One\n  scripts/both.py:Two",
        ),
        (
            "shop/flow.py:Shoop",
            "`shop/flow.py` has no `Shoop`. It has `shop/flow.py:app`, `shop/flow.py:Shop`.",
        ),
        (
            "empty",
            "`empty` has no `Thena(...)` app and no `@Workflow` class. Name the file or module that has one.",
        ),
        ("bare", "`Bare` is decorated with `@Workflow` without a call. Write `@Workflow(...)`."),
        (
            "a.b.py",
            "`a.b.py` can't be imported, because of the dot in `a.b`. Rename it, to `a_b` for instance.",
        ),
        (
            "v1.2/flow/flow.py",
            "`v1.2/flow/flow.py` can't be imported, because of the dot in `v1.2`. Rename it, to `v1_2` for instance.",
        ),
        (
            "scripts/__main__.py",
            "`scripts/__main__.py` can't be imported under its name, which is that of every program. Rename it.",
        ),
        ("x" * 300, "`{long}` can't be read: File name too long. Name something that can."),
        (
            "~nobody-has-this-name/flow.py",
            "`~nobody-has-this-name/flow.py` is no file, folder or module here ({cwd}). Name one that is.",
        ),
        ("fifo.py", "`fifo.py` is no Python file. Name a `.py` file, a folder or a module."),
        ("shop:Gone", "`shop` has no app or workflow named `Gone`. It has `shop/flow.py:app`."),
        ("shopp", "`shopp` is no file, folder or module here ({cwd}). Did you mean `shop`?"),
        ("shop/flows.py", "`shop/flows.py` is no file, folder or module here ({cwd}). Did you mean `shop/flow.py`?"),
    ],
)
def test_what_is_not(cwd: Path, text: str, message: str) -> None:
    """Nothing and several things are errors that say what to type."""
    with pytest.raises(TargetError) as error:
        find_target(text, cwd)

    assert message.format(cwd=cwd, long="x" * 300) == str(error.value)
