# SPDX-License-Identifier: BSD-2-Clause
"""Options and fixtures of the tests, and the table that they write: build/applications.md, with --update also
docs/applications/petsc_tutorials.csv."""
import re
import sys
from pathlib import Path

import pytest

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
from application import Runner, Skipped  # noqa: E402
from table import make_table, update_file  # noqa: E402

recorded = []


def pytest_addoption(parser):
    parser.addoption("--build", type=Path, default=Path("build"), help="folder with libpetscfinegrain.so")
    parser.addoption("--update", action="store_true", help="write the table into docs/applications/petsc_tutorials.csv if all tests have run and passed")


@pytest.fixture(scope="session")
def runner(pytestconfig):
    """Skips all tests if PETSc does not use real double precision, for which programs, solutions and counts were
    recorded."""
    build = pytestconfig.getoption("build").resolve()
    runner = Runner(build)
    try:
        variables = runner.petsc_variables()
    except Skipped as reason:
        pytest.skip(str(reason))
    if not re.search(r"^PETSC_SCALAR = real$.*^PETSC_PRECISION = double$", variables, re.M | re.S) or "PETSC_INDEX_SIZE = 32" not in variables:
        pytest.skip("the table is of real double precision and 32-bit indices")
    return runner


@pytest.fixture(scope="session")
def results():
    return recorded


def pytest_terminal_summary(terminalreporter, exitstatus, config):
    if not recorded:
        return
    table = make_table(recorded)
    written = config.getoption("build").resolve() / "applications.md"
    written.write_text(table)
    terminalreporter.write_line(f"The table is in {written}")
    if config.getoption("update"):
        complete = exitstatus == 0 and not {"skipped", "deselected"} & terminalreporter.stats.keys()
        terminalreporter.write_line(update_file(table) if complete else "docs/applications/petsc_tutorials.csv stays as it is: not all tests have run and passed")
