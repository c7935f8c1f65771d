# SPDX-License-Identifier: BSD-2-Clause
"""Programs of others, with the options that they are run with and with ours: users.py BUILD [--quick] [--out FILE]. A row is
a program; its seconds are those of PETSc's log, of set-up and solve of linear systems, the faster of two runs. tests/applications/run
has the packages that they need. --quick: small problems, whose times say nothing; it fails where a run does."""
import argparse
import csv
import os
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
from where import where  # noqa: E402

root = Path(__file__).resolve().parents[2]
here = "/usr/bin/python3 tests/applications/"
gamg = "-pc_type gamg -pc_gamg_agg_nsmooths 0 -mg_levels_ksp_type richardson -mg_levels_ksp_max_it 1 -mg_levels_pc_type fgbilu"
# Name, program (a path that ends in .c is compiled), its size, a small one, today's options, ours.
programs = [
    ("dolfinx, elasticity", here + "elasticity.py", "-n 20", "-n 4", "-ksp_type cg -pc_type ilu",
     "-ksp_type cg -matrix baijkokkos -pc_type fgbilu"),
    ("dolfinx, elasticity", here + "elasticity.py", "-n 20", "-n 4", "-ksp_type cg -pc_type gamg",
     f"-ksp_type cg -matrix baijkokkos {gamg}"),
    ("dolfinx, Navier-Stokes", here + "navier_stokes.py", "-n 64 -ksp_gmres_restart 200", "-n 8 -ksp_gmres_restart 200",
     "-pc_type ilu", "-pc_type fgbilu"),
    ("SLEPc, ex13, shift and invert", "eps/tutorials/ex13.c", "-n 300 -m 300 -eps_nev 4 -st_type sinvert -st_ksp_type gmres -st_ksp_rtol 1e-10",
     "-n 30 -m 30 -st_type sinvert -st_ksp_type gmres -st_ksp_rtol 1e-10", "-st_pc_type ilu", "-st_pc_type fgbilu"),
    ("petsc4py, bratu3d.py", "/usr/bin/python3 /usr/share/doc/python-petsc4py-doc/examples/demo/bratu3d/bratu3d.py", "-n 80", "-n 10",
     "-pc_type ilu", "-pc_type sip"),
    ("PETSc TS, ex26, cavity", "ts/tutorials/ex26.c", "-da_grid_x 128 -da_grid_y 128 -ts_max_steps 3 -lidvelocity 10",
     "-da_grid_x 16 -da_grid_y 16 -ts_max_steps 2 -lidvelocity 10", "-pc_type ilu", "-dm_mat_type baijkokkos -pc_type fgbilu"),
    ("PETSc KSP, ex42, Stokes by fieldsplit", "ksp/ksp/tutorials/ex42.c",
     "-mx 24 -stokes_ksp_type gcr -stokes_pc_type fieldsplit -stokes_pc_fieldsplit_type schur -stokes_pc_fieldsplit_schur_fact_type upper "
     "-stokes_fieldsplit_p_ksp_type preonly -stokes_fieldsplit_u_ksp_rtol 1e-2",
     "-mx 6 -stokes_ksp_type gcr -stokes_pc_type fieldsplit -stokes_pc_fieldsplit_type schur -stokes_pc_fieldsplit_schur_fact_type upper "
     "-stokes_fieldsplit_p_ksp_type preonly -stokes_fieldsplit_u_ksp_rtol 1e-2",
     "-stokes_fieldsplit_u_pc_type ilu", "-stokes_fieldsplit_u_pc_type fgbilu"),
    ("getdp, Poisson", "getdp build/users.pro -msh build/users.msh -solve Poisson -ksp_type gmres", "", "", "-pc_type ilu", "-pc_type fgbilu"),
]


def run(build, program, options):
    """Seconds of set-up and of solve, and iterations of all linear systems."""
    words = program.split()
    if program.endswith(".c"):
        folder = build / "clients" / ("slepc" if program.startswith("eps") else "")
        words = subprocess.run([root / "tests/clients/compile", build, program, folder], capture_output=True, text=True).stdout.split()
        if not words:
            return None
    environment = dict(os.environ, PETSC_OPTIONS=f"-dll_append {build}/libpetscfinegrain.so -log_view -ksp_converged_reason -st_ksp_converged_reason "
                       f"-stokes_ksp_converged_reason {options}", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    best = None
    for _ in range(2):
        result = subprocess.run(words, cwd=root, env=environment, capture_output=True, text=True)
        text = result.stdout + result.stderr
        if result.returncode or "did not converge" in text:
            return None
        seconds = {e: sum(float(s) for s in re.findall(rf"^{e} +\d+ [\d.]+ (\S+)", text, re.M)) for e in ("PCSetUp", "KSPSolve")}
        iterations = sum(int(n) for n in re.findall(r"Linear (?:\w+ )?solve converged due to \w+ iterations (\d+)", text))
        found = (seconds["PCSetUp"], seconds["KSPSolve"], iterations)
        best = min(best or found, found, key=lambda f: f[0] + f[1])
    return best


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("build", type=Path)
parser.add_argument("--quick", action="store_true")
parser.add_argument("--out")
a = parser.parse_args()
build = a.build.resolve()
sys.path.insert(0, str(root / "tests/applications"))
from square import write_square  # noqa: E402

write_square(build / "users.msh", 12 if a.quick else 300)
(build / "users.pro").write_text((root / "tests/applications/poisson.pro").read_text())
failed = []
with open(a.out, "w") if a.out else sys.stdout as out:
    print(f"# {where()}, one rank, one thread", file=out)
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["program", "size", "today's options", "set-up s", "iterations", "solve s", "ours", "set-up s", "iterations", "solve s", "today's / ours"])
    for name, program, size, small, today, ours in programs:
        size = small if a.quick else size
        program = program.replace("build/users", str(build / "users"))
        before, after = run(build, program, f"{size} {today}"), run(build, program, f"{size} {ours}")
        if not before or not after:
            failed.append(name)
            continue
        cells = [[f"{r[0]:.3g}", r[2], f"{r[1]:.3g}"] for r in (before, after)]
        gain = (before[0] + before[1]) / (after[0] + after[1])
        table.writerow([name, size.split(" -stokes")[0].split(" -st_")[0], f"`{today}`", *cells[0], f"`{ours}`", *cells[1], f"{gain:.2f}"])
        out.flush()
if failed:
    sys.exit(f"not there, or without convergence: {', '.join(failed)}")
