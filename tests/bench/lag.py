# SPDX-License-Identifier: BSD-2-Clause
"""Compares -pc_type lag with fixed intervals between set-ups on sequences of systems that programs solve: lag.py
[--programs a,b] [--inner "a;b"] [--repeat 2] [--out FILE.csv] BUILD. Times are of set-ups and solves, the fastest of
`repeat` runs in turn. `best` is the fixed interval that took the least time, known afterwards."""
import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path[:0] = [str(here)]
from where import where

programs = {
    "navierstokes": "navierstokes -unknowns 4 -cells 20,20,20 -max_steps 20 -timing false -mat_type baijkokkos",
    "euler": "euler -cells 36,15,15 -timing false -mat_type baijkokkos",
    "ex19": "snes/tutorials/ex19.c -da_refine 5 -lidvelocity 100 -grashof 1e4 -dm_mat_type baijkokkos",
    "ex26": "ts/tutorials/ex26.c -da_refine 4 -ts_max_steps 20 -dm_mat_type baijkokkos",
}
gamg = ("-lag_pc_type gamg -lag_pc_gamg_agg_nsmooths 0 -lag_mg_levels_ksp_type richardson -lag_mg_levels_ksp_max_it 1 -lag_mg_levels_pc_type fgbilu "
        "-lag_mg_levels_pc_fgbilu_shift_type inblocks")
inner = {"gamg with fgbilu": gamg, "fgbilu": "-lag_pc_type fgbilu", "powerqilu": "-lag_pc_type powerqilu -lag_pc_powerqilu_levels 1"}
never = "-pc_lag_cost 1e9"
intervals = [1, 2, 3, 5, 10, 20]
policies = {str(n): f"{never} -pc_lag_maximum {n}" for n in intervals} | {"never": never, "lag": "", "lag, measured": "-pc_lag_measure"}


def command(build, program):
    name, *options = program.split()
    if not name.endswith(".c"):
        return [str(build / "tutorials" / name), *options]
    compiled = subprocess.run([str(here.parent / "clients/compile"), str(build), name], check=True, capture_output=True, text=True)
    return compiled.stdout.split() + options


def run(build, program, options, limit):
    with tempfile.TemporaryDirectory(dir=build) as away:
        log, info = Path(away) / "log.csv", Path(away) / "info"
        line = [*program, "-dll_append", str(build / "libpetscfinegrain.so"), "-pc_type", "lag", *options.split(), "-ksp_max_it", "500", "-info", f"{info}:pc",
                "-log_view", f":{log}:ascii_csv"]
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_NUM_THREADS="1")
        try:
            done = subprocess.run(line, capture_output=True, text=True, timeout=limit, env=environment)
        except subprocess.TimeoutExpired:
            return {"trouble": "time"}
        if done.returncode and not log.exists():  # one that is not steady in the given steps also has times
            return {"trouble": f"exit {done.returncode}"}
        text = Path(f"{info}.0").read_text() if Path(f"{info}.0").exists() else info.read_text()
        rows = list(csv.DictReader(log.read_text().splitlines()))
        spent = {}
        for row in rows:
            name = row["Event Name"].strip()
            if name in ("KSPSolve", "PCSetUp"):
                spent[name] = spent.get(name, 0) + float(row["Time"])
        return {"trouble": "", "systems": len(set(re.findall(r"system (\d+):", text))), "setups": text.count(": set-up, because"), "time": sum(spent.values())}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("--programs", default=",".join(programs))
    parser.add_argument("--inner", default=";".join(inner))
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--out", default="lag.csv")
    args = parser.parse_args()
    build = args.build.resolve()
    with open(args.out, "w", newline="") as out:
        out.write(f"# {where()}\n")
        table = csv.writer(out)
        table.writerow(["program", "inner", "systems", "policy", "set-ups", "seconds", "over best fixed"])
        for name in args.programs.split(","):
            program = command(build, programs[name])
            for kind in args.inner.split(";"):
                best = {}
                for k in range(args.repeat):
                    for policy in list(policies)[:: -1 if k % 2 else 1]:
                        r = run(build, program, f"{inner[kind]} {policies[policy]}", args.limit)
                        known = best.setdefault(policy, r)
                        if not r["trouble"] and (known["trouble"] or r["time"] < known["time"]):
                            best[policy] = r
                fixed = [r["time"] for policy, r in best.items() if not policy.startswith("lag") and not r["trouble"]]
                for policy, r in best.items():
                    row = [r["trouble"], "", ""] if r["trouble"] else [r["setups"], f"{r['time']:.3f}", f"{r['time'] / min(fixed):.2f}"]
                    table.writerow([name, kind, r.get("systems", ""), policy, *row])
                out.flush()


if __name__ == "__main__":
    main()
