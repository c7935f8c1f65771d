# SPDX-License-Identifier: BSD-2-Clause
"""The table of applications."""
import csv
import datetime
import io
import platform
import re
import subprocess
from pathlib import Path

from application import types

file = Path(__file__).resolve().parents[2] / "docs/applications/petsc_tutorials.csv"
packages = {"PETSc": "petsc-dev", "dolfinx": "python3-dolfinx-real", "SLEPc": "slepc-dev", "petsc4py": "python3-petsc4py", "getdp": "getdp"}


def short(reason):
    """A result other than convergence, as a cell."""
    diverged = re.search(r"DIVERGED_\w+", reason)
    return diverged[0] if diverged else "refused"


def line_of_versions():
    try:
        processor = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())[1]
    except (OSError, TypeError):
        processor = platform.machine()
    versions = []
    for name, package in packages.items():
        found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True).stdout
        if found:
            versions.append(f"{name} {re.sub(r'^[0-9]+:|[+-].*', '', found)}")
    return [f"{datetime.date.today()}, {processor}.", ", ".join(versions) + "."]


def cell(outcomes, application, type_):
    """Iterations on 1 and on 2 ranks, or the failure."""
    found = []
    for ranks in application.ranks:
        outcome = outcomes.get((type_, ranks))
        if outcome is None:
            continue
        found.append(str(outcome.iterations) if outcome.reason == "converged" else short(outcome.reason))
    return found[0] if len(set(found)) == 1 and not found[0].isdigit() else " / ".join(found)


def make_table(results):
    rows = {}
    for application, type_, ranks, reference, outcome in results:
        _, outcomes, differences = rows.setdefault((application.path, application.options), (application, {}, []))
        outcomes[application.reference, ranks], outcomes[type_, ranks] = reference, outcome
        if outcome.reason == "converged":
            differences.append(outcome.difference(reference))
    lines = [["program", "PETSc's", *types, "difference", "options"]]
    for application, outcomes, differences in rows.values():
        cells = [cell(outcomes, application, name) for name in [application.reference, *types]]
        difference = f"{max(differences):.0e}" if differences else ""
        options = " ".join(application.options.replace("@", "*type*").split())
        lines.append([application.name, *cells, difference, options])
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return f"# {' '.join(line_of_versions())}\n{text.getvalue()}"


def update_file(table):
    file.write_text(table)
    return f"{file} is up to date"
