# SPDX-License-Identifier: BSD-2-Clause
"""Times set-up and solve of preconditioners that users would choose, and of ours, on the systems of problems.py:
run.py [--ranks 1,2] [--threads 1,2] [--problems a,b] [--methods "a;b"] [--limit 25] [--out FILE.csv] BUILD. Each
run is a process; the fastest of `--repeat` ones counts. tests/docs/tables writes the results into the page."""
import argparse
import csv
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import scipy.sparse as sparse

here = Path(__file__).resolve().parent
sys.path[:0] = [str(here), str(here.parent)]
import problems
from where import where

boomeramg = "-pc_type hypre -pc_hypre_type boomeramg -pc_hypre_boomeramg_strong_threshold 0.5"
smooth = "-pc_type gamg -mg_levels_ksp_type richardson -mg_levels_ksp_max_it 1 -mg_levels_pc_type "
split = ("-pc_type fieldsplit -pc_fieldsplit_block_size 4 -pc_fieldsplit_0_fields 0,1,2 -pc_fieldsplit_1_fields 3 "
         "-pc_fieldsplit_type schur -pc_fieldsplit_schur_fact_type lower -pc_fieldsplit_schur_precondition selfp "
         "-fieldsplit_0_ksp_type preonly -fieldsplit_1_ksp_type preonly -fieldsplit_1_pc_type sor -fieldsplit_0_pc_type ")
# Name: matrix type, options. Methods on baijkokkos are ours and use threads; those of fieldsplit are for saddle
# points, those of cpr for pressures of flow in porous media.
methods = {
    "ilu": ("aij", "-pc_type bjacobi -sub_pc_type ilu"),
    "ilu, baij": ("baij", "-pc_type bjacobi -sub_pc_type ilu"),
    "icc": ("aij", "-pc_type bjacobi -sub_pc_type icc"),
    "asm": ("aij", "-pc_type asm"),
    "sor": ("aij", "-pc_type sor"),
    "eisenstat": ("aij", "-pc_type eisenstat"),
    "pbjacobi": ("aij", "-pc_type pbjacobi"),
    "hypre euclid": ("aij", "-pc_type hypre -pc_hypre_type euclid"),
    "hypre boomeramg": ("aij", "-pc_type hypre -pc_hypre_type boomeramg"),
    "hypre boomeramg, threshold 0.5": ("aij", boomeramg),
    "hypre boomeramg, nodal": ("aij", boomeramg + " -pc_hypre_boomeramg_nodal_coarsen 6"),
    "gamg": ("aij", "-pc_type gamg"),
    "gamg, unsmoothed": ("aij", "-pc_type gamg -pc_gamg_agg_nsmooths 0"),
    "ml": ("aij", "-pc_type ml"),
    "fieldsplit, ilu": ("aij", split + "bjacobi -fieldsplit_0_sub_pc_type ilu"),
    "fieldsplit, gamg": ("aij", split + "gamg"),
    "fieldsplit, hypre boomeramg": ("aij", split + "hypre -fieldsplit_0_pc_hypre_boomeramg_strong_threshold 0.5"),
    "fgbilu": ("baijkokkos", "-pc_type fgbilu"),
    "fgbilu, eisenstat false": ("baijkokkos", "-pc_type fgbilu -pc_fgbilu_eisenstat false"),
    "fgbilu, single": ("baijkokkos", "-pc_type fgbilu -pc_fgbilu_precision single"),
    "fgbilu, half": ("baijkokkos", "-pc_type fgbilu -pc_fgbilu_precision half"),
    "fgbicc": ("baijkokkos", "-pc_type fgbicc"),
    "mcpi": ("baijkokkos", "-pc_type mcpi"),
    "powerqilu, level 1": ("baijkokkos", "-pc_type powerqilu -pc_powerqilu_levels 1"),
    "powerqilu, level 1, exchange color": ("baijkokkos", "-pc_type powerqilu -pc_powerqilu_levels 1 -pc_powerqilu_global"),
    "fgbilu, 1 correction": ("baijkokkos", "-pc_type fgbilu -pc_fgbilu_corrections 1"),
    "gamg with fgbilu": ("baijkokkos", smooth + "fgbilu"),
    "gamg, unsmoothed, with fgbilu": ("baijkokkos", smooth + "fgbilu -mg_levels_pc_fgbilu_shift_type inblocks -pc_gamg_agg_nsmooths 0"),
    "fieldsplit, fgbilu": ("baijkokkos", split + "fgbilu"),
    "fieldsplit, gamg, unsmoothed, with fgbilu": ("baijkokkos", split + smooth.replace("-pc_type ", "", 1).replace("-mg", "-fieldsplit_0_mg") +
                                                  "fgbilu -fieldsplit_0_pc_gamg_agg_nsmooths 0"),
    "cpr": ("baijkokkos", "-pc_type cpr"),
    "cpr, sum": ("baijkokkos", "-pc_type cpr -pc_cpr_weights sum"),
    "gamg, unsmoothed, with mcpi": ("baijkokkos", smooth + "mcpi -mg_levels_pc_mcpi_its 2 -pc_gamg_agg_nsmooths 0"),
}
for_ranks = {"powerqilu, level 1, exchange color", "fgbilu, 1 correction"}  # of docs/topics/ranks.md
# Methods of docs/performance/gain.csv.
for_gain = "ilu;ilu, baij;icc;sor;eisenstat;fgbilu;fgbilu, eisenstat false;fgbilu, single;fgbilu, half;fgbicc"
# Methods of docs/performance/sizes.csv.
for_sizes = "fgbilu;gamg, unsmoothed, with fgbilu;hypre boomeramg, threshold 0.5;hypre boomeramg, nodal;gamg"
spd_only = {"icc", "fgbicc"}
blocks_only = {"hypre boomeramg, nodal", "ilu, baij", "pbjacobi"}


def last(viewer_file, make):
    """The last object in a file to which a program has added one at each solve."""
    from petsc4py import PETSc
    viewer = PETSc.Viewer().createBinary(str(viewer_file), "r")
    found = None
    while True:
        x = make()
        try:
            x.load(viewer)
        except PETSc.Error:
            return found
        found = x


def aij():
    from petsc4py import PETSc
    A = PETSc.Mat().create()
    A.setType("aij")
    return A


def capture(problem, build):
    """Runs a program that writes its systems."""
    from petsc4py import PETSc
    program, *options = problem.command.split()
    view = f"-{problem.prefix}ksp_view"
    command = [str(build / "tutorials" / program)]
    if program.endswith(".c"):
        compiled = subprocess.run([str(here.parents[1] / "clients/compile"), str(build), program], check=True, capture_output=True, text=True)
        command = compiled.stdout.split()
    with tempfile.TemporaryDirectory(dir=build) as away:
        files = [Path(away) / what for what in ("matrix", "rhs")]
        subprocess.run(command + options + [f"{view}_mat", f"binary:{files[0]}", f"{view}_rhs", f"binary:{files[1]}"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(1))
        block = int(re.search(r"-mat(?:load)?_block_size (\d+)", Path(f"{files[0]}.info").read_text()).group(1))
        Path(f"{files[0]}.info").unlink()
        A = last(files[0], aij)
        b = last(files[1], lambda: PETSc.Vec().create())
    ptr, col, values = A.getValuesCSR()
    return problems.Problem(sparse.csr_matrix((values, col, ptr)), block, problem.spd, rhs=b.getArray().copy())


def write(problem, name, folder):
    import petsc4py
    petsc4py.init(["run.py"])
    from petsc4py import PETSc
    p = capture(problem, folder.parent) if isinstance(problem, problems.Captured) else problem()
    matrix = p.matrix
    matrix.sort_indices()
    A = PETSc.Mat().createAIJ(matrix.shape, csr=(matrix.indptr.astype("int32"), matrix.indices.astype("int32"), matrix.data))
    A.setBlockSize(p.block)
    viewer = PETSc.Viewer().createBinary(str(folder / f"{name}.matrix"), "w")
    A.view(viewer)
    viewer.destroy()
    rhs = numpy.ones(matrix.shape[0]) if p.rhs is None else p.rhs
    for what, values, block in (("rhs", rhs, p.block), ("coordinates", None if p.coordinates is None else p.coordinates.ravel(), 3)):
        if values is None:
            continue
        v = PETSc.Vec().createWithArray(values.astype(float), bsize=block)
        viewer = PETSc.Viewer().createBinary(str(folder / f"{name}.{what}"), "w")
        v.view(viewer)
        viewer.destroy()
    settings = {"spd": p.spd, "block": p.block, "unknowns": matrix.shape[0], "entries": int(matrix.nnz), "coordinates": p.coordinates is not None,
                "saddle": getattr(problem, "saddle", False), "pressure": p.pressure}
    (folder / f"{name}.json").write_text(json.dumps(settings))


def environment(threads):
    return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_NUM_THREADS=str(threads))


def run(args, folder, name, kind, options, ranks, threads):
    library = Path(args.build) / "libpetscfinegrain.so"
    command = ["mpiexec", "-n", str(ranks), "--oversubscribe", "--bind-to", "none", sys.executable, str(here / "solve.py"), str(folder), name, kind,
               "-dll_append", str(library)] + options.split()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=args.limit, env=environment(threads))
    except subprocess.TimeoutExpired:
        return {"reason": "time"}
    lines = [line[7:] for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if not lines:
        errors = [line for line in done.stderr.splitlines() if "PETSC ERROR" in line and "----" not in line]
        return {"reason": "error: " + (errors[1] if len(errors) > 1 else done.stderr[-80:]).split("ERROR: ")[-1][:80]}
    result = json.loads(lines[0])
    return dict(result, reason="no convergence" if result["reason"] <= 0 or result["residual"] > 1e-6 else "")


def fits(method, settings, ranks, threads):
    """True if a method fits a system, and uses threads if threads are requested."""
    return not ((method in spd_only and not settings["spd"]) or (method in blocks_only and settings["block"] == 1) or
                (method.startswith("fieldsplit") and not settings.get("saddle")) or (method.startswith("cpr") and not settings.get("pressure")) or (threads > 1 and (ranks > 1 or methods[method][0] != "baijkokkos")))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--problems", default=",".join(problems.problems), help='names; or "sizes", those of docs/choosing.md')
    parser.add_argument("--methods", default=";".join(m for m in methods if m not in for_ranks), help='names; or "gain", those beside ILU')
    parser.add_argument("--limit", type=float, default=25)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--threads", default="1", help="of a rank; with more than one only our types run, since no other has threads")
    parser.add_argument("--out", default="peers.csv")
    parser.add_argument("--strict", action="store_true", help="fail where a run had trouble")
    args = parser.parse_args()
    if args.methods == "gain":
        args.methods = for_gain
    if args.problems == "sizes":
        args.problems, args.methods = ",".join(problems.sizes), for_sizes
    troubles = []
    folder = Path(args.build).resolve() / "peers"
    folder.mkdir(parents=True, exist_ok=True)
    with open(args.out, "w", newline="") as out:
        out.write(f"# {where()}\n")
        table = csv.writer(out)
        table.writerow(["problem", "unknowns", "block", "ranks", "threads", "method", "setup s", "iterations", "solve s", "total s", "residual",
                        "trouble"])
        for name in args.problems.split(","):
            if not (folder / f"{name}.json").exists():
                subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, '{here}'); import run, problems, pathlib; "
                                f"run.write((problems.problems | problems.sizes | problems.small)['{name}'], '{name}', pathlib.Path('{folder}'))"], check=True)
            settings = json.loads((folder / f"{name}.json").read_text())
            runs = [(ranks, threads, method)
                    for ranks, threads, method in itertools.product(map(int, args.ranks.split(",")), map(int, args.threads.split(",")), args.methods.split(";"))
                    if fits(method, settings, ranks, threads)]
            best = {}
            for k in range(args.repeat):  # in alternating order, so that a slow minute hits no method alone
                for ranks, threads, method in runs[:: -1 if k % 2 else 1]:
                    r = run(args, folder, name, *methods[method], ranks, threads)
                    known = best.setdefault((ranks, threads, method), r)
                    if not r["reason"] and (known["reason"] or r["setup"] + r["solve"] < known["setup"] + known["solve"]):
                        best[ranks, threads, method] = r
            for (ranks, threads, method), r in best.items():
                good = not r["reason"]
                troubles += [] if good else [f"{name}, {method}, {ranks}: {r['reason']}"]
                table.writerow([name, settings["unknowns"], settings["block"], ranks, threads, method] +
                               ([f"{r['setup']:.3f}", r["iterations"], f"{r['solve']:.3f}", f"{r['setup'] + r['solve']:.3f}", f"{r['residual']:.1e}",
                                 ""] if good else ["", r.get("iterations", ""), "", "", "", r["reason"]]))
            out.flush()
    if args.strict and troubles:
        sys.exit("\n".join(troubles))


if __name__ == "__main__":
    main()
