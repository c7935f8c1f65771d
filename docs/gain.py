# SPDX-License-Identifier: BSD-2-Clause
r"""Draws gain.png: set-up and solve of GMRES with fgbilu beside PETSc's ILU(0), bars by the options that a user types.

Everything anew, by one command from the root, on a quiet machine (needs matplotlib):

    cmake -S . -B build -DFINEGRAIN_BENCH=ON && make -C build bench_solve \
        && OMP_NUM_THREADS=1 build/tests/bench_solve -sizes 1,4,5,6,8 | tee build/solves.md \
        && python3 docs/gain.py build/solves.md

Without a file the table of performance/solves.md is drawn. It has to have the rows of `bars`; the table that bench_solve
prints has them (its row "seqbaij, fgbilu" is "BAIJ, fgbilu" there).
"""
import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

docs = Path(__file__).parent
bars = {"baij, ilu": ("-mat_type baij -pc_type ilu", "#9aa5b1"),
        "baij, fgbilu": ("-mat_type baij -pc_type fgbilu", "#5fa8bf"),
        "baijkokkos, fgbilu": ("-mat_type baijkokkos -pc_type fgbilu", "#1f6f8b")}
table = Path(sys.argv[1]) if len(sys.argv) > 1 else docs / "performance/solves.md"

times, heads = {}, []
for line in table.read_text().splitlines():
    cells = [c.strip() for c in line.split("|")[1:-1]]
    if not cells or "matrix, preconditioner" in cells:  # between tables, a table's head
        heads = cells
    elif len(cells) == len(heads) and re.fullmatch(r"\d+", cells[0]):
        row = dict(zip(heads, cells))
        if row.get("solver", "gmres") == "gmres":
            name = row["matrix, preconditioner"].lower().removeprefix("seq")
            times[name, int(row["n"])] = float(row["set-up"]) + float(row["solve"])
sizes = sorted({n for _, n in times})
missing = [f"{row} of {n}" for row in bars for n in sizes if (row, n) not in times]
if missing or not sizes:
    sys.exit(f"{table} has no times of {', '.join(missing) or 'solves'}; {__doc__}")

figure, axes = plt.subplots(figsize=(7.2, 2.8), dpi=120)
for b, (row, (label, color)) in enumerate(bars.items()):
    axes.bar([s + (b - 1) * 0.26 for s in range(len(sizes))],
             [times[row, n] / times["baij, ilu", n] for n in sizes], 0.25, label=label, color=color)
axes.set_xticks(range(len(sizes)), [f"{n} unknown{'s' if n > 1 else ''}" for n in sizes])
axes.set_ylabel("time of set-up and solve,\nBAIJ with ILU(0) = 1")
axes.set_ylim(0, 1.6)
axes.spines[["top", "right"]].set_visible(False)
axes.legend(ncol=1, frameon=False, fontsize=8, loc="upper right")
figure.tight_layout()
figure.savefig(docs / "gain.png")
