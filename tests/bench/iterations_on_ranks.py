#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Linear iterations on 1, 2, 4 and 8 ranks: block Jacobi, corrections, and a global factorization.

    iterations_on_ranks.py <build folder> [<name of a problem>...]

Problems are tutorials of finegrain and of PETSc, solved by GMRES to 1e-8 or with the program's own settings;
iterations are summed if a program solves several systems. "-" marks a type that does not fit the problem, "fails"
a solve that fails. docs/topics/ranks.md shows the table.
"""
import os
import re
import subprocess
import sys

build = sys.argv[1]
here = os.path.dirname(os.path.abspath(__file__))
ranks = [1, 2, 4, 8]
tight = "-ksp_type gmres -ksp_rtol 1e-8"
matrices = os.path.join(here, "..", "..", "tutorials", "matrices")
# Name: program, its options, whether it is a star on a DMDA.
problems = {
    "solve, 1 unknown, 24^3": ("solve", f"-grid 24,24,24 -bs 1 {tight}", True),
    "solve, 4 unknowns, 24^3": ("solve", f"-grid 24,24,24 -bs 4 {tight}", True),
    "ex45, Poisson, 33^3": ("ksp/ksp/tutorials/ex45.c", f"-da_grid_x 33 -da_grid_y 33 -da_grid_z 33 {tight}", True),
    "ex29, rough coefficients, 65^2": ("ksp/ksp/tutorials/ex29.c", f"-da_grid_x 65 -da_grid_y 65 -rho 100 {tight}", True),
    "ex5, Bratu, 49^2 (SNES)": ("snes/tutorials/ex5.c", f"-da_grid_x 49 -da_grid_y 49 {tight}", True),
    "ex19, cavity, 4 unknowns, 33^2 (SNES)": ("snes/tutorials/ex19.c", f"-da_grid_x 33 -da_grid_y 33 {tight}", True),
    "ex56, elasticity, 9^3 elements": ("ksp/ksp/tutorials/ex56.c", f"-ne 9 -log_stages false {tight}", False),
    "nos5, blocks of 3": ("solve", f"-f {matrices}/nos5.mtx -bs 3 {tight}", False),
    "gr_30_30, 9 points": ("solve", f"-f {matrices}/gr_30_30.mtx {tight}", False),
    "euler, tetrahedra, 25 steps": ("euler", "-timing false", False),
    "navierstokes, cavity of 8 blocks, 24^3, 10 steps": (
        "navierstokes", "-cells 24,24,24 -blocks 2,2,2 -span walls -re 400 -max_steps 10 -steps_rtol 0 -timing false", False),
}
methods = {
    "fgbilu": "-pc_type fgbilu",
    "fgbilu, 1 correction": "-pc_type fgbilu -pc_fgbilu_corrections 1",
    "fgbilu, global": "-pc_type fgbilu -pc_fgbilu_global",
    "powerqilu, p = 1": "-pc_type powerqilu -pc_powerqilu_levels 1",
    "powerqilu, p = 1, global": "-pc_type powerqilu -pc_powerqilu_levels 1 -pc_powerqilu_global",
}


def find(program):
    if "/" not in program:
        return os.path.join(build, "tutorials", program)
    return subprocess.run([os.path.join(here, "..", "clients", "compile"), build, program], check=True,
                          capture_output=True, text=True).stdout.strip()


def iterations(program, options, count):
    command = ["mpiexec", "-n", str(count), "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1",
               program, *options.split(), "-ksp_converged_reason"]
    if "tutorials" not in program:
        command += ["-dll_append", os.path.join(build, "libpetscfinegrain.so")]
    run = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    reasons = re.findall(r"Linear.* solve (converged|did not converge) due to (\w+) iterations (\d+)", run.stdout)
    if os.path.basename(program) == "solve":
        reasons = reasons[-1:]  # of the row that -pc_type adds
    if run.returncode or not reasons:
        return "fails"
    if any(word != "converged" and reason != "DIVERGED_ITS" for word, reason, _ in reasons):
        return "fails"
    return str(sum(int(number) for _, _, number in reasons))


print("| problem | " + " | ".join(methods) + " |\n" + "|---" * (len(methods) + 1) + "|")
for name, (source, options, has_grid) in problems.items():
    if sys.argv[2:] and name.split(",")[0] not in sys.argv[2:]:
        continue
    program = find(source)
    cells = []
    for method, choice in methods.items():
        if "-pc_fgbilu_global" in choice and not has_grid:
            cells.append("-")
        else:
            cells.append(", ".join(iterations(program, f"{options} {choice}", count) for count in ranks))
    print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
