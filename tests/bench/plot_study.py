#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Plots what tests/bench/measure study has written: microseconds per point over grid sizes and over unknowns per
point.

usage: plot_study.py FOLDER study_fgbilu.png

The site's picture: python3 tests/bench/plot_study.py docs/performance/cpu docs/study_fgbilu.png
"""
import csv
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D

TASKS = {"factorization": "tab:red", "triangular solve": "tab:blue", "residual": "tab:green"}
# After n and the grid, each method has three columns, one for each task.
METHODS = {"PETSc ILU(0), MatMult": ("--", "s"), "fgbilu sequential": ("-", "o"), "fgbilu levels": (":", "^")}
PAPER_65 = {"CPU": ((3.48, 0.84, 0.51), "x"), "GPU": ((0.122, 0.0604, 0.0324), "+")}


def read(folder, name):
    """Rows without the lines of the machine and the heads."""
    return list(csv.reader((Path(folder) / f"{name}.csv").read_text().splitlines()))[2:]


def plot(axes, x, rows):
    for m, (style, marker) in enumerate(METHODS.values()):
        for t, color in enumerate(TASKS.values()):
            # A residual is the difference of two times and may be lost in the noise.
            times = [float(row[2 + 3 * m + t]) for row in rows]
            kept = [(a, b) for a, b in zip(x, times) if b > 0]
            axes.plot(*zip(*kept), style, marker=marker, color=color, markersize=3.5, linewidth=1)


def plot_paper(axes, x):
    for times, marker in PAPER_65.values():
        for color, time in zip(TASKS.values(), times):
            axes.plot([x], [time], marker, color=color, markersize=8, markeredgewidth=1.8)


def main(source, target):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6))

    rows = read(source, "study_grids")
    plot(left, [int(row[1].split(" x ")[0]) for row in rows], rows)
    plot_paper(left, 65)
    left.set_yscale("log")
    left.set_xticks([int(row[1].split(" x ")[0]) for row in rows])
    left.set_xlabel("grid side (points)")
    left.set_title("6 unknowns per point")

    rows = read(source, "study_unknowns")
    n = [int(row[0]) for row in rows]
    plot(right, n, rows)
    plot_paper(right, 6)
    right.set_xscale("log")
    right.set_yscale("log")
    right.set_xticks(n, [str(i) for i in n])
    right.minorticks_off()
    square = [0.012 * i * i for i in n]
    right.plot(n, square, color="grey", linewidth=0.8)
    right.annotate("$n^2$", (n[0], square[0]), color="grey", textcoords="offset points", xytext=(2, 6))
    right.set_xlabel("unknowns per point, $n$")
    right.set_title(r"$n^2 IJK \approx 1.8\cdot10^7$")

    for axes in (left, right):
        axes.set_ylabel("time per point (µs)")
        axes.grid(alpha=0.3)
    handles = [Line2D([], [], color=color, label=task) for task, color in TASKS.items()]
    handles += [Line2D([], [], color="black", linestyle=style, marker=marker, markersize=3.5, linewidth=1, label=method)
                for method, (style, marker) in METHODS.items()]
    handles += [Line2D([], [], color="black", linestyle="", marker=marker, markersize=8, markeredgewidth=1.8,
                       label=f"paper, {machine} ($65^3$, $n=6$)") for machine, (_, marker) in PAPER_65.items()]
    figure.legend(handles=handles, loc="lower center", ncol=4, fontsize=8, frameon=False)
    figure.tight_layout(rect=(0, 0.1, 1, 1))
    figure.savefig(target, dpi=90)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
