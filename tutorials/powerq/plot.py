#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints tables from the folder that ./study has written, and plots iterations as in Figures 4 and 5 of
Heuveline, Lukarski and Weiss.

usage: plot.py folder study_powerqilu.png

"""
import glob
import os
import re
import sys

DURING, AFTER = "during", "after"
columns = "colors", "groups", "fill", "dropped", "iterations", "factor", "analysis", "numeric", "solve", "reason"


def read(path):
    """The first line, the rows by name, and the line of colors of a program's output."""
    title, rows, colors = "", {}, ""
    for line in open(path, encoding="utf-8"):
        if not title:
            title = os.path.basename(line.strip()) if line.startswith(("/", ".")) else line.strip()
        if line.startswith("colors of"):
            colors = line.split(":")[1].split()
        cells = re.split(r" {2,}", line.strip())
        if len(cells) == 11 and cells[0] != "preconditioner":
            rows[cells[0]] = dict(zip(columns, cells[1:]))
    return title, rows, colors


def count(row):
    """Iterations; None if CG stopped for another reason than its tolerance."""
    return int(row["iterations"]) if row["reason"].startswith("CONVERGED") else None


def cell(row):
    if row is None:
        return ""
    if row["reason"] == "DIVERGED_INDEFINITE_PC":
        return "indefinite"
    if row["reason"] == "DIVERGED_ITS":
        return "> " + row["iterations"]
    return row["iterations"] if count(row) is not None else row["reason"]


def names_of_figure(p_max=3):
    """Columns of the figures: name in the program's output, label."""
    levels = [("none", "none"), ("SGS by levels", "SGS")] + [(f"ILU({p}) by levels", f"ILU({p})") for p in range(p_max + 1)]
    colors = [("none", "none"), ("SGS", "SGS"), ("ILU(0)", "ILU(0,1)")]
    for p in range(1, p_max + 1):
        for q in range(1, p + 2):
            colors.append((f"ILU({p},{q})", f"ILU({p},{q})"))
    return levels, colors


def find(rows, name, drop):
    return rows.get(name) or rows.get(f"{name} {drop}")


def name_of(title):
    return title.split(" (")[0].split(":")[0].removesuffix(".mtx")


def print_rows(head, rows):
    print("\n| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")


def print_figures(figures):
    levels, colors = names_of_figure()
    rows = [[f"{label}{'' if name == 'none' else ', level sets'}"] + [cell(rows[name]) for _, rows, _ in figures] for name, label in levels]
    for name, label in colors[1:]:
        texts = []
        for _, rows_of, _ in figures:
            during, after = (cell(find(rows_of, name, drop)) for drop in (DURING, AFTER))
            texts.append(during if name in rows_of else f"{during} / {after}")
        rows.append([f"{label}, colors"] + texts)
    rows.append(["colors of powers, q = 1 to 4"] + [", ".join(numbers) for *_, numbers in figures])
    print_rows([""] + [name_of(title) for title, *_ in figures], rows)


def print_radius(folder):
    """Data of ./study's lines: matrix, p, radius, level sets, iterations."""
    found = {}
    for line in open(os.path.join(folder, "radius.txt"), encoding="utf-8"):
        matrix, p, radius, groups, iterations = line.split()
        found.setdefault((matrix, p), []).append((radius, f"{groups} / {iterations}"))
    radii = [radius for radius, _ in next(iter(found.values()))]
    print_rows(["matrix", "p"] + ["all" if r == "0" else f"radius {r}" for r in radii], [[*key] + [text for _, text in row] for key, row in found.items()])


# Table 2 of the paper, by the generated matrix: the paper's matrix, and the columns.
PAPER = {"ecology": ("ecology2: 999999 unknowns, 4995991 entries", "2, 7, 8, 19", 5391, 2783, 2855, 1815, 1308, 997, "", 1277),
         "circuit": ("G3_circuit: 1585478 unknowns, 7660826 entries", "4, 10, 17, 35", 12760, 1328, 1242, 747, 497, 386, "", 397),
         "shell": ("s3dkq4m2: 90449 unknowns, 4820891 entries", "24, 56, 96, 150", 535056, 12728, 3918, 2203, 1600, 965, "", 6086)}


def print_table(tables):
    names = ["none", "SGS", "ILU(0)", "ILU(1,2)", "ILU(2,3)", "ILU(3,4)", "ILU(3,3) during", "ILU(3,3) after"]
    rows = []
    for title, of, numbers in tables:
        if name_of(title) in PAPER:
            rows.append(["paper, " + str(PAPER[name_of(title)][0])] + [str(value) for value in PAPER[name_of(title)][1:]])
        rows.append([title.replace(" (a generated stand-in)", " stand-in"), ", ".join(numbers)] + [cell(of.get(name)) for name in names])
    print_rows(["matrix", "colors, q = 1 to 4"] + names, rows)
    print_rows(["fill, nnz(L+U) / nnz(A)"] + names[2:],
               [[name_of(title)] + [of[name]["fill"] if name in of else "" for name in names[2:]] for title, of, _ in tables])


def print_times(runs):
    """Seconds to solution, from a list of (number of threads, table) for each matrix."""
    heads = [f"{threads} thread{'s' * (threads > 1)}: set-up" for threads, _ in runs[0]]
    rows = []
    for run in runs:
        title, first, _ = run[0][1]
        for name in first:
            texts = []
            for _, (_, of, _) in run:
                analysis, numeric, solve = (float(of[name][what]) for what in ("analysis", "numeric", "solve"))
                times = (analysis + numeric, solve, analysis + numeric + solve)
                texts += ["" if count(of[name]) is None else f"{t:.3f}" for t in times]
            rows.append([name_of(title), name, cell(first[name])] + texts)
    print_rows(["matrix", "preconditioner", "iterations"] + [part for head in heads for part in (head, "solve", "sum")], rows)


def plot(figures, target):
    """Bars of iterations, a column for each matrix: by level sets above, by colors below."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.size": 8, "axes.titlesize": 9})
    levels, colors = names_of_figure()
    # Labels, with names in the program's output and the color of each bar.
    bars = [(f"{label}{'' if name == 'none' else ', level sets'}", [(name, "tab:blue")]) for name, label in levels]
    for name, label in colors[1:]:
        dropped = not all(name in rows for _, rows, _ in figures)
        bars.append((f"{label}, colors", [(f"{name} {DURING}", "tab:orange"), (f"{name} {AFTER}", "tab:green")] if dropped else [(name, "tab:blue")]))
    figure, axes = plt.subplots(1, len(figures), figsize=(5, 5.4), sharey=True)
    for panel, (title, rows, _) in zip(axes, figures):
        values = sorted(count(row) or 0 for row in rows.values())
        most = 1.2 * (values[-2] if values[-1] > 2 * values[-2] else values[-1])
        for y, (_, parts) in enumerate(bars):
            for k, (name, color) in enumerate(parts):
                value, height = count(rows[name]), 0.8 / len(parts)
                place = y + (k - (len(parts) - 1) / 2) * height
                if value is None:
                    panel.text(0, place, " indefinite", va="center", color="grey", fontsize=7)
                    continue
                panel.barh(place, min(value, most), height, color=color)
                cut = value > most
                panel.text(0.97 * most if cut else value, place, f"{value} (cut)" if cut else f" {value}", va="center", ha="right" if cut else "left",
                           color="white" if cut else "black", fontsize=7)
        panel.set_xlim(0, most)
        panel.set_title(name_of(title))
        panel.set_xlabel("iterations of CG to 1e-6")
        panel.spines[["top", "right"]].set_visible(False)
    axes[0].set_yticks(range(len(bars)), [label for label, _ in bars])
    axes[0].invert_yaxis()
    handles = [plt.Rectangle((0, 0), 1, 1, color=color) for color in ("tab:blue", "tab:orange", "tab:green")]
    figure.legend(handles, ["nothing dropped", "fill inside colors dropped during", "or after the factorization"], loc="lower center", ncol=3,
                  fontsize=7.5, frameon=False, columnspacing=1, handlelength=1)
    figure.tight_layout(rect=(0, 0.03, 1, 1))
    figure.savefig(target, dpi=200)


def main(folder, target):
    figures = [read(os.path.join(folder, f"figure_{name}.txt")) for name in ("nos5", "gr_30_30")]
    runs = {}  # by matrix: numbers of threads and tables
    for path in glob.glob(os.path.join(folder, "table_*_threads_*.txt")):
        matrix, threads = map(int, re.findall(r"\d+", os.path.basename(path)))
        runs.setdefault(matrix, []).append((threads, read(path)))
    runs = [sorted(runs[matrix], key=lambda run: run[0]) for matrix in sorted(runs)]
    print_figures(figures)
    print_radius(folder)
    if runs:
        print_table([run[0][1] for run in runs])
        print_times(runs)
    try:
        plot(figures, target)
    except ImportError:
        print("No plot: this needs Python's matplotlib", file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
