#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Plots what tests/bench/measure study has written, time per point of fgbilu and of PETSc's ILU(0): study_grids.png over grid
sizes, as in figure 9 of Luo et al. (2015), and study_unknowns.png over unknowns per point, as in figure 10.

usage: plot_study.py FOLDER PICTURES     folders of the CSV files and of the pictures

The site's pictures: python3 tests/bench/plot_study.py docs/performance/cpu docs
"""
import csv
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# After n and the grid, each method has three columns: factorization, triangular solve, and residual, which is not drawn.
TASKS = "factorization", "triangular solve"
METHODS = {"PETSc's ILU(0)": ("--", "s", "#6f7a86"), "-pc_fgbilu_algorithm sequential": ("-", "o", "#1f6f8b"),
           "-pc_fgbilu_algorithm levels": (":", "^", "#d9822b")}
# Table 3 of the paper, 65 x 65 x 65 points, n = 6.
PAPER = {"Luo et al., CPU of 2015": ((3.48, 0.84), "x"), "Luo et al., GPU of 2015": ((0.122, 0.0604), "+")}


def read(folder, name):
    """The machine, and the rows without the line of heads."""
    lines = (Path(folder) / f"{name}.csv").read_text().splitlines()
    return lines[0].strip("# ").split(", `")[0].replace("1 thread(s)", "1 thread"), list(csv.reader(lines))[2:]


def plot(x, rows, paper_at, machine, title, label):
    figure, axes = plt.subplots(figsize=(5, 3.8))
    for m, (method, (style, marker, color)) in enumerate(METHODS.items()):
        for t in range(len(TASKS)):
            axes.plot(x, [float(row[2 + 3 * m + t]) for row in rows], style, marker=marker, color=color, markersize=3.5, linewidth=1.2,
                      label="" if t else method)
    for name, (times, marker) in PAPER.items():
        axes.plot([paper_at] * len(times), times, marker, color="black", markersize=7, markeredgewidth=1.5, label=name)
    for t, task in enumerate(TASKS):
        axes.annotate(task, (x[-3], float(rows[-3][2 + t])), xytext=(0, 5), textcoords="offset points", ha="right", color=METHODS["PETSc's ILU(0)"][2])
    axes.set_yscale("log")
    axes.set_xlabel(label)
    axes.set_ylabel("time per point (µs)")
    axes.set_title(f"{title}\n{machine}")
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=7.5, loc="upper center", bbox_to_anchor=(0.45, -0.17), ncol=2)
    return figure, axes


def save(figure, target):
    figure.tight_layout()
    figure.savefig(target)


def main(source, target):
    plt.rcParams.update({"font.size": 8, "figure.dpi": 200, "axes.titlesize": 9, "axes.titlelocation": "left"})
    machine, rows = read(source, "study_grids")
    sides = [int(row[1].split(" x ")[0]) for row in rows]
    figure, axes = plot(sides, rows, 65, machine, "Grids of 15^3 to 65^3 points, 6 unknowns per point", "points in each direction")
    axes.set_xticks(sides)
    save(figure, Path(target) / "study_grids.png")

    machine, rows = read(source, "study_unknowns")
    n = [int(row[0]) for row in rows]
    figure, axes = plot(n, rows, 6, machine, "4 to 32 unknowns per point, matrices of equal size", "unknowns per point, n")
    axes.set_xscale("log")
    axes.set_xticks(n, [str(i) for i in n])
    axes.minorticks_off()
    save(figure, Path(target) / "study_unknowns.png")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
