# SPDX-License-Identifier: BSD-2-Clause
"""The tables of docs/applications: programs of others, from the command that they have to ours, one row for each step.

  gains.py BUILD [--quick] [--only NAME,NAME] [--repeat 2] [--limit 600] [--out FILE]

Each row is a process of its own, the fastest of --repeat ones: seconds of its linear solvers from PETSc's log, and seconds of the
whole program. A run that does not converge has no times. --quick takes sizes of a test, whose times say nothing, and fails where
a row has none."""
import argparse
import csv
import os
import re
import subprocess
import sys
import time
from pathlib import Path

here = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(here), str(here.parent / "bench")]
from application import Application, Runner, reason_of  # noqa: E402
from meshes import write_cube  # noqa: E402
from where import where  # noqa: E402

mg = "-{0}pc_type gamg -{0}mg_levels_ksp_type richardson -{0}mg_levels_ksp_max_it 1 -{0}mg_levels_pc_type fgbilu"
kokkos = "-matrix baijkokkos -pc_type fgbilu"
target = "-st_type sinvert -eps_target 0 -eps_target_magnitude -eps_true_residual"
inner = f"{target} -st_ksp_type cg -st_ksp_rtol 1e-10"
split = ("-ksp_type fgmres -pc_type fieldsplit -pc_fieldsplit_detect_saddle_point -pc_fieldsplit_type schur -pc_fieldsplit_schur_fact_type upper "
         "-pc_fieldsplit_schur_precondition selfp -fieldsplit_0_ksp_type preonly -fieldsplit_1_ksp_type preonly -fieldsplit_0_pc_type {0} -fieldsplit_1_pc_type {0}")
# Singular blocks of 6 on gamg's coarser levels, of aggregates that do not turn (docs/applications/dolfinx.md).
turning = "-mg_levels_pc_fgbilu_shift_type inblocks -mg_levels_pc_fgbilu_shift_amount 1e-8"
# Name: program, what its KSP's reasons begin with, options for all rows, a size to measure, one to test, rows.
programs = {
    "elasticity": ("elasticity.py", "-ksp_type cg -ksp_rtol 1e-8", "-n 32", "-n 4", [
        "-pc_type ilu", "-pc_type gamg", "-pc_type hypre", kokkos, f"{kokkos} -pc_fgbilu_precision single",
        f"-matrix baijkokkos {mg.format('')} -pc_gamg_agg_nsmooths 0 {turning}"]),
    "navier_stokes": ("navier_stokes.py", "-dim 3 -ksp_rtol 1e-4", "-n 12", "-n 3", [
        "-ksp_type preonly -pc_type lu -pc_factor_mat_solver_type mumps", split.format("ilu"), split.format("fgbilu")]),
    "slepc": ("eps/tutorials/ex19.c", "-eps_nev 4 -terse", "-da_grid_x 52 -da_grid_y 48 -da_grid_z 44", "-da_grid_x 12 -da_grid_y 10 -da_grid_z 8", [
        "", target, f"{target} -st_pc_factor_mat_solver_type mumps", f"{inner} -st_pc_type icc", f"{inner} -st_pc_type gamg",
        f"{inner} -st_pc_type fgbilu", f"{inner} {mg.format('st_')}"]),
    "petsc4py": ("species.py", "-ksp_rtol 1e-8", "-n 64 -steps 3", "-n 8", [
        "-pc_type ilu", "-pc_type gamg", "-pc_type fgbilu", kokkos, f"{kokkos} -pc_fgbilu_precision single",
        f"-matrix baijkokkos {mg.format('')} -pc_gamg_agg_nsmooths 0"]),
    "getdp": ("getdp", "poisson.pro -msh cube.msh -solve Poisson -ksp_rtol 1e-8", "", "", [
        "", "-ksp_type cg -pc_type icc", "-ksp_type cg -pc_type gamg", "-ksp_type cg -pc_type fgbilu"]),
    "ts": ("ts/tutorials/ex26.c", "-ts_max_steps 5 -lidvelocity 100", "-da_grid_x 256 -da_grid_y 256", "-da_grid_x 16 -da_grid_y 16", [
        "-pc_type ilu", "-dm_mat_type baij -pc_type ilu", "-pc_type lu", "-dm_mat_type baijkokkos -pc_type fgbilu", "-dm_mat_type baijkokkos -pc_type sip",
        f"-dm_mat_type baijkokkos {mg.format('')} -pc_gamg_agg_nsmooths 0"]),
}


def run(runner, path, options, limit):
    """Seconds of set-up, iterations, seconds of solves and of the program; or None and what went wrong."""
    reasons = " ".join(f"-{prefix}ksp_converged_reason" for prefix in ("", "st_"))
    environment = dict(os.environ, PETSC_OPTIONS=f"-dll_append {runner.build}/libpetscfinegrain.so -log_view {reasons} -snes_converged_reason",
                       LC_ALL="C", OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", XDG_CACHE_HOME=str(runner.folder / "cache"))
    begin = time.perf_counter()
    try:
        done = subprocess.run(runner.command(Application(path, "", [])) + options.split(), cwd=runner.folder, env=environment, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, f"no end in {limit:g} s"
    seconds = time.perf_counter() - begin
    text = done.stdout + done.stderr
    reason = reason_of(done.returncode, text)
    if "Problem: " in text: # SLEPc's program, of errors above its tolerance
        reason = "errors above the tolerance"
    if reason not in ("converged", "no reason"):
        return None, reason
    log = {event: re.search(rf"^{event} +\d+ [\d.]+ (\S+)", text, re.M) for event in ("PCSetUp", "KSPSolve")}
    found = [float(log[event][1]) if log[event] else 0.0 for event in log]
    iterations = sum(int(n) for n in re.findall(r"Linear (?:\w+ )?solve converged due to \w+ iterations (\d+)", text))
    return (found[0], iterations, found[1], seconds), ""


def fastest(runner, path, options, limit, repeat):
    best, trouble = run(runner, path, options, limit)
    for _ in range(repeat - 1 if best else 0):
        again, _ = run(runner, path, options, limit)
        best = min(best, again or best, key=lambda times: times[3])
    return best, trouble


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default=",".join(programs))
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--limit", type=float, default=600)
    parser.add_argument("--out")
    a = parser.parse_args()
    runner = Runner(a.build.resolve())
    write_cube(runner.folder / "cube.msh", 4 if a.quick else 40)
    failed = []
    with open(a.out, "w") if a.out else sys.stdout as out:
        print(f"# {where()}, one rank, one thread", file=out)
        table = csv.writer(out, lineterminator="\n")
        table.writerow(["program", "options", "set-up s", "iterations", "solve s", "program s", "program, first / this"])
        for name in a.only.split(","):
            path, common, size, small, rows = programs[name]
            first = None
            for options in rows:
                times, trouble = fastest(runner, path, f"{common} {small if a.quick else size} {options}", a.limit, a.repeat)
                first = first or times
                cells = ["", "", "", trouble, ""] if times is None else [f"{times[0]:.3g}", times[1], f"{times[2]:.3g}", f"{times[3]:.3g}", f"{first[3] / times[3]:.2g}"]
                table.writerow([name, f"`{options}`" if options else "none", *cells])
                out.flush()
                failed += [f"{name} {options}: {trouble}"] if times is None else []
    if a.quick and failed:
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
