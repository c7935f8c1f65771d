#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares solves that report convergence with the quality of their solutions, and with the decision of the check
of solutions.

    table.py <build folder> [<CSV file>] [--only <beginning of names>] [--violations]

Solves each system of systems.py with each type, by GMRES(30) with the preconditioner on the left and on the right
and by BCGS, to a relative tolerance of 1e-5 in at most 500 iterations: once with -pc_<type>_check_solution none,
for the reason that the KSP reports, and once with the default. eta = |R (b - A x)| / |R b|, with the inverse row
sums of |A| in R, is computed here from the matrix; "true" is |b - A x| / |b|, "error" that of x in the units of
unknowns, relative to the solution from which b was computed (nan: b is a program's).

Prints the numbers of right and wrong solutions in each decade of eta; --violations: instead a line for each
solution that is wrong and was accepted, or right and was refused, and exit status 1 if there is one. 77: PETSc's
programs, petsc4py or scipy are missing.
"""
import csv
import sys
from pathlib import Path

try:
    import numpy as np
    import petsc4py
    import scipy.sparse
except ImportError:
    sys.exit(77)

import systems

arguments = [a for i, a in enumerate(sys.argv[1:], 1) if not a.startswith("--") and sys.argv[i - 1] != "--only"]
build = Path(arguments[0]).resolve()
only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
systems.run_programs(build)
petsc4py.init([sys.argv[0], "-dll_append", str(build / "libpetscfinegrain.so")])
from petsc4py import PETSc  # noqa: E402

rtol = 1e-5
# A solution is right if its error is below the first, and wrong if its residual in the equations is above the
# second.
right_error, wrong_residual = 1e-3, 1e-2
refusal = PETSc.KSP.ConvergedReason.DIVERGED_PCSETUP_FAILED


class System:
    """A matrix for PETSc and for scipy, a right-hand side, and the solution if it is known."""

    def __init__(self, name, system):
        rows, self.block, scale, self.grid = system
        self.name, self.solution, self.scale = name, None, scale
        if rows is None:
            read = lambda kind: PETSc.Viewer().createBinary(f"{systems.folder.name}/{name}.{kind}", "r")
            self.A = PETSc.Mat().create()
            self.A.setType("aij")
            self.A.load(read("mat"))
            self.A.setBlockSize(self.block)
            self.b = PETSc.Vec().load(read("rhs"))
            indptr, indices, values = self.A.getValuesCSR()
            self.S = scipy.sparse.csr_matrix((values, indices, indptr))
        else:
            n = len(rows)
            self.S = scipy.sparse.lil_matrix((n, n))
            for r, row in enumerate(rows):
                for c, v in row.items():
                    self.S[r, c] = v
            self.S = self.S.tocsr()
            self.S.sort_indices()
            integer = PETSc.IntType
            self.A = PETSc.Mat().createAIJ((n, n), bsize=self.block, csr=(
                self.S.indptr.astype(integer), self.S.indices.astype(integer), self.S.data))
            self.solution = (1 + np.arange(n) / n) * scale
            self.b = self.A.createVecLeft()
            self.b.setArray(self.S @ self.solution)
        difference = abs(self.S - self.S.T)
        self.symmetric = difference.nnz == 0 or difference.max() <= 1e-12 * abs(self.S).max()
        if self.symmetric:
            self.A.setOption(PETSc.Mat.Option.SYMMETRIC, True)
        self.R = 1 / abs(self.S).sum(axis=1).A1

    def judge(self, x):
        """eta, true residual, error."""
        b, norm = self.b.getArray(), np.linalg.norm
        r = b - self.S @ x
        error = np.nan
        if self.solution is not None:
            error = norm((x - self.solution) / self.scale) / norm(self.solution / self.scale)
        return norm(self.R * r) / norm(self.R * b), norm(r) / norm(b), error


def types(system):
    """Name in the table, type and options."""
    yield "ilu", "ilu", {}
    yield "fgbilu", "fgbilu", {}
    yield "fgbilu single", "fgbilu", {"precision": "single"}
    yield "fgbilu, 1 correction", "fgbilu", {"corrections": 1}
    yield "powerqilu", "powerqilu", {}
    yield "mcpi", "mcpi", {}
    for precision in ("single", "half"):
        yield f"mcpi {precision}", "mcpi", {"precision": precision, "sum_precision": "single"}
    if system.symmetric:
        yield "fgbicc", "fgbicc", {}
    if system.grid:
        grid = ",".join(map(str, system.grid))
        for alpha in (0, 0.5, 0.8, 0.92, 0.98):
            yield f"sip {alpha:g}", "sip", {"alpha": alpha, "grid": grid}
            if alpha == 0.5:
                yield "sip in 16 bits", "sip", {"alpha": alpha, "grid": grid, "precision": "half"}


def solve(system, ksp_type, side, pc_type, options):
    """Reason, iterations and solution."""
    database = PETSc.Options("table_")
    for name, value in options.items():
        database[f"pc_{pc_type}_{name}"] = value
    ksp = PETSc.KSP().create()
    ksp.setOptionsPrefix("table_")
    ksp.setOperators(system.A)
    ksp.setType(ksp_type)
    ksp.setPCSide({"left": PETSc.PC.Side.LEFT, "right": PETSc.PC.Side.RIGHT}[side])
    ksp.setTolerances(rtol=rtol, max_it=500, divtol=1e10)
    ksp.getPC().setType(pc_type)
    ksp.setFromOptions()
    x = system.b.duplicate()
    ksp.solve(system.b, x)
    for name in options:
        database.delValue(f"pc_{pc_type}_{name}")
    end = ksp.reason, ksp.its, x.getArray().copy()
    ksp.destroy()
    return end


def all_rows():
    for name, description in systems.all_systems():
        if not name.startswith(only):
            continue
        system = System(name, description)
        for label, pc_type, options in types(system):
            for ksp_type, side in (("gmres", "left"), ("gmres", "right"), ("bcgs", "left")):
                unchecked = {**options, "check_solution": "none"} if pc_type != "ilu" else options
                reason, its, x = solve(system, ksp_type, side, pc_type, unchecked)
                with np.errstate(all="ignore"):
                    eta, true, error = system.judge(x)
                verdict = solve(system, ksp_type, side, pc_type, options)[0] if pc_type != "ilu" else reason
                yield {"system": name, "type": label, "ksp": ksp_type, "side": side,
                       "reason": PETSc.KSP.ConvergedReason.__dict__.get(reason, reason), "iterations": its,
                       "eta": f"{eta:.2g}", "true": f"{true:.2g}", "error": f"{error:.2g}",
                       "checked": "none" if reason < 0 or pc_type == "ilu" else
                       "refused" if verdict == refusal else "accepted" if verdict == reason else f"reason {verdict}"}


def is_right(row):
    return float(row["error"]) < right_error or (row["error"] == "nan" and float(row["true"]) < right_error)


def is_wrong(row):
    """Judges by the equations, each divided by its size."""
    return not float(row["eta"]) < wrong_residual


def violations(row):
    if row["checked"] == "accepted" and is_wrong(row):
        yield "wrong and accepted"
    if row["checked"] == "refused" and is_right(row):
        yield "right and refused"
    if row["checked"].startswith("reason"):
        yield row["checked"] + " with the check"


def print_decades(rows):
    """Solves of our types that report convergence, by eta."""
    edges = [0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1]
    claims = [row for row in rows if row["checked"] != "none"]
    print("| eta from | claims | error below 1e-3 | above 0.1 | unknown | refused |\n" + "|---" * 6 + "|")
    for edge, end in zip(edges, edges[1:] + [np.inf]):
        here = [row for row in claims if edge <= float(row["eta"]) < end or (np.isinf(end) and row["eta"] == "nan")]
        count = lambda holds: sum(map(holds, here))
        print(f"| {edge:g} | {len(here)} | {count(lambda r: float(r['error']) < 1e-3)} | "
              f"{count(lambda r: float(r['error']) > 0.1)} | {count(lambda r: r['error'] == 'nan')} | "
              f"{count(lambda r: r['checked'] == 'refused')} |")
    print(f"{len({row['system'] for row in rows})} systems, {len(rows)} solves, {len(claims)} claims")


rows = list(all_rows())
if len(arguments) > 1:
    with open(arguments[1], "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
wrong = [(row, text) for row in rows for text in violations(row)]
if "--violations" in sys.argv:
    for row, text in wrong:
        print(text + ": " + ", ".join(f"{k} {v}" for k, v in row.items()))
    print(f"{len(rows)} solves, {len(wrong)} violations")
    sys.exit(1 if wrong else 0)
print_decades(rows)
