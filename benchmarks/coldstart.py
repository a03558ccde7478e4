"""CPU seconds of `python grader.py 3a-0-basic` from cold, beside those of an interpreter that imports numpy alone.

python benchmarks/coldstart.py
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = "submissions/examples/csci5922-ps4/follow-through"
RUNS = 9


def cpu_seconds(*arguments: str) -> float:
    """User and system time of one run, children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    cases = {
        "one basic check": ("grader.py", "3a-0-basic", "--submission", EXAMPLE),
        "one hidden check": ("grader.py", "3a-3-hidden", "--submission", EXAMPLE),
        "the whole set": ("grader.py", "--submission", EXAMPLE),
        "import numpy": ("-c", "import numpy"),
        "import torch": ("-c", "import torch"),
    }
    medians = {name: statistics.median(cpu_seconds(*case) for _ in range(RUNS)) for name, case in cases.items()}
    for name, median in medians.items():
        print(f"{name:<18}{median:6.3f} s CPU   {median / medians['import numpy']:5.1f} x import numpy")


if __name__ == "__main__":
    main()
