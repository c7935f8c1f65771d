# SPDX-License-Identifier: BSD-2-Clause
"""Draws the pictures that are made of CSV files: gain.png, set-up and solve of GMRES with fgbilu beside PETSc's ILU(0), of
performance/cpu/solves.csv; ranks.png, iterations on 1 to 16 ranks, of performance/ranks.csv. Needs matplotlib."""
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

sys.dont_write_bytecode = True
docs = Path(__file__).resolve().parent
sys.path[:0] = [str(docs.parent / folder) for folder in ("tests/docs", "tests/bench/peers")]
from figures import rows  # noqa: E402

ours, theirs, between = "#1f6f8b", "#8d98a5", "#c3cad1"


def save(figure, axes, name):
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(docs / name)


def draw_gain():
    """Bars by the options that a user types."""
    bars = {"seqaij, ilu": ("-mat_type aij -pc_type ilu", between), "seqbaij, ilu": ("-mat_type baij -pc_type ilu", theirs),
            "seqbaijkokkos, fgbilu": ("-mat_type baijkokkos -pc_type fgbilu", ours)}
    times = {(row["matrix, preconditioner"].strip(), int(row["n"])): float(row["set-up"]) + float(row["solve"])
             for row in rows(docs / "performance/cpu/solves.csv", solver="gmres")}
    sizes = sorted({n for _, n in times})
    first, *_, last = bars
    figure, axes = plt.subplots(figsize=(7.2, 3), dpi=120)
    for b, (name, (label, color)) in enumerate(bars.items()):
        axes.bar([s + (b - 1) * 0.26 for s in range(len(sizes))], [times[name, n] / times[first, n] for n in sizes], 0.25, label=label, color=color)
    for s, n in enumerate(sizes):
        part = times[last, n] / times[first, n]
        axes.text(s + 0.16, part + 0.03, f"{1 / part:.1f} x", ha="left", fontsize=9, color=ours, weight="bold")
    axes.set_xticks(range(len(sizes)), [f"{n} unknown{'s' if n > 1 else ''}\na point" for n in sizes])
    axes.set_ylabel("time of set-up and solve")
    axes.set_yticks([0, 0.5, 1])
    axes.set_ylim(0, 1.75)
    axes.legend(frameon=False, fontsize=8, loc="upper left", ncol=1)
    save(figure, axes, "gain.png")


def draw_ranks(problem="navierstokes"):
    """Lines by method; the label stands at the end of its line."""
    lines = {"ilu": ("-pc_type bjacobi -sub_pc_type ilu", theirs), "fgbilu, 1 correction": ("-pc_type fgbilu -pc_fgbilu_corrections 1", ours),
             "gamg, unsmoothed, with fgbilu": ("gamg, unsmoothed, with fgbilu", ours)}
    found = {}
    for row in rows(docs / "performance/ranks.csv", problem=problem, trouble=""):
        found.setdefault(row["method"], []).append((int(row["ranks"]), int(row["iterations"])))
    figure, axes = plt.subplots(figsize=(7.2, 3), dpi=120)
    for name, (label, color) in lines.items():
        ranks, iterations = zip(*found[name])
        axes.plot(ranks, iterations, "o-", color=color)
        axes.text(ranks[-1] * 1.06, iterations[-1], label, va="center", fontsize=8, color=color)
    axes.set_xscale("log", base=2)
    axes.set_xticks(ranks, ranks)
    axes.set_xlim(0.9, 130)
    axes.minorticks_off()
    axes.set_ylim(0, None)
    axes.set_xlabel("MPI ranks")
    axes.set_ylabel("iterations of GMRES")
    axes.spines["bottom"].set_bounds(1, ranks[-1])
    axes.xaxis.set_label_coords(0.28, -0.14)
    save(figure, axes, "ranks.png")


draw_gain()
draw_ranks()
