"""Fuzz the linter with bytes, led by coverage: `python tests/fuzz/fuzz_lint.py -max_total_time=300`.

It needs `atheris` (`pip install atheris`), which nothing else does, and takes libFuzzer's options. It begins with the
files of the test projects. The first byte decides whether the rest is a module, a notebook or the cell of one.
"""

import json
import sys
import tempfile
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parents[2]))

with atheris.instrument_imports(include=["thena_lint", "thena_contract"]):
    import thena_lint.analyze  # noqa: F401 - what is to be instrumented

from tests.support.odd_bytes import check, real_files


def try_one(data: bytes) -> None:
    """Lint one input; an exception, or a fault of the linter, is a finding of the fuzzer."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        match data[:1]:
            case b"N":
                check(Path(folder), "odd.ipynb", data[1:])
            case b"C":
                cell = {"cell_type": "code", "source": data[1:].decode("utf-8", "surrogateescape")}
                check(Path(folder), "odd.ipynb", json.dumps({"nbformat": 4, "cells": [cell, cell]}).encode())
            case _:
                check(Path(folder), "odd.py", data)


def main() -> None:
    """Write the first inputs and begin."""
    corpus = Path(tempfile.mkdtemp(prefix="fuzz-lint-"))
    for number, data in enumerate(real_files()):
        (corpus / f"{number}.py").write_bytes(data)
        (corpus / f"{number}.cell").write_bytes(b"C" + data)
    atheris.Setup([*sys.argv, str(corpus)], try_one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
