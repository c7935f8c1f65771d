"""Draws gain.png from the table in performance/solves.md: python3 docs/gain.py (needs matplotlib)."""
import re
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

docs = Path(__file__).parent
times = {}
for line in (docs / "performance/solves.md").read_text().splitlines():
    cells = [c.strip() for c in line.split("|")[1:-1]]
    if len(cells) == 7 and re.fullmatch(r"\d+", cells[0]):
        times[cells[1], int(cells[0])] = float(cells[2]) + float(cells[4])
sizes = sorted({n for _, n in times})
bars = {"AIJ, ilu": ("PETSc, AIJ with ILU(0)", "#9aa5b1"), "BAIJ, ilu": ("PETSc, BAIJ with ILU(0)", "#c4ccd4"),
        "baijkokkos, fgbilu": ("fgbilu", "#1f6f8b"), "baijkokkos, fgbilu, single": ("fgbilu, single precision storage", "#e07a1f")}
figure, axes = plt.subplots(figsize=(7.2, 2.6), dpi=120)
for b, (row, (label, color)) in enumerate(bars.items()):
    axes.bar([s + (b - 1.5) * 0.2 for s in range(len(sizes))],
             [times[row, n] / times["AIJ, ilu", n] for n in sizes], 0.19, label=label, color=color)
axes.set_xticks(range(len(sizes)), [f"{n} unknown{'s' if n > 1 else ''}" for n in sizes])
axes.set_ylabel("time of set-up and solve,\nAIJ with ILU(0) = 1")
axes.set_ylim(0, 1.55)
axes.spines[["top", "right"]].set_visible(False)
axes.legend(ncol=2, frameon=False, fontsize=8, loc="upper right")
figure.tight_layout()
figure.savefig(docs / "gain.png")
