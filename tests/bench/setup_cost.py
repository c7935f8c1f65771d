# SPDX-License-Identifier: BSD-2-Clause
"""Measures what a set-up for new values costs in iterations, for the defaults of -pc_type lag: setup_cost.py
[--problems a,b] [--out FILE.csv] BUILD. Systems are those of peers/problems.py. A line of the result is the time of
the fastest of three set-ups for new values of the same matrix over the time of an iteration."""
import argparse
import csv
import statistics
import subprocess
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path[:0] = [str(here), str(here / "peers")]
from where import where

types = {
    "gamg": "-pc_type gamg",
    "gamg with fgbilu": "-pc_type gamg -pc_gamg_agg_nsmooths 0 -mg_levels_ksp_type richardson -mg_levels_ksp_max_it 1 -mg_levels_pc_type fgbilu",
    "hypre": "-pc_type hypre -pc_hypre_boomeramg_strong_threshold 0.5",
    "ml": "-pc_type ml",
    "lu": "-pc_type lu",
    "cpr": "-pc_type cpr -pc_cpr_weights sum",
    "asm": "-pc_type asm",
    "ilu": "-pc_type ilu",
    "sor": "-pc_type sor",
    "fgbilu": "-pc_type fgbilu -pc_fgbilu_eisenstat false",
    "mcpi": "-pc_type mcpi",
    "powerqilu": "-pc_type powerqilu",
    "powerqilu, level 1": "-pc_type powerqilu -pc_powerqilu_levels 1",
}


def measure(folder, name, options):
    """In a process of its own: iterations and times."""
    import time

    import petsc4py

    petsc4py.init(["setup_cost", *options])
    from petsc4py import PETSc

    A = PETSc.Mat().create()
    A.setType("aij")
    A.load(PETSc.Viewer().createBinary(f"{folder}/{name}.matrix", "r"))
    A = A.convert("baijkokkos") if {"fgbilu", "mcpi", "powerqilu", "cpr"} & set(options) else A
    x, b = A.createVecs()
    b.load(PETSc.Viewer().createBinary(f"{folder}/{name}.rhs", "r"))
    ksp = PETSc.KSP().create()
    ksp.setOperators(A)
    ksp.setType("gmres")
    ksp.setPCSide(PETSc.PC.Side.RIGHT)
    ksp.setTolerances(rtol=1e-8, max_it=200)
    ksp.setFromOptions()
    times = []
    for _ in range(4):
        start = time.perf_counter()
        ksp.setUp()
        ksp.getPC().setUpOnBlocks()
        times.append(time.perf_counter() - start)
        A.scale(1.5)
        ksp.setOperators(A)
    start = time.perf_counter()
    ksp.setUp()
    ksp.solve(b, x)
    # The last set-up is a part of this.
    print("RESULT", ksp.getIterationNumber(), min(times[1:]), time.perf_counter() - start - min(times[1:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("--problems", default="poisson,coupled5,euler,navierstokes,elasticity")
    parser.add_argument("--types", default=";".join(types))
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--out", default="setup_cost.csv")
    args = parser.parse_args()
    folder = args.build.resolve() / "peers"
    names = args.problems.split(",")
    with open(args.out, "w", newline="") as out:
        out.write(f"# {where()}\n")
        table = csv.writer(out)
        table.writerow(["preconditioner", *names, "median"])
        for kind, options in ((kind, types[kind]) for kind in args.types.split(";")):
            row = []
            for name in names:
                if not (folder / f"{name}.json").exists():
                    subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, '{here / 'peers'}'); import run, problems, pathlib; "
                                    f"run.write((problems.problems | problems.sizes)['{name}'], '{name}', pathlib.Path('{folder}'))"], check=True)
                line = [sys.executable, __file__, "--measure", str(folder), name, "-dll_append", str(args.build.resolve() / "libpetscfinegrain.so"),
                        *options.split()]
                try:
                    done = subprocess.run(line, capture_output=True, text=True, timeout=args.limit)
                    its, setup, solve = map(float, done.stdout.split("RESULT ")[1].split())
                    row.append(setup / (solve / its) if its else None)
                except (subprocess.TimeoutExpired, IndexError):
                    row.append(None)
            good = [r for r in row if r is not None]
            table.writerow([kind, *("" if r is None else f"{r:.1f}" for r in row), f"{statistics.median(good):.1f}" if good else ""])
            out.flush()


if __name__ == "__main__":
    if "--measure" in sys.argv:
        at = sys.argv.index("--measure")
        measure(sys.argv[at + 1], sys.argv[at + 2], sys.argv[at + 3:])
    else:
        main()
