# SPDX-License-Identifier: BSD-2-Clause
"""Draws the pictures that are made of CSV files: gain.png, set-up and solve with fgbilu beside the best of PETSc's ILU and SOR, of
performance/gain.csv; ranks.png, iterations on 1 to 16 ranks, of performance/ranks.csv. Needs matplotlib."""
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

sys.dont_write_bytecode = True
docs = Path(__file__).resolve().parent
sys.path[:0] = [str(docs.parent / folder) for folder in ("tests/docs", "tests/bench/peers")]
import table  # noqa: E402
from figures import rows  # noqa: E402

ours, theirs, between = "#1f6f8b", "#8d98a5", "#c3cad1"


def save(figure, axes, name):
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(docs / name)


def draw_gain(ranks="1", threads="1"):
    """Bars of real systems with several unknowns a point: ours over the best of PETSc's ILU and SOR, which is 1."""
    names, parts = [], []
    for best, found in table.beside_ilu(rows(docs / "performance/gain.csv"), "fgbilu", ranks, threads):
        if found and best["block"] != "1":
            names.append(f"{best['problem']}, {best['method'].replace(', ', ' on ').replace('baij', 'BAIJ')}: {float(best['total s']):.2f} s")
            parts.append(float(found["total s"]) / float(best["total s"]))
    figure, axes = plt.subplots(figsize=(7.2, 3.6), dpi=120)
    places = range(len(names))
    axes.barh(places, [1] * len(names), 0.8, color=between, label="the best of PETSc's ILU and SOR (named at the left)")
    axes.barh(places, parts, 0.5, color=ours, label="-mat_type baijkokkos -pc_type fgbilu")
    for place, part in zip(places, parts):
        axes.text(max(part, 1) + 0.02, place, f"{1 / part:.2f} times as fast", va="center", fontsize=8, color=ours)
    axes.set_yticks(places, names, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.35)
    axes.set_xlabel("first set-up and solve, over PETSc's time")
    axes.legend(frameon=False, fontsize=8, loc="lower center", bbox_to_anchor=(0.35, 1.0), ncol=2)
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
