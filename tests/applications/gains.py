# SPDX-License-Identifier: BSD-2-Clause
"""The tables of docs/applications.md: programs of other packages, from their own options to ours, one row for
each step.

  gains.py BUILD [--quick] [--only NAME...] [--repeat 2] [--limit 100] [--out FILE]

Each row is the fastest of --repeat runs, each in a process of its own: seconds of its linear solvers from PETSc's
log, and seconds of the whole program. A run that does not converge has no times. --quick runs test sizes, whose
times are meaningless, and fails if a row has none."""
import argparse
import csv
import re
import subprocess
import sys
import time
from pathlib import Path

here = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(here), str(here.parent / "bench")]
from application import Application, Runner, Skipped, iterations_of, reason_of  # noqa: E402
from meshes import write_cube  # noqa: E402
from where import where  # noqa: E402

# gamg smoothed by one step of Richardson, on unsmoothed aggregates. For elasticity its coarser levels have singular
# blocks.
unsmoothed = "-pc_type gamg -pc_gamg_agg_nsmooths 0"
smoother = unsmoothed + " -mg_levels_ksp_type richardson -mg_levels_ksp_max_it 1 -mg_levels_pc_type "
of_st = "-st_pc_type gamg -st_mg_levels_ksp_type richardson -st_mg_levels_ksp_max_it 1 -st_mg_levels_pc_type "
turning = " -mg_levels_pc_fgbilu_shift_type inblocks"
ours = "baijkokkos -pc_type fgbilu"
split = "-fieldsplit_0_pc_type {0} -fieldsplit_1_pc_type {0}"
# Name: program, options for all rows, a size to measure, a size to test, rows. The first row is what users have.
programs = {
    "elasticity": ("elasticity.py", "-ksp_type cg -ksp_rtol 1e-8", "-n 32", "-n 4", [
        "-pc_type gamg", "-pc_type ilu", "-pc_type hypre", unsmoothed, f"-matrix {ours}", f"-matrix {ours} -pc_fgbilu_precision single",
        f"-matrix baijkokkos {smoother}fgbilu{turning}",
        f"-matrix baijkokkos {unsmoothed} -mg_levels_ksp_type chebyshev -mg_levels_pc_type fgbilu{turning}"]),
    "navier_stokes": ("navier_stokes.py", "-dim 3 -ksp_rtol 1e-4", "-n 12", "-n 3", [
        "-ksp_type preonly -pc_type lu -pc_factor_mat_solver_type mumps",
        *("-ksp_type fgmres -pc_type fieldsplit -pc_fieldsplit_detect_saddle_point -pc_fieldsplit_type schur -pc_fieldsplit_schur_fact_type upper "
          f"-pc_fieldsplit_schur_precondition selfp -fieldsplit_0_ksp_type preonly -fieldsplit_1_ksp_type preonly {split.format(name)}"
          for name in ("ilu", "fgbilu"))]),
    "slepc": ("eps/tutorials/ex19.c", "-eps_nev 4 -terse -eps_true_residual -st_type sinvert -eps_target 0 -eps_target_magnitude",
              "-da_grid_x 52 -da_grid_y 48 -da_grid_z 44", "-da_grid_x 12 -da_grid_y 10 -da_grid_z 8", [
        "", "-st_pc_factor_mat_solver_type mumps",
        *(f"-st_ksp_type cg -st_ksp_rtol 1e-10 {options}" for options in (
            "-st_pc_type icc", "-st_pc_type gamg", f"{of_st}icc", "-st_pc_type fgbilu", f"{of_st}fgbilu"))]),
    "petsc4py": ("species.py", "-ksp_rtol 1e-8", "-n 64 -steps 3", "-n 8", [
        "-pc_type ilu", "-pc_type gamg", f"{smoother}ilu", "-pc_type fgbilu", f"-matrix {ours}",
        f"-matrix {ours} -pc_fgbilu_precision single", f"-matrix baijkokkos {smoother}fgbilu"]),
    "getdp": ("getdp", "poisson.pro -msh cube.msh -solve Poisson -ksp_rtol 1e-8", "", "", [
        "", "-ksp_type cg -pc_type icc", "-ksp_type cg -pc_type gamg", "-ksp_type cg -pc_type fgbilu"]),
    "ts": ("ts/tutorials/ex26.c", "-ts_max_steps 5 -lidvelocity 100", "-da_grid_x 256 -da_grid_y 256", "-da_grid_x 16 -da_grid_y 16", [
        "", "-dm_mat_type baij", "-pc_type lu", "-pc_type gamg", unsmoothed, f"{smoother}ilu", f"-dm_mat_type {ours}",
        "-dm_mat_type baijkokkos -pc_type sip", f"-dm_mat_type baijkokkos {smoother}fgbilu"]),
}


def run(runner, path, options, limit):
    """Seconds of set-up, iterations, seconds of solves and of the program; or None and the reason of the failure."""
    command = runner.command(Application(path, "", [])) + options.split()
    reasons = " ".join(f"-{prefix}ksp_converged_reason" for prefix in ("", "st_"))
    environment = runner.environment(f"-dll_append {runner.build}/libpetscfinegrain.so -log_view {reasons} -snes_converged_reason")
    begin = time.perf_counter()
    try:
        done = subprocess.run(command, cwd=runner.folder, env=environment, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, f"not done in {limit:g} s"
    seconds = time.perf_counter() - begin
    text = done.stdout + done.stderr
    # SLEPc's program reports errors above its tolerance in this way.
    reason = "errors above the tolerance" if "Problem: " in text else reason_of(done.returncode, text)
    if reason != "converged":
        return None, reason
    log = {event: re.search(rf"^{event} +\d+ [\d.]+ (\S+)", text, re.M) for event in ("PCSetUp", "KSPSolve")}
    found = [float(log[event][1]) for event in log]
    return (found[0], iterations_of(text), found[1], seconds), ""


def fastest(runner, path, options, limit, repeat):
    best, trouble = run(runner, path, options, limit)
    for _ in range(repeat - 1 if best and best[3] < 40 else 0):
        again, _ = run(runner, path, options, limit)
        best = min(best, again or best, key=lambda times: times[3])
    return best, trouble


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="+", choices=programs, default=list(programs))
    parser.add_argument("--repeat", type=int, default=2, help="of a row that takes less than 40 s")
    parser.add_argument("--limit", type=float, default=100)
    parser.add_argument("--out")
    a = parser.parse_args()
    runner = Runner(a.build.resolve())
    write_cube(runner.folder / "cube.msh", 4 if a.quick else 40)
    failed = []
    with open(a.out, "w") if a.out else sys.stdout as out:
        print(f"# {where()}, one rank, one thread", file=out)
        table = csv.writer(out, lineterminator="\n")
        table.writerow(["program", "set-up s", "iterations", "solve s", "program s", "program, first / this", "options"])
        for name in a.only:
            path, common, size, small, rows = programs[name]
            first = None
            for options in rows:
                try:
                    times, trouble = fastest(runner, path, f"{common} {small if a.quick else size} {options}", a.limit, a.repeat)
                except Skipped as reason:
                    print(f"{name}: {reason}", file=sys.stderr)
                    break
                first = first or times
                if times:
                    set_up, iterations, solve, program = times
                    cells = [f"{set_up:.3g}", iterations, f"{solve:.3g}", f"{program:.3g}", f"{first[3] / program:.2g}"]
                else:
                    cells = ["", "", "", trouble, ""]
                    failed.append(f"{name} {options}: {trouble}")
                table.writerow([name, *cells, f"`{options}`" if options else "none"])
                out.flush()
    if a.quick and failed:
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
