# SPDX-License-Identifier: BSD-2-Clause
"""The first line of a CSV file of times."""
import datetime
import subprocess
from pathlib import Path


def where():
    """Machine, date, commit."""
    text = open("/proc/cpuinfo").read()
    cpu = next(line.split(":")[1].strip() for line in text.splitlines() if line.startswith("model name"))
    commit = subprocess.run(["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    return f"{cpu}, {'AVX-512' if 'avx512f' in text else 'no AVX-512'}, {datetime.date.today()}, {commit}"
