# SPDX-License-Identifier: BSD-2-Clause
"""The table of docs/tutorial.md: a whole flow computation with one set of options after the other.

  difficult_flow.py BUILD [--cells 64] [--limit 200] [--largest 200,2000] [--ranks 1] [--only "NAME;..."] [--out FILE]

Each row is one run of BUILD/tutorials/navierstokes to a steady state, in a process of its own; its seconds are
those that the program prints. A run that exceeds the limit, or whose flow diverges, has no times but its last
state."""
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

smoother = "-mg_levels_ksp_type richardson -mg_levels_ksp_max_it 1 -mg_levels_pc_type fgbilu -mg_levels_pc_fgbilu_precision single"
steps = [
    ("ILU(0), AIJ", "-mat_type aij -pc_type ilu"),
    ("ILU(0), BAIJ", "-mat_type baij -pc_type ilu"),
    ("ILU(1), BAIJ", "-mat_type baij -pc_type ilu -pc_factor_levels 1"),
    ("SOR, AIJ", "-mat_type aij -pc_type sor"),
    ("hypre euclid", "-mat_type aij -pc_type hypre -pc_hypre_type euclid"),
    ("hypre boomeramg", "-mat_type aij -pc_type hypre"),
    ("hypre boomeramg, nodal", "-mat_type aij -pc_type hypre -pc_hypre_boomeramg_nodal_coarsen 6 -pc_hypre_boomeramg_vec_interp_variant 1"),
    ("gamg", "-mat_type aij -pc_type gamg"),
    ("gamg, unsmoothed, ILU(0)", "-mat_type aij -pc_type gamg -pc_gamg_agg_nsmooths 0 -mg_levels_ksp_type richardson "
     "-mg_levels_ksp_max_it 1 -mg_levels_pc_type ilu"),
    ("fgbilu", "-pc_type fgbilu"),
    ("fgbilu, single", "-pc_type fgbilu -pc_fgbilu_precision single"),
    ("gamg with fgbilu", f"-pc_type gamg -pc_gamg_agg_nsmooths 0 {smoother}"),
    ("lag, gamg with fgbilu", f"-pc_type lag -lag_pc_type gamg -lag_pc_gamg_agg_nsmooths 0 {smoother.replace('-mg_', '-lag_mg_')}"),
]


def run(build, options, cells, limit, ranks):
    if ranks > 1:
        options = options.replace("-pc_type ilu", "-pc_type bjacobi -sub_pc_type ilu")
    command = [f"{build}/tutorials/navierstokes", *f"-unknowns 4 -cells {cells},{cells},{cells} -max_steps 200 {options}".split()]
    if ranks > 1:
        command = f"mpiexec -n {ranks} --oversubscribe --bind-to none".split() + command
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        text, trouble = result.stdout, "" if result.returncode == 0 else "the flow is lost"
    except subprocess.TimeoutExpired as e:
        text, trouble = (e.stdout or b"").decode(), f"not done in {limit} s"
    lines = re.findall(r"^ +(\d+) +[\d.]+ +(\S+) +(\d+) +([\d.]+)", text, re.M)
    last = lines[-1] if lines else ("0", "", "0", "")
    iterations = sum(int(line[2]) for line in lines)
    if trouble:
        return [last[0], iterations, "", "", "", f"{trouble}; residual {last[1]}"]
    parts = dict(re.findall(r"(set-up of the preconditioner|linear solves in all) ([\d.]+)", text))
    return [last[0], iterations, parts["set-up of the preconditioner"], parts["linear solves in all"], last[3], ""]


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("build")
parser.add_argument("--cells", type=int, default=64)
parser.add_argument("--limit", type=float, default=200)
parser.add_argument("--largest", default="200,2000", help="CFL numbers")
parser.add_argument("--ranks", type=int, default=1)
parser.add_argument("--only", default=";".join(name for name, _ in steps))
parser.add_argument("--out")
a = parser.parse_args()
with open(a.out, "w") if a.out else sys.stdout as out:
    print(f"# {where()}, {os.environ.get('OMP_NUM_THREADS', 1)} thread(s) a rank, {a.cells}^3 cells", file=out)
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["preconditioner", "ranks", "largest CFL", "steps", "iterations", "set-up s", "solve s", "all s", "trouble"])
    for largest in a.largest.split(","):
        for name, options in steps:
            if name in a.only.split(";"):
                table.writerow([name, a.ranks, largest] + run(a.build, f"{options} -cfl_max {largest}", a.cells, a.limit, a.ranks))
                out.flush()
