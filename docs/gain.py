# SPDX-License-Identifier: BSD-2-Clause
"""Draws gain.png: set-up and solve of GMRES with fgbilu beside PETSc's ILU(0), bars by the options that a user types, from
performance/cpu/solves.csv, which tests/bench/measure makes. Needs matplotlib."""
import csv
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

docs = Path(__file__).parent
bars = {"seqaij, ilu": ("-mat_type aij -pc_type ilu", "#c3cad1"),
        "seqbaij, ilu": ("-mat_type baij -pc_type ilu", "#8d98a5"),
        "seqbaijkokkos, fgbilu": ("-mat_type baijkokkos -pc_type fgbilu", "#1f6f8b")}
times = {}
for row in csv.DictReader((docs / "performance/cpu/solves.csv").read_text().splitlines()[1:]):
    if row["solver"] == "gmres":
        times[row["matrix, preconditioner"].strip(), int(row["n"])] = float(row["set-up"]) + float(row["solve"])
sizes = sorted({n for _, n in times})
ours = list(bars)[-1]
first = list(bars)[0]

figure, axes = plt.subplots(figsize=(7.2, 3), dpi=120)
for b, (name, (label, color)) in enumerate(bars.items()):
    axes.bar([s + (b - 1) * 0.26 for s in range(len(sizes))], [times[name, n] / times[first, n] for n in sizes], 0.25, label=label, color=color)
for s, n in enumerate(sizes):
    part = times[ours, n] / times[first, n]
    axes.text(s + 0.16, part + 0.03, f"{1 / part:.1f} x", ha="left", fontsize=9, color=bars[ours][1], weight="bold")
axes.set_xticks(range(len(sizes)), [f"{n} unknown{'s' if n > 1 else ''}\na point" for n in sizes])
axes.set_ylabel("time of set-up and solve")
axes.set_yticks([0, 0.5, 1])
axes.set_ylim(0, 1.75)
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False, fontsize=8, loc="upper left", ncol=1)
figure.tight_layout()
figure.savefig(docs / "gain.png")
