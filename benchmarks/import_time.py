"""CPU time of starting each part of Thena in a fresh process, against a Python that starts and does nothing.

The parts take turns within one run, so that a noisy machine disturbs all of them alike: read the ratios, not the times.
"""

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

BARE = "bare Python"
COMMANDS = {
    BARE: ["-c", "pass"],
    "import thena_contract.judge": ["-c", "import thena_contract.judge"],
    "import thena_runtime": ["-c", "import thena_runtime"],
    "from thena_runtime import Thena": ["-c", "from thena_runtime import Thena"],
    "import thena_lint.check": ["-c", "import thena_lint.check"],
    "import thena_lsp.server": ["-c", "import thena_lsp.server"],
    "thena --help": ["-m", "thena_cli", "--help"],
}


def cpu_seconds(arguments: list[str]) -> float:
    """Run Python with these arguments and get the CPU time that the process took, user and system."""
    process = subprocess.Popen([sys.executable, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"`python {' '.join(arguments)}` exited with {process.returncode}; see its error above.")
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="how often each part is started (15)")
    rounds: int = parser.parse_args().rounds
    for arguments in COMMANDS.values():
        cpu_seconds(arguments)  # writes the bytecode that the rounds then read
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(rounds):
        for name, arguments in COMMANDS.items():
            times[name].append(cpu_seconds(arguments))
    medians = {name: statistics.median(of_name) for name, of_name in times.items()}
    print(f"{'CPU time, median of ' + str(rounds):34} {'ms':>8} {'x bare':>8}")
    for name, median in medians.items():
        print(f"{name:34} {median * 1000:8.1f} {median / medians[BARE]:8.2f}")


if __name__ == "__main__":
    main()
