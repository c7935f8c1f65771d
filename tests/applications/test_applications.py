# SPDX-License-Identifier: BSD-2-Clause
"""Programs of other packages solve the same problem with each type as with PETSc's own preconditioner, or fail as
programs.py expects."""
import numpy
import pytest
from application import Application, Skipped
from programs import others, tutorials

cases = [(application, type_, ranks) for application in tutorials + others for ranks in application.ranks for type_ in application.types]


def test_number_of_tutorials():
    assert len({application.path for application in tutorials}) >= 40


@pytest.mark.parametrize("application, type_, ranks", cases, ids=[f"{a.name}-{t}-{n}-{a.options}"[:90] for a, t, n in cases])
def test_solution(runner, results, application, type_, ranks):
    try:
        reference = runner.reference(application, ranks)
        outcome = runner.run(application, type_, ranks)
    except Skipped as reason:
        pytest.skip(str(reason))
    results.append((application, type_, ranks, reference, outcome))
    assert reference.reason == "converged", reference.text
    assert reference.solution is not None, f"{application.view_into('...')} wrote nothing"
    expected = application.expected(type_, ranks)
    if expected != "converged":
        assert expected in outcome.reason, outcome.text
        return
    assert outcome.reason == "converged", outcome.text
    assert outcome.difference(reference) < application.limit, outcome.text


@pytest.mark.parametrize("application", [a for a in others if a.module], ids=lambda a: f"{a.name}-{a.options}")
def test_ranks_agree(runner, application):
    """Our scripts distribute their meshes themselves; a wrong distribution would solve another problem."""
    try:
        norms = [numpy.linalg.norm(runner.reference(application, ranks).solution) for ranks in application.ranks]
    except Skipped as reason:
        pytest.skip(str(reason))
    assert norms[1] == pytest.approx(norms[0], rel=application.limit)


def test_pivot_of_rounding_errors(runner):
    """The mesh has two corners of one triangle each, where the terms of a pivot cancel. Accepted, such a pivot
    makes a KSP report convergence although rows before it are not solved."""
    application = Application("navier_stokes.py", "-diagonal left -ksp_gmres_restart 200", [], module="dolfinx", view="snes_view_solution")
    try:
        assert runner.run(application, "ilu", 1).reason == "DIVERGED_PC_FAILED"
    except Skipped as reason:
        pytest.skip(str(reason))
    outcome = runner.run(application, "fgbilu", 1)
    assert outcome.reason == "DIVERGED_PC_FAILED", outcome.text
