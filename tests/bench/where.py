# SPDX-License-Identifier: BSD-2-Clause
"""The first line of a CSV file of times."""
import datetime
import subprocess
from pathlib import Path


def where():
    """Machine, date, commit."""
    text = open("/proc/cpuinfo").read()
    cpu = next(line.split(":")[1].strip() for line in text.splitlines() if line.startswith("model name"))
    field = lambda name: next((line.split(":")[1].strip() for line in text.splitlines() if line.split("\t")[0] == name), "?")  # noqa: E731
    kind = {("25", "1"): "Zen 3", ("25", "17"): "Zen 4", ("26", "2"): "Zen 5"}.get((field("cpu family"), field("model")))
    commit = subprocess.run(["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    return f"{cpu}{f' ({kind})' if kind else ''}, {'AVX-512' if 'avx512f' in text else 'no AVX-512'}, {datetime.date.today()}, {commit}"
