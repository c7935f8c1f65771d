# SPDX-License-Identifier: BSD-2-Clause
"""Draws the pictures of docs that need only CSV files: gain.png of performance/gain.csv, ranks.png of performance/ranks.csv,
flow_parts.png of performance/flow_parts.csv. Needs matplotlib. They can be read at
half of their size, 500 pixels wide."""
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

ours, theirs, between = "#1f6f8b", "#6f7a86", "#c3cad1"
plt.rcParams.update({"font.size": 8, "figure.dpi": 200, "axes.titlesize": 9, "axes.titlelocation": "left"})


def save(figure, axes, name):
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(docs / name)


def draw_gain(ranks="1", threads="1"):
    """Bars of systems with several unknowns per point: time of ours, relative to the best of PETSc's ILU and SOR."""
    names, parts = [], []
    for best, found in table.beside_ilu(rows(docs / "performance/gain.csv"), "fgbilu", ranks, threads):
        if found and best["block"] != "1":
            names.append(f"{best['problem']} ({best['method'].replace('baij', 'BAIJ')}, {float(best['total s']):.2f} s)")
            parts.append(float(found["total s"]) / float(best["total s"]))
    figure, axes = plt.subplots(figsize=(5, 3.4))
    places = range(len(names))
    axes.barh(places, [1] * len(names), 0.8, color=between, label="PETSc's ILU or SOR, whichever is faster (at the left), is 1")
    axes.barh(places, parts, 0.5, color=ours, label="-mat_type baijkokkos -pc_type fgbilu")
    for place, part in zip(places, parts):
        axes.text(max(part, 1) + 0.03, place, f"{1 / part:.2f}x as fast", va="center", color=ours)
    axes.set_yticks(places, names)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.5)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
    axes.spines["bottom"].set_bounds(0, 1)
    axes.set_xlabel("time of first set-up and solve to 1e-8 on one core", x=0.4)
    axes.legend(frameon=False, loc="lower right", bbox_to_anchor=(1.02, 1.0))
    save(figure, axes, "gain.png")


def draw_ranks(problem="navierstokes"):
    """Iterations over ranks, a line for each method, with its name at the end."""
    lines = {"ilu": ("-pc_type bjacobi\n-sub_pc_type ilu (PETSc)", theirs),
             "fgbilu, 1 correction": ("-pc_type fgbilu\n-pc_fgbilu_corrections 1", ours),
             "gamg, unsmoothed, with fgbilu": ("unsmoothed gamg,\nfgbilu as smoother", ours)}
    found = {}
    for row in rows(docs / "performance/ranks.csv", problem=problem, trouble=""):
        found.setdefault(row["method"], []).append((int(row["ranks"]), int(row["iterations"])))
    figure, axes = plt.subplots(figsize=(5, 2.8))
    for name, (label, color) in lines.items():
        ranks, iterations = zip(*found[name])
        axes.plot(ranks, iterations, "o-", color=color)
        axes.text(ranks[-1] * 1.4, iterations[-1], label, va="center", color=color)
        for x, y in zip(ranks, iterations):
            axes.annotate(str(y), (x, y), xytext=(0, 5), textcoords="offset points", ha="center", color=color)
    axes.set_xscale("log", base=2)
    axes.set_xticks(ranks, ranks)
    axes.set_xlim(0.8, 110)
    axes.minorticks_off()
    axes.set_ylim(0, 1.1 * max(y for _, y in found["ilu"]))
    axes.set_title(f"{problem}, {int(row['unknowns']):,} unknowns: GMRES(30) to 1e-8")
    axes.set_xlabel("MPI ranks", x=0.3)
    axes.set_ylabel("iterations")
    axes.spines["bottom"].set_bounds(0.8, ranks[-1])
    save(figure, axes, "ranks.png")


def draw_flow_parts(reference="petsc ilu", most=5.6):
    """Seconds of a flow solver in its parts, a bar for each linear solver; longer bars than most are cut."""
    parts = {"residual": "residual", "Jacobian": "Jacobian", "set-up of the preconditioner": "set-up of the preconditioner",
             "its application": "its application", "products": "products with the matrix"}
    linear = ["its application", "products"]
    colors = ["#c3cad1", "#8d98a5", "#d9a441", ours, "#7fb7c9", "#e3e6e9"]
    found = []
    for row in rows(docs / "performance/flow_parts.csv"):
        seconds = [float(row[part]) for part in parts]
        rest = max(float(row["linear solves in all"]) - sum(float(row[part]) for part in linear), 0)
        found.append((row["solver"].replace("petsc ilu", "PETSc's ILU(0)").replace("petsc asm", "PETSc's ASM"), seconds + [rest]))
        if row["solver"] == reference:
            baseline = sum(found[-1][1])
    found.sort(key=lambda item: sum(item[1]))
    names = [name for name, _ in found]
    figure, axes = plt.subplots(figsize=(5, 3.6))
    left = [0.0] * len(found)
    for part, (label, color) in enumerate(zip([*parts.values(), "rest of KSP"], colors)):
        values = [seconds[part] for _, seconds in found]
        axes.barh(names, values, 0.75, left=left, label=label, color=color)
        left = [a + b for a, b in zip(left, values)]
    for place, total in enumerate(left):
        axes.text(min(max(total, baseline), most) + 0.05, place, f"{total:.1f} s" + (" (cut)" if total > most else ""), va="center")
    axes.axvline(baseline, color="0.2", linestyle="--", linewidth=0.8)
    axes.invert_yaxis()
    axes.set_xlim(0, most)
    axes.set_xlabel("seconds of 20 steps; dashed: PETSc's ILU(0)")
    axes.set_title("Cube of 48 x 48 x 48 cells, n = 4, two ranks", x=-0.33, y=1.2)
    axes.legend(frameon=False, ncol=3, fontsize=7.5, loc="lower left", bbox_to_anchor=(-0.36, 1), columnspacing=1, handlelength=1.2)
    save(figure, axes, "flow_parts.png")


draw_gain()
draw_ranks()
draw_flow_parts()
